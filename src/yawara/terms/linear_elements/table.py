"""What a body's table may say of its small-strain elements beside moduli and viscosities."""

from enum import StrEnum
from typing import Annotated

from yawara.checks import Quantity
from yawara.materials.quantities import LARGEST_POISSON

Poisson = Annotated[float, Quantity("1", ge=0, le=LARGEST_POISSON, remedy="0.35 in the source")]


class Arrangement(StrEnum):
    """How the parts of lists stand to each other."""

    SERIES = "series"  # Voigt elements, generalised Voigt
    PARALLEL = "parallel"  # Maxwell arms beside a spring and a damper, generalised Maxwell
