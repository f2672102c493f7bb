"""What every law offers: its parameters and its links. Closed forms and a network of springs and dampers where it has some.

A law is a class in a file of its own. That it exists is enough: scene files know it by its `type` as soon as its file is imported; those of
this folder, and of the entry-point group `yawara.laws`, are. Closed forms are those of the bare element, without mass; tension and
extension are positive.
"""

import math
from abc import abstractmethod
from collections.abc import Hashable
from types import ModuleType
from typing import Annotated, Any, ClassVar, NoReturn

import numpy as np

from yawara.checks import Part, Quantity
from yawara.kernels.kinds import Floats
from yawara.laws.block import Column
from yawara.laws.network import Network

Stiffness = Annotated[float, Quantity("N/m", ge=0, remedy="a spring cannot push back a pull")]
Viscosity = Annotated[float, Quantity("N s/m", ge=0, remedy="a damper cannot feed energy")]
PositiveStiffness = Annotated[float, Quantity("N/m", gt=0, remedy="without the spring use another law")]
PositiveViscosity = Annotated[float, Quantity("N s/m", gt=0, remedy="without the damper use another law")]
Force = Annotated[float, Quantity("N", ge=0, remedy="give the magnitude")]

LAWS: dict[str, type["Law"]] = {}  # by type, as scene files name them


class Law(Part):
    """A one-dimensional rheological law."""

    title: ClassVar[str]
    family: ClassVar[ModuleType]  # the kernels and what goes with them, see block.py
    example: ClassVar[dict[str, Any]] = {}  # parameters of one, for tables

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        if "type" in cls.model_fields:
            LAWS[cls.model_fields["type"].default] = cls

    @property
    def parts(self) -> int:
        """Internal variables per link."""
        return 1

    @property
    def kind(self) -> Hashable:
        """Links of one family are kept together if this is the same, too."""
        return None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The coefficients of a link, by name and unit."""
        found: tuple[Column, ...] = self.family.columns(self.parts)
        return found

    @abstractmethod
    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        """The family's columns for links of these rest lengths [m], each as `weight` such elements side by side."""

    def network(self) -> Network | None:
        """The springs and dampers it is made of; None if it is no network."""
        return None

    def creep(self, time: Any, force: float) -> Floats:
        """Extension [m] at `time` [s] after a constant force [N] has begun to act."""
        self._no_closed_form("creep")

    def recovery(self, time: Any, force: float, load_time: float) -> Floats:
        """Extension [m] at `time` [s] after that force, which acted for `load_time` [s], was taken away."""
        self._no_closed_form("recovery")

    def relaxation(self, time: Any, stretch: float, ramp_time: float) -> Floats:
        """Force [N] at `time` [s] when stretched by `stretch` [m] at constant speed until `ramp_time` [s], then held.

        At the corner itself it gives the value before it (the speed, and with it a damper's force, jumps there).
        """
        self._no_closed_form("relaxation")

    def _no_closed_form(self, what: str) -> NoReturn:
        raise NotImplementedError(f"{self.title} has no closed form of its {what}; run a chain of one link instead")


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
