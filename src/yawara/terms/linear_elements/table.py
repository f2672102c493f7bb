"""What a body's table may say of its small-strain elements, with units."""

from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator

from yawara.checks import Quantity, fail

Modulus = Annotated[float, Quantity("Pa", ge=0, remedy="0 is a damper without a spring")]
Viscosity = Annotated[float, Quantity("Pa s", ge=0, remedy="a damper cannot feed energy")]
Flow = Annotated[float, Quantity("Pa s", gt=0, remedy="leave it out for what does not flow")]
MOST_POISSON = 0.49  # beyond, linear triangles and tetrahedra lock, and lambda grows without bound
Poisson = Annotated[float, Quantity("1", ge=0, le=MOST_POISSON, remedy="0.35 in the source")]


class Arrangement(StrEnum):
    """How the parts of lists stand to each other."""

    SERIES = "series"  # Voigt elements, generalised Voigt
    PARALLEL = "parallel"  # Maxwell arms beside a spring and a damper, generalised Maxwell


def _list(value: object) -> object:
    if isinstance(value, str) or not hasattr(value, "__len__"):
        raise fail(f"must be a list of numbers (got {value!r}); write for example [1e3, 2e3]")
    return value


Moduli = Annotated[tuple[Modulus, ...], BeforeValidator(_list)]
Viscosities = Annotated[tuple[Viscosity, ...], BeforeValidator(_list)]
