"""Families of elements: what carries the stress of a body, as its table `elements` says.

A family belongs to the room whose elements it asks for, and is found like that room's other tables: by its `type`.
A name alone stands for a table with nothing else in it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, SerializeAsAny

from yawara.core.options import Options, reads
from yawara.kernels.kinds import Floats

if TYPE_CHECKING:
    from yawara.core.geometry import Geometry, Integers
    from yawara.core.piece import Piece
    from yawara.scene.bodies.body import Body


class Family(Options):
    """A kind of elements that bodies can be made of."""

    what: ClassVar[str] = "families of elements"
    group: ClassVar[str] = "yawara.families"

    joins: ClassVar[bool] = False  # elements are links between neighbours, each with the body's law
    takes_law: ClassVar[bool] = False  # a law in N/m, of one element
    takes_measured: ClassVar[bool] = False  # materials with an energy, a Prony series or a yield stress

    any_poisson: ClassVar[bool] = False  # has the Poisson's ratio of any material, by coefficients alone: a slider may turn it

    @property
    def title(self) -> str:
        """What its elements are called."""
        return str(vars(self)["type"])

    @property
    def needs_material(self) -> bool:
        """Whether it has no coefficients of its own."""
        return True

    def problems(self, body: "Body", geometry: "Geometry") -> Iterator[tuple[str, str]]:
        """What of a body these elements cannot be, as (field, what)."""
        yield from ()

    def notices(self) -> Iterator[str]:
        """What the user should know of such elements, though nothing is wrong."""
        yield from ()

    def shares(self, geometry: "Geometry") -> Floats:
        """[m^3], (point_count,): the volume that each point stands for, as its elements share it out."""
        return geometry.share

    def corners(self, geometry: "Geometry") -> "Integers":
        """(cell_count, number, dimension + 1): of each cell, simplices that are positive as long as no part of it is inside out."""
        return geometry.elements[:, None]

    def strength(self, piece: "Piece") -> tuple[float, float]:
        """Stiffness [N/m] and viscosity [N s/m] between neighbours, about: barriers and ties are measured by it."""
        raise NotImplementedError


def _table(value: Any) -> Any:
    """A name alone stands for a table with nothing else in it."""
    return {"type": value} if isinstance(value, str) else value


AnyFamily = Annotated[SerializeAsAny[Family], reads(Family), BeforeValidator(_table)]
