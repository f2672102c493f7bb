"""The table that the bodies lie on, with a soft shadow below them.

A picture on a plane: it costs the same on a laptop without a graphics processor, where true shadows take nine tenths of the time.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from yawara.kernels.kinds import Floats
from yawara.live.messages import Skin

HALF = 5.0  # units of the drawing, from the middle to the edge
PIXELS, COARSE = 256, 128  # of the picture, and of the shadow, which is soft anyway
WARM_GREY = np.array([203.0, 194.0, 183.0])
BACKDROP = np.array([238.0, 234.0, 228.0])  # the page behind the scene: the table fades into it
DARKEST = 0.55  # share of light that the shadow takes away
SOFT = 0.11  # units: spread of the shadow right below a body
TINT = np.array([0.9, 0.97, 1.05])  # shadows are a little cooler than the light
SAMPLES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [1 / 3, 1 / 3, 1 / 3]])


def is_table(vertices: Floats, bodies: tuple[Skin, ...]) -> bool:
    """Whether a thing [m] lies below the bodies and is wider than all of them together."""
    if not bodies:
        return False
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    places = np.concatenate([body.vertices for body in bodies])
    wide = (high - low)[:2] > 1.5 * np.ptp(places[:, :2], axis=0)
    return bool(wide.all() and high[2] <= places[:, 2].mean())


def bare_table() -> NDArray[np.float64]:
    """(PIXELS, PIXELS, 3): warm grey that fades into the backdrop."""
    place = np.linspace(-1, 1, PIXELS)
    distance = np.hypot(place[:, None], place[None, :])
    fade = np.clip((distance - 0.35) / 0.6, 0.0, 1.0)
    fade = (fade * fade * (3 - 2 * fade))[..., None]
    return WARM_GREY * (1 - fade) + BACKDROP * fade


def shade(table: NDArray[np.float64], places: Floats, triangles: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The table below bodies, whose vertices are given in units of the drawing above it."""
    pixel = 2 * HALF / COARSE
    touch = ndimage.gaussian_filter(_footprint(places, triangles, limit=0.35), SOFT / pixel)
    light = ndimage.gaussian_filter(_footprint(places, triangles, limit=np.inf), 4 * SOFT / pixel)
    dark = DARKEST * np.clip(0.75 * touch + 0.45 * light, 0.0, 1.0).astype(np.float32)
    fine = ndimage.zoom(dark, PIXELS / COARSE, order=1, grid_mode=True, mode="nearest")[..., None]
    return np.clip(table * (1 - fine * TINT), 0, 255).astype(np.uint8)


def _footprint(places: Floats, triangles: NDArray[np.int64], *, limit: float) -> NDArray[np.float64]:
    """(COARSE, COARSE): 1 in pixels below triangles that are lower than the limit; sampled at their corners and inside."""
    corners = places[triangles]
    corners = corners[corners[..., 2].min(axis=1) < limit]
    points = np.einsum("sc,tcx->tsx", SAMPLES, corners[..., :2]).reshape(-1, 2)
    column, row = ((points * [1, -1] + HALF) / (2 * HALF) * COARSE).astype(int).T
    inside = (column >= 0) & (column < COARSE) & (row >= 0) & (row < COARSE)
    result = np.zeros((COARSE, COARSE), dtype=bool)
    result[row[inside], column[inside]] = True
    return ndimage.binary_closing(result).astype(float)
