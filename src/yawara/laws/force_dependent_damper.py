"""A Voigt part in series with a damper that softens under load: keeps its shape under its own weight, yet can be moulded."""

import math
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.kernels.kinds import Floats
from yawara.laws.base import Force, Law, PositiveViscosity, Stiffness, Viscosity, as_duration, as_times, refuse_step
from yawara.laws.families import force_dependent
from yawara.laws.network import Damper, Network, Series, connect, voigt_part
from yawara.laws.softening_zone import SofteningZone
from yawara.laws.three_element import ThreeElement
from yawara.laws.voigt import check_part


class ForceDependentDamper(Law):
    """f = k1 e + c1 edot = c2(|f|) (ddot - edot); c2 falls from c_max at f1 to c_min at f2, exponentially.

    Closed forms are exact, except in a ramp while the force is between f1 and f2: there an integrator with a relative
    tolerance of 1e-12 is used, and what follows has a relative error of about 1e-12 (1 + c1/(k1 ramp_time)).
    """

    title: ClassVar[str] = "force-dependent damper"
    family: ClassVar[ModuleType] = force_dependent
    example: ClassVar[dict[str, Any]] = {"k1": 1, "c1": 1, "c_max": 2, "c_min": 1, "f1": 1, "f2": 2}

    type: Literal["force_dependent_damper"] = "force_dependent_damper"
    k1: Stiffness = Field(description="stiffness of the Voigt part [N/m]")
    c1: Viscosity = Field(description="viscosity of the Voigt part [N s/m]")
    c_max: PositiveViscosity = Field(description="viscosity of the serial damper under forces up to f1 [N s/m]")
    c_min: PositiveViscosity = Field(description="viscosity of the serial damper under forces from f2 on [N s/m]")
    f1: Force = Field(description="force at which the serial damper begins to soften [N]")
    f2: Force = Field(description="force at which it is softest [N]")

    @model_validator(mode="after")
    def _softens(self) -> Self:
        check_part(self.k1, self.c1, "k1", "c1")
        if self.c_min >= self.c_max:
            values = f"c_min = {self.c_min:g}, c_max = {self.c_max:g} N s/m"
            raise fail(f"c_min must be < c_max (got {values}); exchange them, or use three_element for a constant viscosity")
        if self.f1 >= self.f2:
            raise fail(f"f1 must be < f2 (got f1 = {self.f1:g}, f2 = {self.f2:g} N); exchange them, or set them apart")
        return self

    def network(self) -> Network:
        return connect(Series, voigt_part(self.k1, self.c1), Damper())

    @property
    def softening(self) -> float:
        """B [1/N]."""
        # c_max = A exp(-B f1), c_min = A exp(-B f2)      Kimura et al. 2003, sec. 3.3
        return math.log(self.c_max / self.c_min) / (self.f2 - self.f1)

    def viscosity(self, force: Any) -> Any:
        """c2 [N s/m] under a force [N] of either sign."""
        # c2 = c_max (|f| <= f1), A exp(-B |f|), c_min (|f| >= f2)      Kimura et al. 2003, sec. 3.3
        return self.c_max * np.exp(-self.softening * (np.clip(np.abs(force), self.f1, self.f2) - self.f1))

    def creep(self, time: Any, force: float) -> Floats:
        return self._under(force).creep(time, force)

    def recovery(self, time: Any, force: float, load_time: float) -> Floats:
        return self._under(force).recovery(time, force, load_time)

    def _under(self, force: float) -> ThreeElement:
        """The same law as long as the force is constant, or zero after having been so."""
        return ThreeElement(k1=self.k1, c1=self.c1, c2=float(self.viscosity(force)))

    def relaxation(self, time: Any, stretch: float, ramp_time: float) -> Floats:
        times, ramp_time = as_times(time), as_duration("ramp_time", ramp_time)
        if ramp_time == 0.0:
            if self.c1 > 0:
                refuse_step(self)
            return np.copysign(self._hold(times, self.k1 * abs(stretch)), stretch)
        speed = abs(stretch) / ramp_time
        ramp = self._ramp(np.append(np.minimum(times, ramp_time), ramp_time), speed)
        corner = self._force(self._blocked(ramp[-1]) - self.c1 * speed) if self.k1 > 0 else 0.0
        hold = self._hold(np.maximum(times - ramp_time, 0.0), corner)
        return np.copysign(np.where(times > ramp_time, hold, ramp[:-1].reshape(times.shape)), stretch)

    def _blocked(self, force: float) -> float:
        """The force that the same motion would give if the serial damper were blocked."""
        # F = f + c1 f/c2(f) = k1 e + c1 v
        return float(force * (1.0 + self.c1 / self.viscosity(force)))

    def _force(self, blocked: float) -> float:
        """The inverse of `_blocked`, for forces >= 0."""
        if blocked <= 0.0:
            return 0.0
        from scipy.optimize import brentq

        return float(brentq(lambda f: self._blocked(f) - blocked, 0.0, blocked, xtol=1e-300, rtol=1e-15))

    def _ramp(self, times: Floats, speed: float) -> Floats:
        """Force at each of `times` (a row) of a ramp: it climbs through at most three zones towards speed c2."""
        start = self._force(self.c1 * speed)
        if self.k1 == 0.0 or speed == 0.0:
            return np.full_like(times, start)
        slow, to_f1 = self._climb(times, speed, start, self.c_max, self.f1)
        between, to_f2 = slow, to_f1
        if to_f1 < times[-1] and start < self.f2:
            between, to_f2 = self._zone.climb(np.maximum(times - to_f1, 0.0), speed, max(start, self.f1), self.f2)
            to_f2 += to_f1
        soft, _ = self._climb(np.maximum(times - to_f2, 0.0), speed, max(start, self.f2), self.c_min, np.inf)
        return np.where(times <= to_f1, slow, np.where(times <= to_f2, between, soft))

    def _climb(self, times: Floats, speed: float, start: float, c2: float, end: float) -> tuple[Floats, float]:
        """Force of a ramp where c2 is constant, and when it reaches `end`."""
        # f = f0 + (v c2 - f0) (1 - exp(-k1 t/(c1 + c2)))
        way, rate = speed * c2 - start, self.k1 / (self.c1 + c2)
        reached = 0.0 if start >= end else np.inf if way <= end - start else -math.log1p(-(end - start) / way) / rate
        return start - way * np.expm1(-rate * times), reached

    def _hold(self, times: Floats, start: float) -> Floats:
        """Force after the ramp: it falls through at most three zones."""
        if start == 0.0:
            return np.zeros_like(times)
        # f = f0 exp(-k1 t/(c1 + c2)) where c2 is constant
        fast, slow = self.k1 / (self.c1 + self.c_min), self.k1 / (self.c1 + self.c_max)
        to_f2 = math.log(max(start / self.f2, 1.0)) / fast
        middle, low = min(start, self.f2), min(start, self.f1)
        to_f1 = to_f2
        if middle > self.f1:
            to_f1 += float(self._zone.fall_time(self.f1, middle)) if self.f1 > 0 else np.inf
        between = self._zone.fall(np.clip(times, to_f2, to_f1) - to_f2, middle) if middle > self.f1 else middle
        soft, stiff = start * np.exp(-fast * times), low * np.exp(-slow * np.maximum(times - to_f1, 0.0))
        return np.where(times <= to_f2, soft, np.where(times <= to_f1, between, stiff))

    @property
    def _zone(self) -> SofteningZone:
        return SofteningZone(self.k1, self.c1, self.c_max, self.f1, self.softening)

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        # k1, c1, c_max, c_min, f1, f2      Kimura et al. 2003, sec. 3.3
        names = ("k1", "c1", "c_max", "c_min", "f1", "f2")
        return {"rest_length": rest_length, **{name: getattr(self, name) * weight for name in names}}
