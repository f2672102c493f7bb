"""A run in a process of its own, whose bits are compared with those of later ones."""

import os
import subprocess
import sys

PROGRAM = """
import hashlib
import yawara as yw
from yawara.methods.evaluate import add_forces
from yawara.methods.explicit import advance

fields = {"spacing": 0.01, "density": 1000.0, "law": yw.ThreeElement(k1=200.0, c1=2.0, c2=100.0), "inversion_barrier": {}}
bodies = {
    "block": yw.Truss(counts=(4, 4, 4), volume={"cavity": 1e4, "cells": 1e3}, **fields),
    "sheet": yw.Sheet(counts=(5, 5), origin=(0.1, 0.0, 0.0), **fields),
}
down, across = (0.0, 0.0, -0.027), (0.0, -0.036, 0.0)
drives = [
    yw.Drive(body=body, points="top", times=[0.0, 0.05], displacement=[(0, 0, 0), by], release=0.06)
    for body, by in (("block", down), ("sheet", across))
]
fixes = [yw.Fix(body=body, points="bottom") for body in bodies]
run = yw.simulate(yw.Scene(time=yw.Time(end=0.1, frame=0.02), body=bodies, fix=fixes, drive=drives))
assert abs(run.history["energy.barriers"]).max() > 0.0
print(*(hashlib.sha256(array.tobytes()).hexdigest() for array in run.state.blocks.values()))
print(sum(sum(kernel.dispatcher.stats.cache_misses.values()) for kernel in (advance, add_forces)))
"""


def python(program, **environment):
    """What a process of its own prints; with the given environment beside this one's."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "YAWARA_WARMING")}
    done = subprocess.run([sys.executable, "-c", program], env=kept | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
