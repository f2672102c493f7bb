"""The scratch of the implicit scheme: vectors of its linear systems, and the slopes of what is linear."""

import numpy as np

from yawara.forces.operator import Slopes, no_slopes
from yawara.integrators.advance import ACCOUNT_STRIDE
from yawara.integrators.implicit_advance import SUMS, Solver
from yawara.model import KernelArrays, Model

SMALL = 1e-13  # of the scene's size


def new_solver(model: Model, threads: int) -> Solver:
    slopes = no_slopes(model.arrays)._replace(transverse=np.zeros(len(model.arrays.link.start)))
    size = float(np.ptp(model.rest_position, axis=0).max() + np.abs(model.rest_position).max())
    residual, direction, change, inverse, inertia, free = np.zeros((6, 4 * model.point_count))
    return Solver(
        residual,
        direction,
        change,
        inverse,
        inertia,
        free,
        np.zeros(SUMS * threads * ACCOUNT_STRIDE),
        slopes,
        np.array([SMALL * size]),
        np.zeros(3),
    )


def set_linear_slopes(slopes: Slopes, arrays: KernelArrays, dt: float) -> None:
    """Of pressures and guards, for steps of `dt` [s]; links find theirs as they go."""
    for cells, pressure, guard in (
        (arrays.tetrahedron, slopes.tetrahedron, slopes.tetrahedron_guard),
        (arrays.triangle, slopes.triangle, slopes.triangle_guard),
    ):
        pressure[:] = (cells.a * dt + cells.b) / (1.0 + dt * cells.a * cells.phi)
        guard[:] = cells.stiffness * dt + cells.damping
    slopes.surface[:] = arrays.surface.stiffness * dt + arrays.surface.damping
