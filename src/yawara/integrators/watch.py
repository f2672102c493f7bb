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

from yawara.jit import kernel
from yawara.model import Floats, Indices, Model
from yawara.state import State

ITERATIONS = 2  # per look
FRESH = 0.05  # share of noise that is mixed in, so that a mode that becomes the quickest later is found
MARGIN = 1.05  # the iteration approaches the eigenvalue from below


class WatchArrays(NamedTuple):
    """The link operator, scaled so that the quickest vibration at rest has 1."""

    start: Indices  # (link_count,)
    end: Indices  # (link_count,)
    coefficient: Floats  # (link_count,), in units of the body's largest eigenvalue at rest
    mode: Floats  # (point_count, 3): what the iteration at rest has found
    first_point: NDArray[np.int64]  # of each body, (body_count,)


@kernel
def apply_links(start, end, points, coefficient, inverse_mass, u, result):
    """result = M^-1 sum_links coefficient dir (dir . (u_start - u_end)), 3 entries per point; directions from `points`, 8 entries each."""
    result[:] = 0.0
    for n in range(U(start.size)):
        p, q = U(8) * U(start[n]), U(8) * U(end[n])
        a, b = U(3) * U(start[n]), U(3) * U(end[n])
        dx, dy, dz = points[q] - points[p], points[q + U(1)] - points[p + U(1)], points[q + U(2)] - points[p + U(2)]
        along = dx * (u[a] - u[b]) + dy * (u[a + U(1)] - u[b + U(1)]) + dz * (u[a + U(2)] - u[b + U(2)])
        f = coefficient[n] * along / (dx * dx + dy * dy + dz * dz + 1e-300)
        result[a] += f * dx
        result[a + U(1)] += f * dy
        result[a + U(2)] += f * dz
        result[b] -= f * dx
        result[b + U(1)] -= f * dy
        result[b + U(2)] -= f * dz
    for p in range(U(inverse_mass.size)):
        for axis in range(U(3)):
            result[U(3) * p + axis] *= inverse_mass[p]


def look(model: Model, watch: WatchArrays, state: State) -> None:
    """Go on with the iteration at the current positions and update `state.mode` and `state.pace`."""
    mass, inverse_mass = np.repeat(model.arrays.point.mass, 3), model.arrays.point.inverse_mass
    first = 3 * watch.first_point
    count = np.diff(np.append(first, 3 * model.point_count))
    noise = np.random.default_rng(state.step_count).standard_normal(3 * model.point_count)
    u, result = state.mode.reshape(-1), np.empty(3 * model.point_count)
    pace = 1.0
    for _ in range(ITERATIONS):
        u = _unit(u, mass, first, count) + FRESH * _unit(noise, mass, first, count)
        apply_links(watch.start, watch.end, state.points.reshape(-1), watch.coefficient, inverse_mass, u, result)
        pace = MARGIN * float(np.max(_norms(result, mass, first) / _norms(u, mass, first)))
        u = result.copy()
    state.mode[...] = _unit(u, mass, first, count).reshape(-1, 3)
    state.pace[0] = pace if 1.0 < pace < np.inf else 1.0  # a state that is no longer finite is the loop's to notice


def _norms(u: Floats, mass: Floats, first: NDArray[np.int64]) -> Floats:
    """Of each body's part, in the norm in which the operator is symmetric."""
    return np.sqrt(np.add.reduceat(mass * u * u, first))


def _unit(u: Floats, mass: Floats, first: NDArray[np.int64], count: NDArray[np.int64]) -> Floats:
    return u / np.repeat(_norms(u, mass, first) + 1e-300, count)
