"""Yawara: virtual rheological objects, bodies that spring back in part and stay deformed in part."""

from yawara.checks import SceneError
from yawara.laws import (
    ForceDependentDamper,
    GeneralizedMaxwell,
    GeneralizedVoigt,
    InternalFriction,
    LimitedThreeElement,
    Maxwell,
    ThreeElement,
    Voigt,
)
from yawara.materials import Material, material
from yawara.run import resume_run, run_scene
from yawara.scene import tools
from yawara.scene.actions import Drive, Fix, Force
from yawara.scene.bodies import Chain, Filled, Lattice, Mesh, Region, Sheet, Truss
from yawara.scene.compile import compile_scene
from yawara.scene.contact import Contact
from yawara.scene.effects import Topology, Volume
from yawara.scene.file import load_scene, scene_text
from yawara.scene.push import Push
from yawara.scene.scene import Output, Scene, Time
from yawara.simulate import Observer, Result, simulate
from yawara.status import SimulationError, StepStatus

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
    "InternalFriction",
    "Lattice",
    "LimitedThreeElement",
    "Material",
    "Maxwell",
    "Mesh",
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
    "Topology",
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
