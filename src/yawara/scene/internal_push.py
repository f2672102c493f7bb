"""The extra internal forces of "model 3" (Nogami et al. 2003): what a push squeezes out between tool and floor.

Nogami et al. 2003, section 2.4; Noborio et al. 2003 (Eurographics), section 2.4 and fig. 5. The papers' vertical is the
normal of the pushed face here, and their floor is the opposite face, so that any face can be pushed. Lengths are in cells.

What the papers leave open (their figures are the only source for some of it), and what is done here:
- A point next to several touched ones counts once, by its nearest: weight 2 at one cell, 1 at a face's diagonal, 0 further away.
  Touched points themselves get nothing.
- The floor is the whole opposite face ("the whole floor"). Its neighbours are the layer above it, all at one cell.
- The weight is the length of the force before it is split into components; each component is scaled by itself afterwards.
- "The sum of the extra forces is that of the external ones, by component, magnitudes only": a force along one axis gives this sum to every
  component of its extra forces. Were it meant axis by axis, a vertical push would have no sideways forces at all.
- The floor's force is taken to be the tool's at the same time, as in a slow push of a body without weight.
- G lies under the middle of the contact along the face's normal, whatever the direction of the force, as in fig. 5.
- A sideways push is answered against its own direction, in both sets ("the opposite force of the X-component of the active force").
- A force away from the body draws in what a push presses out.
- Between two entries of the force's table the extra forces are interpolated as the force is. For a sideways force that changes its sign
  in between, this is not quite its magnitude.
- Whatever does not cancel, above all the tool set's components along the push, is carried by the points of the floor, in equal parts. They
  are held in the papers, so that nothing changes in the motion; but the floor then bears the tool's force, no more and no less, and
  the extra forces add no momentum, wherever the tool is. Angular momentum they leave alone only if the push is symmetric.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from yawara.kernels.kinds import Floats

NEAR, DIAGONAL = 2.0, 1.0  # ratio of the forces at distance l and sqrt(2) l


def neighbour_weights(touched: NDArray[np.bool_]) -> Floats:
    """Weight of every point (nx, ny, nz) that is next to a touched one."""
    padded = np.pad(touched, 1)
    weights = np.zeros(touched.shape)
    for offset in product((-1, 0, 1), repeat=3):
        weight = {1: NEAR, 2: DIAGONAL}.get(sum(step * step for step in offset), 0.0)
        window = tuple(slice(1 + step, 1 + step + count) for step, count in zip(offset, touched.shape, strict=True))
        weights = np.maximum(weights, weight * padded[window])
    return np.where(touched, 0.0, weights)


def outward_forces(weights: Floats, centre: Floats) -> Floats:
    """From the centre G to each point, (point_count, 3) in the order of points; magnitudes of each component sum to 1, or are all 0."""
    away = in_order(np.moveaxis(np.indices(weights.shape), 0, -1)) - centre
    distance = np.linalg.norm(away, axis=1)
    forces = away * (in_order(weights) / np.where(distance > 0.0, distance, 1.0))[:, None]
    total = np.abs(forces).sum(axis=0)
    return forces / np.where(total > 0.0, total, 1.0)


def extra_forces(touched: NDArray[np.bool_], centre: Floats, axis: int, side: int, force: Floats) -> Floats:
    """[N], (entry_count, point_count, 3), for each whole force of the tool [N], (entry_count, 3).

    `touched` is (nx, ny, nz), `centre` is G in cells; the pushed face is at the `side` (-1 or +1) of `axis`.
    """
    on_floor = np.zeros_like(touched)
    np.moveaxis(on_floor, axis, 0)[0 if side > 0 else -1] = True
    tool, floor = (outward_forces(neighbour_weights(mask), centre) for mask in (touched, on_floor))
    floor[:, axis] = 0.0  # "only F_x and F_z" at the floor
    outward, opposed = tool + floor, np.abs(tool) + np.abs(floor)

    sideways = np.array(force)
    sideways[:, axis] = 0.0
    pressing = -side * force[:, axis]
    # component d follows from the press and from the magnitude of what pushes along the other sideways axis
    across = pressing[:, None] + np.abs(sideways).sum(axis=1, keepdims=True) - np.abs(sideways)
    extra: Floats = across[:, None, :] * outward - sideways[:, None, :] * opposed
    floor_points = in_order(on_floor)
    extra[:, floor_points] -= extra.sum(axis=1, keepdims=True) / np.count_nonzero(floor_points)
    return extra


def in_order(grid: NDArray) -> NDArray:  # type: ignore[type-arg]
    """Of (nx, ny, nz, ...), one row per point, x running fastest as in every body."""
    return np.moveaxis(grid, (0, 1, 2), (2, 1, 0)).reshape(-1, *grid.shape[3:])
