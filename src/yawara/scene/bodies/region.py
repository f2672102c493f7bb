"""A group of a body's links that has a law of its own: surface and core (Nogami et al. 2004), or what a box holds."""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field, GetCoreSchemaHandler, model_validator
from pydantic_core import core_schema

from yawara.checks import Part, fail
from yawara.laws import AnyLaw
from yawara.materials import AnyMaterial
from yawara.scene.box import Box


class Depth(StrEnum):
    SURFACE = "surface"  # an end is on the body's surface
    CORE = "core"  # neither end is


class LinkKind(StrEnum):
    ALL = "all"
    IN = "in"  # to the centres of cells
    ON = "on"  # all others: along the edges and diagonals of cells


class _AnyPlace:
    """Pydantic's union report would list each failed alternative; this one says what is expected."""

    def check(self, value: Any) -> Depth | Box:
        if isinstance(value, Box):
            return value
        if isinstance(value, dict):
            return Box.model_validate(value)
        if isinstance(value, str) and value in list(Depth):
            return Depth(value)
        raise fail(f"must be 'surface', 'core' or a box {{min, max}} (got {value!r}); write for example 'core'")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(_plain)
        )


def _plain(value: Depth | Box) -> Any:
    return value.model_dump(mode="json") if isinstance(value, Box) else str(value)


class Region(Part):
    """Links by their place and kind, and what they do."""

    links: Annotated[Depth | Box, _AnyPlace()] = Field(
        description="`surface`: those with an end on the body's surface; `core`: the others; or a box that holds their middles"
    )
    kind: LinkKind = Field(LinkKind.ALL, description="`in`: only those to cell centres; `on`: only the others")
    law: AnyLaw | None = Field(None, description="their law, in a body that has a law")
    material: AnyMaterial | None = Field(None, description="what the region is made of, in a body that has a material")

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.law is None) == (self.material is None):
            got = "neither" if self.law is None else "both"
            raise fail(f"needs exactly one of law and material (got {got}); keep the one that the body has")
        if self.material is not None and self.kind is not LinkKind.ALL:
            raise fail(
                f"kind must be 'all' with a material (got '{self.kind}'), which fills the space with all links; leave it out, or give laws"
            )
        return self
