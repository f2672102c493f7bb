"""Moduli and viscosities as tables of elements have them: of single springs and dampers, which may be missing, or of several in a list."""

from typing import Annotated

from pydantic import BeforeValidator

from yawara.checks import Quantity, fail

Modulus = Annotated[float, Quantity("Pa", ge=0, remedy="0 is a damper without a spring")]
Viscosity = Annotated[float, Quantity("Pa s", ge=0, remedy="a damper cannot feed energy")]
Flow = Annotated[float, Quantity("Pa s", gt=0, remedy="leave it out for what does not flow")]
LARGEST_POISSON = 0.49  # up to which a bulk modulus can be given a number


def _list(value: object) -> object:
    if isinstance(value, str) or not hasattr(value, "__len__"):
        raise fail(f"must be a list of numbers (got {value!r}); write for example [1e3, 2e3]")
    return value


Moduli = Annotated[tuple[Modulus, ...], BeforeValidator(_list)]
Viscosities = Annotated[tuple[Viscosity, ...], BeforeValidator(_list)]
