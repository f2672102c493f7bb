"""Where the camera stands at the beginning."""

import numpy as np

from yawara.kernels.kinds import Floats

FIELD = float(np.radians(42.0))  # of view, upright
ASPECT = 1.15  # width over height of a usual window beside the panel
FILLED = 0.66  # of the window, by the bodies
SIGHT = np.array([1.5, -3.6, 2.2]) / np.linalg.norm([1.5, -3.6, 2.2])  # towards the camera: from the front, somewhat above


def distance_to_see(places: Floats) -> float:
    """How far along `SIGHT` to stand, so that places about the middle of the picture fill it, but not too much."""
    right = np.cross([0.0, 0.0, 1.0], SIGHT)
    right /= np.linalg.norm(right)
    slope = FILLED * np.tan(FIELD / 2)
    # |x| <= slope aspect (distance - depth), likewise y: the smallest distance at which it holds for all of them
    aside = np.abs(places @ right) / (slope * ASPECT)
    above = np.abs(places @ np.cross(SIGHT, right)) / slope
    return float((places @ SIGHT + np.maximum(aside, above)).max())
