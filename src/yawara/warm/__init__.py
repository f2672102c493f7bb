"""Compiles kernels in processes of their own, before the first run that needs them on a machine, and says so.

A process that has just compiled a kernel may round its last bit differently from one that loads it from the cache (the linker then picks
among several compiled copies of the same function). So that the first run gives the same bits as all later ones, a process never runs
kernels that it compiled.

Each kernel is compiled by itself, by whoever holds its lock. The system keeps the lock: it goes with the process, however that ends, and so
does a compiling process with the one that started it. What a scene does not need is not compiled, and a change in one force term
compiles that term.
"""

from yawara.warm.crew import ensure_compiled
from yawara.warm.everything import all_kernels
from yawara.warm.needed import needed_kernels, note_kernels

__all__ = ["all_kernels", "ensure_compiled", "needed_kernels", "note_kernels"]
