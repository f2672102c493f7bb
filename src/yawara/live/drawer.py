"""The tools that a hand can take. What is not in the hand waits, and touches nothing."""

from typing import Any

import numpy as np

from yawara.checks import SceneError
from yawara.kernels.kinds import Floats
from yawara.materials.material import Material
from yawara.scene.compile import refuse_unbuildable
from yawara.scene.file import read_scene
from yawara.scene.scene import Output, Scene
from yawara.scene.tools.motion import ByHand
from yawara.tools.contact import Method

ABOVE = 0.5  # of the bodies' size: where tools wait
NEXT_TO_NOTHING = 1e-6  # of Young's modulus
# Of the heaviest body's mass, that of a tool without one of its own: light for the hand, but heavier than the surface nodes that it
# touches, so that it is not thrown about by them and their impulses are found in a few sweeps.
TOOL_MASS = 0.05
BY_HAND = {"type": "hand", "shown": False}


def hand_tools(scene: Scene) -> dict[str, tuple[str, ...]]:
    """Entries of the drawer, and the tools that each consists of: 'fingers' are 'finger_1' and 'finger_2'."""
    entries: dict[str, tuple[str, ...]] = {}
    for name, tool in scene.tool.items():
        if isinstance(tool.motion, ByHand):
            stem, _, number = name.rpartition("_")
            entry = f"{stem}s" if stem and number.isdigit() else name
            entries[entry] = (*entries.get(entry, ()), name)
    return entries


def body_bounds(scene: Scene) -> Floats:
    """(2, 3) [m], of all bodies at rest. SceneError if they cannot be built."""
    refuse_unbuildable(scene)
    places = np.concatenate([body.geometry().position + body.origin for body in scene.body.values()])
    return np.stack([places.min(axis=0), places.max(axis=0)])


def touchable(scene: Scene, tick: float) -> Scene:
    """The scene with ticks for frames, all that sliders turn, and tools to take if it has none that a hand moves."""
    if scene.contact is not None and scene.contact.method is Method.BOUNCE:
        what = "must not be 'bounce' where a hand touches bodies (got that), since bounces push no tool back; use 'impulse'"
        raise SceneError([("contact.method", what)])
    bounds = body_bounds(scene)
    data = scene.model_dump(exclude_none=True)
    data["time"] = {**data["time"], "frame": tick, "step": tick, "end": 3600.0, "threads": data["time"].get("threads") or 1}
    data["output"] = Output(positions=False, energies=False, report=False).model_dump()
    for name, body in scene.body.items():
        if body.volume is not None or body.family.any_poisson:
            continue
        if isinstance(body.material, Material) and body.geometry().dimension > 1:
            # so that the slider finds something to turn: a pressure that comes or goes would be another model
            data["body"][name]["volume"] = {"cavity": NEXT_TO_NOTHING * body.material.youngs}
    if not hand_tools(scene):
        data["tool"] = {**data.get("tool", {}), **_usual_tools(bounds)}
    return _with_masses(read_scene(data))


def _with_masses(scene: Scene) -> Scene:
    """Tools that a hand pushes need one."""
    mass = TOOL_MASS * max(float(body.point_mass(body.geometry()).sum()) for body in scene.body.values())
    given = {
        name: tool.model_copy(update={"mass": mass}) if isinstance(tool.motion, ByHand) and tool.mass is None else tool
        for name, tool in scene.tool.items()
    }
    return scene.model_copy(update={"tool": given})


def _usual_tools(bounds: Floats) -> dict[str, Any]:
    """A ball, a plate, two fingers and a roller, as large as suits the bodies."""
    size, middle = bounds[1] - bounds[0], bounds.mean(axis=0)
    wide = float(max(size[:2]))
    tools: dict[str, Any] = {
        "ball": {"shape": "sphere", "radius": 0.18 * wide},
        "plate": {"shape": "plate", "size": [0.55 * wide, 0.55 * wide, 0.15 * wide]},
        "finger_1": {"shape": "sphere", "radius": 0.09 * wide},
        "finger_2": {"shape": "sphere", "radius": 0.09 * wide},
        "roller": {
            "shape": "cylinder",
            "radius": 0.17 * wide,
            "length": 1.5 * wide,
            "rotation": [0.0, 0.0, float(np.pi / 2)],
            "mass": 0.3,
            "turn": {"type": "free"},
        },
    }
    for tool in tools.values():
        tool["origin"] = [float(middle[0]), float(middle[1]), float(bounds[1][2] + ABOVE * size.max())]
        tool["motion"] = BY_HAND
    return tools
