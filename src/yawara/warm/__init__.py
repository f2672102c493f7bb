"""Compiles the kernels in processes of their own, before the first run of a version on a machine, and says so.

A process that has just compiled a kernel may round its last bit differently from one that loads it from the cache (the linker then picks
among several compiled copies of the same function). So that the first run gives the same bits as all later ones, a process never runs
kernels that it compiled.

Each part is compiled by one process, which holds the part's lock meanwhile. The system keeps the lock: it goes with the process, however
that ends, and so does the process with the one that started it.
"""

from yawara.warm.crew import ensure_compiled
from yawara.warm.parts import PARTS, is_compiled, parts_for

__all__ = ["PARTS", "ensure_compiled", "is_compiled", "parts_for"]
