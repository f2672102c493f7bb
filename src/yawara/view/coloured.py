"""Surfaces whose colours stand for values, above the plain ones.

The browser's library can move a mesh's vertices but not recolour them, so a coloured surface is sent as a whole file, a few times
per second. It shows nothing while it reads a file; two places are used in turn, and the old one goes when the new one can be seen.
"""

import numpy as np
import viser

from yawara.clock import REAL
from yawara.kernels.kinds import Floats
from yawara.live.messages import Skin
from yawara.observe.export.glb import GlbMesh, still
from yawara.view.colours import colours_of

PERIOD = 0.12  # [s] between two pictures
READING = 0.06  # [s] that a browser takes to read one
MATT = 0.95  # roughness: colours are to be read, not to shine


def coloured_file(skin: Skin, vertices: Floats, values: Floats, low: float, high: float) -> bytes:
    """GLB of a surface with a colour per vertex, from `low` to `high`; vertices in units of the drawing, whose z is up."""
    colours = np.c_[colours_of(values, low, high), np.full(len(vertices), 255, np.uint8)]
    mesh = GlbMesh(skin.name, vertices[None], skin.triangles, colours=colours, roughness=MATT, both_sides=False)
    return still([mesh], y_up=False)


class Coloured:
    """One body's coloured surface."""

    def __init__(self, scene: viser.SceneApi, name: str, skin: Skin) -> None:
        self._scene, self._name, self._skin = scene, name, skin
        self._places: list[viser.GlbHandle] = []
        self._newest = 0
        self._drawn = 0.0  # [s], of the clock

    def show(self, vertices: Floats, values: Floats, low: float, high: float) -> None:
        """To be called for every view; draws some of them. Vertices in units of the drawing."""
        now = REAL.now()
        if now - self._drawn >= PERIOD:
            self._drawn = now
            self._put(coloured_file(self._skin, vertices, values, low, high))
        elif now - self._drawn >= READING and len(self._places) == 2 and self._places[1 - self._newest].visible:
            self._places[1 - self._newest].visible = False

    def remove(self) -> None:
        """Back to the plain surface."""
        for place in self._places:
            place.remove()
        self._places = []

    def _put(self, content: bytes) -> None:
        if len(self._places) < 2:
            name = f"{self._name}/{len(self._places)}"
            self._newest = len(self._places)
            self._places.append(self._scene.add_glb(name, content, cast_shadow=False, receive_shadow=False))
            return
        self._newest = 1 - self._newest
        self._places[self._newest].glb_data = content
        self._places[self._newest].visible = True
