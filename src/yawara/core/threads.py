"""How the threads of a kernel share the points: each adds forces to a buffer of its own, meets the others, and collects.

Buffers are all zero between force phases: whoever consumes an entry resets it. Sums run in a fixed order, so a thread count fixes the
result bit for bit.
"""

import numpy as np
from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.kernels.meeting import meet

LINE = 8  # numbers in a cache line: threads' places in shared arrays
SUMS = 4  # places for sums over threads; in turn, so that nobody overwrites what another still reads


@inner
def wait(ctx):
    """Meet the other threads; False if one of them called it off. `rounds` counts the meetings."""
    if ctx.threads == 1:
        return True
    rounds = ctx.rounds
    rounds[ctx.me * LINE] += 1
    return meet(ctx.meeting, ctx.threads, rounds[ctx.me * LINE])


@inner
def collect(ctx):
    """Once all have added theirs: add what other threads left for the own points to the own buffer, thread by thread."""
    forces, own, size = ctx.forces, ctx.own, U(4) * U(ctx.mass.size)
    for other in range(ctx.threads):
        if other != ctx.me:
            begin = max(ctx.begin, U(ctx.touched_begin[other]))
            end = min(ctx.end, U(ctx.touched_end[other]))
            base = U(other) * size
            for c in range(U(4) * begin, U(4) * end):
                forces[own + c] += forces[base + c]
                forces[base + c] = 0.0


@inner
def gather(ctx):
    """All threads' contributions to the own points, in the own buffer; False if the threads parted."""
    if ctx.threads == 1:
        return True
    if not wait(ctx):
        return False
    collect(ctx)
    return True


@inner
def _tell_all(ctx, sums, value):
    """Shows the thread's value to the others; where all their values begin, or -1 if they parted."""
    place = (ctx.rounds[ctx.me * LINE] % SUMS) * ctx.threads
    sums[(place + ctx.me) * LINE] = value
    return place if wait(ctx) else -1


@inner
def total_of_all(ctx, sums, value):
    """The sum over all threads, in their order; NaN if they parted, which ends every loop. `sums` (SUMS * threads * LINE,)."""
    if ctx.threads == 1:
        return value
    place, total = _tell_all(ctx, sums, value), 0.0
    for thread in range(ctx.threads):
        total += sums[(place + thread) * LINE] if place >= 0 else np.nan
    return total


@inner
def largest_of_all(ctx, sums, value):
    """The largest of all threads' values; NaN if they parted."""
    if ctx.threads == 1:
        return value
    place, most = _tell_all(ctx, sums, value), value
    for thread in range(ctx.threads):
        most = max(most, sums[(place + thread) * LINE]) if place >= 0 else np.nan
    return most


@inner
def ask_to_stop(ctx):
    """End the call after this step."""
    ctx.stop[ctx.me * LINE] = 1.0


@inner
def asks_to_stop(ctx):
    """Whether a term of any thread asked to end the call."""
    stop, total = ctx.stop, 0.0
    for thread in range(ctx.threads):
        total += stop[thread * LINE]
    return total > 0.0
