"""A three-element link whose Voigt part keeps a share of the link's length within limits: it flows, but not without end."""

from types import ModuleType
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Quantity, fail
from yawara.kernels.kinds import Floats
from yawara.laws.base import Law, PositiveViscosity, Stiffness, Viscosity, as_duration, as_times, refuse_step
from yawara.laws.families import limited
from yawara.laws.linear import filled, voigt_compliance
from yawara.laws.network import Damper, Network, Series, connect, voigt_part
from yawara.laws.voigt import check_part

Share = Annotated[float, Quantity("1", ge=0, le=1, remedy="give a part of the length, such as 0.3")]
PositiveShare = Annotated[float, Quantity("1", gt=0, le=1, remedy="give a part of the length, such as 0.5")]

NATURAL_LENGTH = 1.0  # [m] of the element that the closed forms describe
ROUNDING = 1e-12  # of the Voigt part's extension: this close to a stop is at it


class LimitedThreeElement(Law):
    """f = k1 e + c1 edot = c2 (ddot - edot) while the Voigt part has a share a_min to a_max of the length; then the damper stops.

    The closed forms are those of an element of the natural length 1 m, and exact: its Voigt part is `ratio` metres long at rest.
    With ratio = a_min = a_max = 1 Voigt; where no limit is reached three-element.
    """

    title: ClassVar[str] = "limited three-element"
    family: ClassVar[ModuleType] = limited
    example: ClassVar[dict[str, Any]] = {"k1": 1, "c1": 1, "c2": 1}

    type: Literal["limited_three_element"] = "limited_three_element"
    k1: Stiffness = Field(description="stiffness of the Voigt part [N/m]")
    c1: Viscosity = Field(description="viscosity of the Voigt part [N s/m]")
    c2: PositiveViscosity = Field(description="viscosity of the serial damper [N s/m]")
    ratio: PositiveShare = Field(default=0.5, description="share of the Voigt part in the rest length")
    a_min: Share = Field(default=0.3, description="least share of the Voigt part in the length")
    a_max: PositiveShare = Field(default=0.7, description="greatest share of the Voigt part in the length")

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        check_part(self.k1, self.c1, "k1", "c1")
        if not self.a_min <= self.ratio <= self.a_max:
            values = f"a_min = {self.a_min:g}, ratio = {self.ratio:g}, a_max = {self.a_max:g}, no unit"
            raise fail(f"ratio must be >= a_min and <= a_max (got {values}); give limits on both sides of the natural share")
        return self

    def network(self) -> Network:
        return connect(Series, voigt_part(self.k1, self.c1), Damper())

    def _room(self, sign: float) -> tuple[float, float]:
        """(gap [m], share): stretched (sign >= 0) or pressed by d, the damper may move by gap + share |d|."""
        # lo <= q <= hi, hi = (1 - a_min) l - (1 - a) l0, lo = (1 - a_max) l - (1 - a) l0
        #                                       Hirai 2005 (particle-based modelling), eqs. (2.18)-(2.20)
        if sign >= 0.0:
            return (self.ratio - self.a_min) * NATURAL_LENGTH, 1.0 - self.a_min
        return (self.a_max - self.ratio) * NATURAL_LENGTH, 1.0 - self.a_max

    def creep(self, time: Any, force: float) -> Floats:
        times = as_times(time)
        e = abs(force) * voigt_compliance(self.k1, self.c1).during(times)
        return np.copysign(e + self._flow(times, e, force), force)

    def recovery(self, time: Any, force: float, load_time: float) -> Floats:
        # without force the damper stays where it is
        times, load_time = as_times(time), as_duration("load_time", load_time)
        voigt = voigt_compliance(self.k1, self.c1)
        residue = self._flow(load_time, abs(force) * voigt.during(np.asarray(load_time)), force)
        return np.copysign(abs(force) * voigt.after(times, load_time) + residue, force)

    def _flow(self, time: Any, e: Any, force: float) -> Any:
        """|q| [m] under a constant force whose Voigt part is stretched by `e` [m]."""
        # q = F t/c2, until it meets q = gap + share (e + q); then it rides on it, as that only ever slows down
        gap, share = self._room(force)
        limit = (gap + share * e) / (1.0 - share) if share < 1.0 else np.inf
        return np.minimum(abs(force) / self.c2 * time, limit)

    def relaxation(self, time: Any, stretch: float, ramp_time: float) -> Floats:
        times, ramp_time = as_times(time), as_duration("ramp_time", ramp_time)
        size, (gap, share) = abs(stretch), self._room(stretch)
        stop = (1.0 - share) * size - gap  # of e, when the damper has reached its limit in the held element
        if ramp_time == 0.0:
            if self.c1 > 0:
                refuse_step(self)
            return np.copysign(self._hold(times, size, stop), stretch)
        ramp, _ = self._ramp(np.minimum(times, ramp_time), size / ramp_time, gap, share)
        _, corner = self._ramp(np.asarray(ramp_time), size / ramp_time, gap, share)
        hold = self._hold(np.maximum(times - ramp_time, 0.0), float(corner), stop)
        return np.copysign(np.where(times > ramp_time, hold, ramp), stretch)

    def _ramp(self, times: Floats, speed: float, gap: float, share: float) -> tuple[Floats, Floats]:
        """Force [N] and extension [m] of the Voigt part, stretched at `speed` [m/s]."""
        # free as in three_element.py: q = v (t - B (1 - exp(-A t))/A), ever faster, so that it meets q = gap + share v t once at most
        A, B = self.k1 / (self.c1 + self.c2), self.c2 / (self.c1 + self.c2)
        free, limit = speed * (times - B * filled(A, times)), gap + share * speed * times
        e = speed * times - np.minimum(free, limit)
        flow = (self.k1 * e + self.c1 * speed) / (self.c1 + self.c2)
        rate = np.where(free < limit, flow, np.minimum(flow, share * speed))
        return self.k1 * e + self.c1 * (speed - rate), e

    def _hold(self, times: Floats, start: float, stop: float) -> Floats:
        """Force [N] after the ramp: the Voigt part's extension falls from `start` [m] as in three_element.py, or to `stop` [m]."""
        A, B = self.k1 / (self.c1 + self.c2), self.c2 / (self.c1 + self.c2)
        free = start * np.exp(-A * times)
        # f = k1 e + c1 edot, edot = -A e or 0
        return np.where(free > stop * (1.0 + ROUNDING), B * self.k1 * free, self.k1 * max(stop, 0.0))

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        # k1, c1, c2, (1 - a) l0, 1 - a_min, 1 - a_max      Hirai 2005 (particle-based modelling), eqs. (2.18)-(2.20)
        one = np.ones_like(weight)
        limits = {
            "damper_rest": (1.0 - self.ratio) * rest_length,
            "share_min": (1.0 - self.a_min) * one,
            "share_max": (1.0 - self.a_max) * one,
        }
        return {"rest_length": rest_length, "k1": self.k1 * weight, "c1": self.c1 * weight, "c2": self.c2 * weight, **limits}
