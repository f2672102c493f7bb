"""The masses that contacts act on."""

import numpy as np

from yawara.core.geometry import Geometry
from yawara.core.piece import Request
from yawara.kernels.kinds import Floats


def effective_inverse_mass(geometry: Geometry, mass: Floats) -> Floats:
    """[1/kg]: of an embedded node, sum of w^2 / m over its hosts."""
    own = 1.0 / mass[: len(geometry.position)]
    return np.concatenate([own, *((kind.weight**2 * own[kind.host]).sum(axis=1) for kind in geometry.embedded)])


def body_masses(request: Request) -> list[float]:
    """[kg]"""
    return [float(piece.mass.sum()) for piece in request.pieces]
