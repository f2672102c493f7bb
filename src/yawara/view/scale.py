"""Metres to units of the drawing, and back.

Arrows, near planes and shadows of the browser's library are made for things of about one unit; a lump of dough has a tenth of that.
"""

from dataclasses import dataclass

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.live.messages import Shapes, Vector

SIZE = 2.0  # units, of the bodies' longest side


@dataclass(frozen=True)
class Scale:
    """A drawing whose origin lies on the table below the middle of the bodies."""

    units_per_metre: float
    origin: Floats  # [m], (3,)

    def draw(self, places: Floats) -> Floats:
        """From metres in the world."""
        return (np.asarray(places) - self.origin) * self.units_per_metre

    def world(self, place: tuple[float, float, float]) -> Vector:
        """[m], from units of the drawing."""
        x, y, z = np.asarray(place) / self.units_per_metre + self.origin
        return float(x), float(y), float(z)


def scale_of(shapes: Shapes) -> Scale:
    """The bodies as they are at the beginning fill the drawing."""
    if not shapes.bodies:
        return Scale(SIZE / 0.1, np.zeros(3))
    places = np.concatenate([body.vertices for body in shapes.bodies])
    low, high = places.min(axis=0), places.max(axis=0)
    longest = max(float((high - low).max()), 1e-6)
    return Scale(SIZE / longest, np.array([*(low + high)[:2] / 2, low[2]]))
