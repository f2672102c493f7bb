"""Kernels are compiled once per machine: a second process takes all of them from the disk cache."""

import subprocess
import sys

PROGRAM = """
import yawara as yw
from yawara.integrators.advance import advance, evaluate
law = yw.ThreeElement(k1=100.0, c1=1.0, c2=100.0)
body = yw.Truss(counts=(4, 4, 4), spacing=0.01, density=1000.0, law=law)
yw.simulate(yw.Scene(time=yw.Time(end=0.01, frame=0.01), body={"block": body}))
for kernel in (advance, evaluate):
    print(sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""


def test_second_process_compiles_nothing():
    for _ in range(2):
        output = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert output.split() == ["1", "0", "1", "0"]
