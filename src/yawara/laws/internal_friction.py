"""A Voigt part in series with a damper that has internal Coulomb friction: what is below the friction leaves no residue."""

from types import ModuleType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.kernels.kinds import Floats
from yawara.laws.base import Force, Law, PositiveViscosity, Stiffness, Viscosity, as_duration, as_times, refuse_step
from yawara.laws.families import friction
from yawara.laws.linear import filled, voigt_compliance
from yawara.laws.network import Damper, Network, Series, connect, voigt_part
from yawara.laws.voigt import check_part


class InternalFriction(Law):
    """f = k e + c1 edot; the damper slips at (|f| - friction)/c2, or sticks. With friction = 0 three-element."""

    title: ClassVar[str] = "internal friction"
    family: ClassVar[ModuleType] = friction
    example: ClassVar[dict[str, Any]] = {"k": 1, "c1": 1, "c2": 1, "friction": 1}

    type: Literal["internal_friction"] = "internal_friction"
    k: Stiffness = Field(description="stiffness of the Voigt part [N/m]")
    c1: Viscosity = Field(description="viscosity of the Voigt part [N s/m]")
    c2: PositiveViscosity = Field(description="viscosity of the serial damper [N s/m]")
    friction: Force = Field(description="force below which the serial damper sticks [N]")

    @model_validator(mode="after")
    def _bears_load(self) -> Self:
        check_part(self.k, self.c1, "k", "c1")
        return self

    def network(self) -> Network:
        return connect(Series, voigt_part(self.k, self.c1), Damper())

    def creep(self, time: Any, force: float) -> Floats:
        times = as_times(time)
        return force * voigt_compliance(self.k, self.c1).during(times) + self.slip_rate(force) * times

    def recovery(self, time: Any, force: float, load_time: float) -> Floats:
        times, load_time = as_times(time), as_duration("load_time", load_time)
        return force * voigt_compliance(self.k, self.c1).after(times, load_time) + self.slip_rate(force) * load_time

    def slip_rate(self, force: float) -> float:
        """Rate [m/s] of the serial damper under a force [N]."""
        # qdot = sgn(f) max(|f| - friction, 0)/c2      Hirai 2005, eqs. (5.5)-(5.6), set-valued at rest
        return float(np.copysign(max(abs(force) - self.friction, 0.0) / self.c2, force))

    def relaxation(self, time: Any, stretch: float, ramp_time: float) -> Floats:
        times, ramp_time = as_times(time), as_duration("ramp_time", ramp_time)
        speed = np.where(times > ramp_time, 0.0, abs(stretch) / ramp_time) if ramp_time > 0 else 0.0
        # F = k e + c1 v, f = F - c1 qdot, qdot = max(F - friction, 0)/(c1 + c2)
        blocked = self.k * np.abs(self.voigt_extension(times, stretch, ramp_time)) + self.c1 * speed
        slipping = np.maximum(blocked - self.friction, 0.0)
        return np.copysign(blocked - self.c1 / (self.c1 + self.c2) * slipping, stretch)

    def voigt_extension(self, time: Any, stretch: float, ramp_time: float) -> Floats:
        """Extension [m] of the Voigt part in the motion of `relaxation`; the damper has the rest."""
        times, ramp_time = as_times(time), as_duration("ramp_time", ramp_time)
        if ramp_time == 0.0 and self.c1 > 0:
            refuse_step(self)
        speed = abs(stretch) / ramp_time if ramp_time > 0 else 0.0
        slip_time = min(self._slip_time(speed), ramp_time)
        at_slip = speed * slip_time if ramp_time > 0 else abs(stretch)
        at_corner = self._slide(at_slip, speed, np.asarray(ramp_time - slip_time))
        ramp = np.where(
            times < slip_time, speed * times, self._slide(at_slip, speed, np.clip(times, slip_time, ramp_time) - slip_time)
        )
        hold = self._slide(at_corner, 0.0, np.maximum(times - ramp_time, 0.0))
        return np.copysign(np.where(times > ramp_time, hold, ramp), stretch)

    def _slip_time(self, speed: float) -> float:
        """When the force of a ramp at `speed` reaches the friction."""
        # k v t + c1 v = friction
        missing = self.friction - self.c1 * speed
        if missing <= 0.0:
            return 0.0
        return missing / (self.k * speed) if self.k * speed > 0 else np.inf

    def _slide(self, extension: Any, speed: float, time: Floats) -> Floats:
        """Extension of the Voigt part, `time` after it was `extension`, at constant speed of the whole, slipping or held."""
        # de/dt = v - (k e + c1 v - friction)/(c1 + c2), relaxing at the rate k/(c1 + c2)
        slipping = np.maximum(self.k * extension + self.c1 * speed - self.friction, 0.0)
        rate = speed - slipping / (self.c1 + self.c2)
        result: Floats = extension + rate * filled(self.k / (self.c1 + self.c2), time)
        return result

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        # k, c1, c2, friction      Hirai 2005, eqs. (5.5)-(5.6)
        values = {"k1": self.k, "c1": self.c1, "c2": self.c2, "friction": self.friction}
        return {"rest_length": rest_length, **{name: value * weight for name, value in values.items()}}
