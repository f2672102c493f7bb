"""What every law offers: its parameters, its network of springs and dampers, its closed forms, and its link coefficients.

Closed forms are those of the bare element, without mass; tension and extension are positive.
"""

import math
from abc import abstractmethod
from typing import Annotated, Any, ClassVar, NoReturn

import numpy as np

from yawara.checks import Part, Quantity
from yawara.laws.network import Network
from yawara.model import Floats

Stiffness = Annotated[float, Quantity("N/m", ge=0, remedy="a spring cannot push back a pull")]
Viscosity = Annotated[float, Quantity("N s/m", ge=0, remedy="a damper cannot feed energy")]
PositiveStiffness = Annotated[float, Quantity("N/m", gt=0, remedy="without the spring use another law")]
PositiveViscosity = Annotated[float, Quantity("N s/m", gt=0, remedy="without the damper use another law")]
Force = Annotated[float, Quantity("N", ge=0, remedy="give the magnitude")]


class Law(Part):
    """A one-dimensional rheological law."""

    title: ClassVar[str]
    family: ClassVar[int]  # link kernel, see forces/links/constants.py

    @property
    def parts(self) -> int:
        """Memories per link."""
        return 1

    @abstractmethod
    def network(self) -> Network:
        """The springs and dampers it is made of."""

    @abstractmethod
    def creep(self, time: Any, force: float) -> Floats:
        """Extension [m] at `time` [s] after a constant force [N] has begun to act."""

    @abstractmethod
    def recovery(self, time: Any, force: float, load_time: float) -> Floats:
        """Extension [m] at `time` [s] after that force, which acted for `load_time` [s], was taken away."""

    @abstractmethod
    def relaxation(self, time: Any, stretch: float, ramp_time: float) -> Floats:
        """Force [N] at `time` [s] when stretched by `stretch` [m] at constant speed until `ramp_time` [s], then held.

        At the corner itself it gives the value before it (the speed, and with it a damper's force, jumps there).
        """

    @abstractmethod
    def link_coefficients(self, rest_length: Floats, weight: Floats) -> Floats:
        """Columns of the family's kernel for links of these rest lengths [m], each as `weight` such elements side by side."""


def as_times(time: Any) -> Floats:
    times = np.asarray(time, dtype=np.float64)
    if not (times >= 0.0).all():
        raise ValueError(f"time must be >= 0 s (got {times.min():g}); it counts from when the load begins, or is taken away")
    return times


def as_duration(name: str, value: float) -> float:
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{name} must be >= 0 s and finite (got {value:g}); give how long it lasts")
    return float(value)


def refuse_step(law: Law) -> NoReturn:
    raise ValueError(
        f"{law.title}: ramp_time must be > 0 s (got 0), as a damper answers a step with an infinite force; give a short ramp"
    )
