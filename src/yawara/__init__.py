"""Yawara: virtual rheological objects, bodies that spring back in part and stay deformed in part."""

from typing import Any

from yawara.checks import SceneError
from yawara.laws import (
    ForceDependentDamper,
    GeneralizedMaxwell,
    GeneralizedVoigt,
    InternalFriction,
    LimitedThreeElement,
    Maxwell,
    NonlinearParallel,
    NonlinearSeries,
    ThreeElement,
    Voigt,
)
from yawara.materials import Material, material
from yawara.old_names import tell
from yawara.run import resume_run, run_scene
from yawara.scene import tools
from yawara.scene.actions import Drive, Fix, Force
from yawara.scene.bodies import Chain, Filled, Lattice, Mesh, Region, Sheet, Truss
from yawara.scene.compile import compile_scene
from yawara.scene.effects import Incompressible, InversionBarrier, Volume
from yawara.scene.file import load_scene, scene_text
from yawara.scene.push import Push
from yawara.scene.scene import Output, Scene, Time
from yawara.simulate import Observer, Result, simulate
from yawara.status import SimulationError, StepStatus
from yawara.tools.contact import Contact

__all__ = [
    "Chain",
    "Contact",
    "Drive",
    "Filled",
    "Fix",
    "Force",
    "ForceDependentDamper",
    "GeneralizedMaxwell",
    "GeneralizedVoigt",
    "Incompressible",
    "InternalFriction",
    "InversionBarrier",
    "Lattice",
    "LimitedThreeElement",
    "Material",
    "Maxwell",
    "Mesh",
    "NonlinearParallel",
    "NonlinearSeries",
    "Observer",
    "Output",
    "Push",
    "Region",
    "Result",
    "Scene",
    "SceneError",
    "Sheet",
    "SimulationError",
    "StepStatus",
    "ThreeElement",
    "Time",
    "Truss",
    "Voigt",
    "Volume",
    "compile_scene",
    "load_scene",
    "material",
    "resume_run",
    "run_scene",
    "scene_text",
    "simulate",
    "tools",
]


def __getattr__(name: str) -> Any:
    if name == "Topology":
        tell("yawara.Topology", "InversionBarrier")
        return InversionBarrier
    raise AttributeError(f"module 'yawara' has no attribute '{name}'")
