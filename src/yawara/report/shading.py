"""Light on surfaces."""

import numpy as np
from numpy.typing import NDArray

from yawara.report.camera import Camera

Floats = NDArray[np.float64]

MIDDLE = 0.62  # brightness at which a body shows its own colour


def light(camera: Camera) -> Floats:
    """Unit vector to the lamp: above, to the left of the eye and a little before the scene."""
    above = np.array([0.0, 0.0, 1.0]) if camera.toward[2] < 0.95 else camera.toward
    direction = 1.0 * above - 0.5 * camera.right + 0.55 * camera.toward
    return np.asarray(direction / np.linalg.norm(direction))


def brightness(normal: Floats, height: Floats, camera: Camera) -> Floats:
    """From 0 to 1 for each face; `height` is that above the ground, as a share of the bounds: near the ground it is darker."""
    lamp = np.clip(normal @ light(camera), 0.0, None)
    sky = 0.5 + 0.5 * normal[:, 2]
    contact = 0.82 + 0.18 * np.clip(4.0 * height, 0.0, 1.0)
    return np.clip((0.12 + 0.70 * lamp + 0.18 * sky) * contact, 0.0, 1.0)


def softened(bright: Floats) -> Floats:
    """Light and shade that leave colours about as they are."""
    return MIDDLE + 0.4 * (bright - MIDDLE)


def shaded(colour: Floats, bright: Floats) -> Floats:
    """Colours (count, 3) from a cool dark over the body's own to a warm light tone."""
    dark = 0.48 * colour + np.array([0.02, 0.02, 0.05])
    pale = colour + 0.32 * (1.0 - colour)
    lower, upper = np.clip(bright / MIDDLE, 0.0, 1.0)[:, None], np.clip((bright - MIDDLE) / (1 - MIDDLE), 0.0, 1.0)[:, None]
    return np.asarray(dark + lower * (colour - dark) + upper * (pale - colour))
