"""Kernels are compiled once per machine: a second process takes all of them from the disk cache."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yawara.jit

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


def test_another_copy_of_the_package_has_kernels_of_its_own(tmp_path):
    """Numba keeps kernels by the place of their source: a mark that they are compiled must not count for another place."""
    package = Path(yawara.jit.__file__).parent
    shutil.copytree(package, tmp_path / "yawara", ignore=shutil.ignore_patterns("__pycache__"))
    program = "import yawara.jit as jit; print(jit.__file__, jit.cache_directory())"
    found = {}
    for place in (package.parent, tmp_path):
        environment = {**os.environ, "PYTHONPATH": str(place)}
        output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
        file, directory = output.stdout.split()
        assert Path(file).parent.parent == place
        found[place] = directory
    assert found[package.parent] != found[tmp_path]
