"""Soft bodies on a table, ready to touch. The numbers are plausible, not measured: chosen so that a hand feels the difference."""

from dataclasses import dataclass
from typing import Any

from yawara.checks import nearest
from yawara.scene.bodies import Truss
from yawara.scene.scene import Scene

SIZE = 0.12  # [m], width of the block
CELLS = (7, 7, 3)
BULK_VISCOSITY = 0.5  # of that of shear: what keeps its volume would need far smaller steps with that of its return time


@dataclass(frozen=True)
class Preset:
    """What a block is made of. What flows would flow away under its own weight: such blocks stick to the table, and weigh nothing."""

    modulus: float  # [Pa], Young's
    density: float  # [kg/m^3]
    return_time: float  # [s]
    residue: float  # share that stays of a press of 1 s, held for 1 s
    poisson: float
    friction: float  # on the table
    sticks: bool


PRESETS = {
    "dough": Preset(8e3, 1200.0, 0.012, 0.6, 0.45, 0.6, sticks=True),
    "clay": Preset(3e4, 1700.0, 0.01, 0.9, 0.45, 0.8, sticks=True),
    "gel": Preset(6e3, 1010.0, 0.004, 0.01, 0.49, 0.3, sticks=False),
    "foam": Preset(4e3, 300.0, 0.03, 0.01, 0.1, 0.7, sticks=False),
    "tissue": Preset(5e3, 1060.0, 0.01, 0.15, 0.49, 0.5, sticks=True),
}


def preset_of(scene: Scene) -> str | None:
    """The name of the preset that a scene is, of whatever size; None if it is something else."""
    body = next(iter(scene.body.values()))
    if scene.name not in PRESETS or not isinstance(body, Truss):
        return None
    x, y, z = (count - 1 for count in body.counts)
    return scene.name if scene == preset_scene(scene.name, (x, y, z)) else None


def preset_scene(name: str, cells: tuple[int, int, int] = CELLS) -> Scene:
    """A block of that material on a table."""
    if name not in PRESETS:
        raise ValueError(f"preset {name!r} is not known; {nearest(name, PRESETS)}")
    preset, spacing = PRESETS[name], SIZE / cells[0]
    shear = preset.modulus / (2.0 * (1.0 + preset.poisson))
    scene: dict[str, Any] = {
        "name": name,
        "gravity": [0.0, 0.0, 0.0 if preset.sticks else -9.81],
        "time": {"end": 10.0, "threads": 1},
        "body": {
            name: {
                "shape": "truss",
                "counts": [count + 1 for count in cells],
                "spacing": spacing,
                "origin": [-SIZE / 2, -spacing * cells[1] / 2, 0.0],
                "material": {
                    "density": preset.density,
                    "youngs_modulus": preset.modulus,
                    "poisson": preset.poisson,
                    "retardation_time": preset.return_time,
                    "bulk_viscosity": BULK_VISCOSITY * shear * preset.return_time,
                    "residual_fraction": preset.residue,
                },
            }
        },
        "tool": {"table": {"shape": "floor", "friction": preset.friction}},
        "contact": {"bodies": False, "itself": False, "friction": 0.3},
    }
    if preset.sticks:
        scene["fix"] = [{"body": name, "points": "bottom"}]
    return Scene.model_validate(scene)
