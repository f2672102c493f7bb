"""Models that are filled with new numbers from one evaluation to the next, instead of being built anew."""

import threading

from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.refill import refill
from yawara.scene.scene import Scene

KEPT = 4  # models of different shapes, as a fit has several experiments

_mine = threading.local()


def compiled_for_now(scene: Scene) -> Compiled:
    """The scene compiled; its model may serve the next one that is asked for in this thread. SceneError as from `compile_scene`."""
    kept: list[Compiled] = _mine.__dict__.setdefault("kept", [])
    for n, one in enumerate(kept):
        if (found := refill(one, scene)) is not None:
            del kept[n]
            break
    else:
        found = compile_scene(scene)
    kept[:] = [found, *kept][:KEPT]
    return found
