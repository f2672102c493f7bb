"""The force of a Voigt part in series with a damper of c2 = c_max exp(-B (f - f1)): a force-dependent damper between f1 and f2.

All forces are > 0: magnitudes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from yawara.kernels.kinds import Floats

NEWTON_STEPS = 100  # about 10 are used; where Newton leaves the bracket it is halved


@dataclass(frozen=True)
class SofteningZone:
    """With F = f (1 + c1/c2(f)) = k1 e + c1 v: dF/dt = k1 (v - f/c2(f)), an equation for f alone while the speed v is kept."""

    k1: float  # [N/m]
    c1: float  # [N s/m]
    c_max: float  # [N s/m]
    f1: float  # [N]
    B: float  # [1/N]

    def viscosity(self, force: Any) -> Any:
        return self.c_max * np.exp(-self.B * (force - self.f1))

    def fall_time(self, force: Any, start: float) -> Any:
        """Time [s] in which the force of a held element falls from `start` to `force` [N]."""
        # v = 0: dt = -(1/k1) (A exp(-B f)/f + c1/f + c1 B) df, integrated from `start`; A E1(B f) = c2(f) exp(B f) E1(B f)
        creeping = self.viscosity(force) * _scaled_exp1(self.B * force) - self.viscosity(start) * _scaled_exp1(self.B * start)
        return (creeping + self.c1 * np.log(start / force) + self.c1 * self.B * (start - force)) / self.k1

    def fall(self, time: Floats, start: float) -> Floats:
        """Force [N], `time` [s] after it was `start` in a held element: the inverse of `fall_time`, by bracketed Newton."""
        # d ln f/dt = -k1/(c2 + c1 + c1 B f), with c2 and f between those of now and those of the end
        fastest = self.k1 / (self.viscosity(start) + self.c1)
        slowest = self.k1 / (self.c_max + self.c1 + self.c1 * self.B * start)
        floor = np.log(max(self.f1, 1e-300))
        low, high = (np.maximum(np.log(start) - rate * time, floor) for rate in (fastest, slowest))
        u = high
        for _ in range(NEWTON_STEPS):
            force = np.exp(u)
            late = self.fall_time(force, start) - time
            low, high = np.where(late > 0, u, low), np.where(late > 0, high, u)
            better = u + late * self.k1 / (self.viscosity(force) + self.c1 + self.c1 * self.B * force)
            better = np.where((better >= low) & (better <= high), better, 0.5 * (low + high))
            change, u = np.abs(better - u), better
            if (change <= 1e-15 * np.maximum(np.abs(u), 1.0)).all():
                break
        result: Floats = np.exp(u)
        return result

    def climb(self, time: Floats, speed: float, start: float, end: float) -> tuple[Floats, float]:
        """Force [N], `time` [s] after it was `start` in an element stretched at `speed` [m/s], and when it is `end`, or infinity.

        There is no closed form: integrated with a relative tolerance of 1e-12.
        """
        from scipy.special import exprel, wrightomega

        # the force tends to f* = v c2(f*); with f = f* - gap, gap = (f* - start) exp(-y), the equation for y is never stiff:
        # dy/dt = (k1/F'(f)) (v - f/c2(f))/gap,   (v - f/c2(f))/gap = v ((1 - exp(-B gap))/gap + exp(-B gap)/f*)
        goal = float(wrightomega(np.log(self.B * speed * self.c_max) + self.B * self.f1)) / self.B
        if goal <= start:
            return np.full_like(time, start), np.inf

        def rate(_: float, y: Floats) -> Floats:
            gap = (goal - start) * np.exp(-np.maximum(y, 0.0))  # trial stages may undershoot
            force = goal - gap
            approach = speed * (self.B * exprel(-self.B * gap) + np.exp(-self.B * gap) / goal)
            answer: Floats = self.k1 * approach / (1.0 + self.c1 / self.viscosity(force) * (1.0 + self.B * force))
            return answer

        def reached(_: float, y: Floats) -> Any:
            return y[0] + np.log1p(-(end - start) / (goal - start)) if end < goal else -1.0

        reached.terminal = True  # type: ignore[attr-defined]
        span = (0.0, float(time.max()))
        from scipy.integrate import solve_ivp

        run = solve_ivp(rate, span, [0.0], "DOP853", dense_output=True, events=reached, rtol=1e-12, atol=1e-14)
        if not run.success:
            raise ArithmeticError(f"the force in the ramp could not be integrated: {run.message} Change speed or thresholds.")
        force = start - (goal - start) * np.expm1(-run.sol(np.minimum(time, run.t[-1]))[0])
        return force, float(run.t_events[0][0]) if len(run.t_events[0]) else np.inf


def _scaled_exp1(x: Any) -> Any:
    """exp(x) E1(x), also where the exponential would overflow."""
    from scipy.special import exp1, hyperu

    small = np.minimum(x, 500.0)
    return np.where(x < 500.0, np.exp(small) * exp1(small), hyperu(1.0, 1.0, x))
