"""Body shapes, one per file."""

from typing import Annotated

from pydantic import Field

from yawara.scene.bodies.body import Body, MassSharing
from yawara.scene.bodies.chain import Chain
from yawara.scene.bodies.filled import Filled
from yawara.scene.bodies.lattice import Lattice
from yawara.scene.bodies.mesh import Mesh
from yawara.scene.bodies.region import Region
from yawara.scene.bodies.sheet import Pattern, Sheet
from yawara.scene.bodies.truss import Truss

BODIES = (Chain, Sheet, Lattice, Truss, Mesh, Filled)
AnyBody = Annotated[Chain | Sheet | Lattice | Truss | Mesh | Filled, Field(discriminator="shape")]

__all__ = [
    "BODIES",
    "AnyBody",
    "Body",
    "Chain",
    "Filled",
    "Lattice",
    "MassSharing",
    "Mesh",
    "Pattern",
    "Region",
    "Sheet",
    "Truss",
]
