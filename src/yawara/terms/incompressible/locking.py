"""Whether constraints leave a body enough freedom: counts against coordinates, and the rank where that is cheap to find.

One constraint per triangle or tetrahedron takes nearly all freedom from a mesh, which is then far too stiff: it locks. In a continuum one
equation of volume stands beside two equations of motion in a plane, and three in space; a mesh should have about as many coordinates per
constraint.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from yawara.core.control import Control
from yawara.core.model import BodyRange
from yawara.kernels.kinds import Booleans, Floats, Words
from yawara.meshes.facets import cell_sizes
from yawara.terms.incompressible.groups import Group

ENOUGH = 4.0 / 3.0  # free coordinates per constraint: less is told
SMALL = 300_000  # constraints times coordinates, up to which the rank is looked for: a tenth of a second


@dataclass(frozen=True)
class Freedom:
    """Of one body, while all of its drives and fixes hold."""

    constraints: int
    coordinates: int  # that are free
    rank: int | None  # of the constraints' gradients; None if nobody looked
    unheld: int | None  # the same, if nothing were held

    @property
    def modes(self) -> int:
        """Free modes that are left, at least."""
        return self.coordinates - (min(self.constraints, self.coordinates) if self.rank is None else self.rank)

    @property
    def locks(self) -> bool:
        return self.coordinates < ENOUGH * self.constraints

    @property
    def repeated(self) -> int:
        """Constraints that say nothing new as points are held. Those that repeat others anyway never contradict them."""
        return 0 if self.rank is None or self.unheld is None else self.unheld - self.rank


def freedom_of(group: Group, body: BodyRange, control: Control, rest_position: Floats) -> Freedom:
    free = _free(body, control)
    coordinates = int(free.sum())
    if group.count * coordinates > SMALL:
        return Freedom(group.count, coordinates, None, None)
    gradients = _gradients(group, rest_position)
    rank = _rank(gradients, np.flatnonzero(free))
    if rank == group.count:
        return Freedom(group.count, coordinates, rank, rank)
    points = np.unique(group.corner)
    return Freedom(group.count, coordinates, rank, _rank(gradients, (3 * points[:, None] + np.arange(3)).ravel()))


def _rank(gradients: csr_array, coordinates: Words) -> int:
    rows = gradients[:, coordinates].toarray()
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(rows / np.maximum(size, 1e-300))) if rows.size else 0


def _free(body: BodyRange, control: Control) -> Booleans:
    """(3 * point_count,): whether a coordinate is one of the body's, and nobody ever holds it."""
    free = np.zeros((control.point_count, 3), bool)
    free[body.point_begin : body.mass_end, : body.dimension] = True
    for drive in control.drives:
        free[np.ix_(drive.points, np.flatnonzero(drive.axes))] = False
    return free.ravel()


def _gradients(group: Group, position: Floats) -> csr_array:
    """(constraint_count, 3 * point_count), at rest."""
    corner = group.corner
    step = float(np.ptp(position[corner], axis=1).max())  # any will do: volumes are linear in each coordinate
    rows, columns, values = [], [], []
    for n in range(corner.shape[1]):
        for axis in range(corner.shape[1] - 1):
            slope = (
                group.thickness
                * (_moved(position, corner, n, axis, step) - _moved(position, corner, n, axis, -step))
                / (2 * step)
            )
            rows.append(group.of)
            columns.append(3 * corner[:, n] + axis)
            values.append(slope)
    shape = (group.count, 3 * len(position))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(entries, shape=shape)


def _moved(position: Floats, corner: Words, n: int, axis: int, step: float) -> Floats:
    """Sizes of the elements, were the n-th corner of each elsewhere."""
    places = position[corner].copy()
    places[:, n, axis] += step
    return cell_sizes(places.reshape(-1, 3), np.arange(corner.size).reshape(corner.shape))


def told(group: Group, freedom: Freedom) -> str | None:
    """What the user is told, if anything."""
    counts = f"body.{group.name}.incompressible: {freedom.constraints} constraints on {freedom.coordinates} free coordinates"
    left = f"leave {freedom.modes} free modes, or a few more"
    if freedom.rank is not None:
        left = f"have the rank {freedom.rank}: {freedom.modes} free modes left"
    remedy = f"use per = {' or '.join(repr(one) for one in group.coarser())}"
    if freedom.locks:
        return (
            f"{counts} {left}. The body locks: it is far stiffer than its material, and where it is led against its constraints they "
            f"cannot all be met; {remedy}."
        )
    if freedom.repeated:
        return (
            f"{counts} {left}. {freedom.repeated} of them only repeat others; where the body is led so that these contradict each other, "
            f"not all can be met; then {remedy}."
        )
    return None
