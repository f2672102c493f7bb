"""Follows the quickest vibration of every body while it deforms.

Links turn and tighten: a stretched lattice has its links side by side, and vibrates up to twice as fast as at rest. So the step that was
stable at rest need not stay so. A power iteration goes along with the run, a little at a time, starting each time from the mode it has
found so far; how much quicker than at rest that mode is divides the stable step. Mode and pace are part of the state, so that a resumed
run takes the same steps.
"""

from typing import NamedTuple

import numpy as np
from numba import uint64 as U
from numpy.typing import NDArray

from yawara.forces.followers import follow, hand_on
from yawara.forces.operator import apply, measure_along
from yawara.forces.terms import more_scratch
from yawara.held import Held, hold
from yawara.integrators.advance import whole
from yawara.jit import kernel
from yawara.model import Floats, KernelArrays
from yawara.state import State

ITERATIONS = 2  # per look
FRESH = 0.05  # share of noise that is mixed in, so that a mode that becomes the quickest later is found
MARGIN = 1.05  # the iteration approaches the eigenvalue from below


@kernel
def apply_all(model, whole_share, operator, points, u, result, partial):
    """result = M^-1 B u, all guards included, followers taken along; sets the followers in u."""
    arrays, shares, slopes = model.content, whole_share.content, operator.content
    buffers = more_scratch()
    result[:] = 0.0
    follow(arrays.follower, U(0), U(arrays.follower.working[0]), u, U(4))
    me, threads, everyone = np.int64(0), np.int64(1), np.bool_(True)  # a literal argument would compile them once more
    measure_along(me, arrays, shares, points, u, partial)
    apply(me, threads, arrays, shares, points, slopes, everyone, u, result, U(0), partial, buffers)
    hand_on(arrays.follower, result, U(0))
    for p in range(U(arrays.point.inverse_mass.size)):
        for axis in range(U(3)):
            result[U(4) * p + axis] *= arrays.point.inverse_mass[p]


class PowerIteration:
    """Turns vectors towards the quickest vibration of every body at once."""

    def __init__(self, arrays: KernelArrays, first_point: NDArray[np.int64]) -> None:
        """`first_point` (body_count,), of each body."""
        self.arrays, self.shares, self.first = hold(arrays), hold(whole(arrays)), 4 * first_point
        self.point_count = len(arrays.point.mass)
        self.count = np.diff(np.append(self.first, 4 * self.point_count))
        self.mass = np.repeat(arrays.point.mass, 4)
        self.partial = np.empty(len(arrays.surface.rest))

    def norms(self, u: Floats) -> Floats:
        """Of each body's part, in the norm in which the operator is symmetric."""
        with np.errstate(over="ignore", invalid="ignore"):  # noticed by those who use them
            return np.sqrt(np.add.reduceat(self.mass * u * u, self.first))

    def unit(self, u: Floats) -> Floats:
        return u / np.repeat(self.norms(u) + 1e-300, self.count)

    def noise(self, seed: int) -> Floats:
        noise = np.random.default_rng(seed).standard_normal((self.point_count, 4))
        noise[:, 3] = 0.0
        return self.unit(noise.reshape(-1))

    def turn(self, points: Floats, slopes: Held, u: Floats) -> tuple[Floats, Floats]:
        """The product with the operator that has these `Slopes`, and by how much it lengthened each body's part."""
        result = np.empty_like(u)
        before = self.norms(u)
        apply_all(self.arrays, self.shares, slopes, points.reshape(-1), u, result, self.partial)
        return result, self.norms(result) / (before + 1e-300)


class Watch(NamedTuple):
    """The operator of all force terms, scaled so that the quickest vibration at rest has 1 at most."""

    iteration: PowerIteration
    slopes: Held
    mode: Floats  # (point_count, 4): what the iteration at rest has found

    def look(self, state: State) -> None:
        """Go on with the iteration at the current positions and update `state.mode` and `state.pace`."""
        iteration = self.iteration
        fresh = FRESH * iteration.noise(state.step_count)
        u, pace = state.mode.reshape(-1), 1.0
        for _ in range(ITERATIONS):
            u, growth = iteration.turn(state.points, self.slopes, iteration.unit(u) + fresh)
            pace = MARGIN * float(growth.max())
        state.mode[...] = iteration.unit(u).reshape(-1, 4)
        state.pace[0] = pace if 1.0 < pace < np.inf else 1.0  # a state that is no longer finite is the loop's to notice
