"""Whether a mesh has the size of a thing one can knead: most errors in it are errors of unit."""

import numpy as np

from yawara.meshes.errors import MeshError, count_of
from yawara.meshes.rows import Floats, diagonal

SMALLEST, SMALL, LARGE, LARGEST = 1e-4, 1e-3, 5.0, 100.0  # [m]
FARTHEST = 1e9  # [m]: coordinates beyond cannot be computed with
UNITS = (("mm", 1e-3), ("um", 1e-6))  # in m


def check_coordinates(position: Floats) -> None:
    """Refuse points that are nowhere, or further away than anything on earth."""
    if broken := int(np.count_nonzero(~np.isfinite(position).all(axis=1))):
        raise MeshError(f"{count_of(broken, 'point has', 'points have')} coordinates that are not finite; write the file again")
    if (farthest := float(np.abs(position).max(initial=0.0))) > FARTHEST:
        raise MeshError(f"coordinates must be within {FARTHEST:g} m (got {farthest:g} m); check the file and its unit")


def check_size(position: Floats, what: str) -> tuple[str, ...]:
    """Refuse what is below 0.1 mm or beyond 100 m across; a notice for what is unusual."""
    across = diagonal(position)
    if SMALL <= across <= LARGE:
        return ()
    found = f"{what} is {across:.4g} m across"
    if across > LARGE:
        unit, factor = next(((unit, factor) for unit, factor in UNITS if across * factor <= LARGE), UNITS[-1])
        remedy = f'if its file is written in {unit}, say unit = "{unit}" ({across * factor:.4g} m)'
    else:
        remedy = 'if its file is written in m, say unit = "m"; if it was scaled, check the scale'
    if not SMALLEST <= across <= LARGEST:
        raise MeshError(f"{found}, and must be between {SMALLEST:g} m and {LARGEST:g} m; {remedy}")
    return (f"{found}, which is unusual; {remedy}.",)
