"""The last gate before the device: forces that are finite, not too large, not too sudden, and none without news from the solver.

Everything takes its time as an argument, so that tests run in held time.
"""

import math
from dataclasses import dataclass

import numpy as np

from yawara.haptics.device import Floats

REACH = 10.0  # [m]: no arm is longer

NO_FORCE: Floats = np.zeros(3)
NO_FORCE.flags.writeable = False


@dataclass(frozen=True)
class Limits:
    """What may be asked of a device."""

    max_force: float = 3.0  # [N]
    max_slew: float = 500.0  # [N/s]
    silence: float = 0.05  # [s] without news after which there is no force
    ramp: float = 0.02  # [s], the end of the silence, over which it fades
    rise: float = 0.1  # [s], over which it comes back

    def __post_init__(self) -> None:
        for name in ("max_force", "max_slew", "silence", "ramp", "rise"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a finite number > 0 (got {value}); give a positive number")
        if self.ramp >= self.silence:
            raise ValueError(f"ramp must be < silence, {self.silence:g} s (got {self.ramp:g} s); let it fade at the end of it")
        if self.max_slew * self.ramp < self.max_force:
            raise ValueError(
                f"max_slew must be >= max_force / ramp = {self.max_force / self.ramp:g} N/s (got {self.max_slew:g}), "
                "or the largest force cannot fade in time; raise max_slew or ramp"
            )


def finite(force: Floats) -> bool:
    """Whether all of it are numbers."""
    return math.isfinite(float(force[0]) + float(force[1]) + float(force[2]))


def reachable(position: Floats) -> bool:
    """Whether a hand can be there [m], as seen from its device; a huge number is no more a place than no number at all."""
    return max(abs(float(position[0])), abs(float(position[1])), abs(float(position[2])), 0.0) <= REACH and finite(position)


def limited(force: Floats, largest: float) -> Floats:
    """The same direction, at most this size [N]."""
    size = math.sqrt(float(force @ force))
    return force * (largest / size) if size > largest else force


def slewed(wanted: Floats, before: Floats, largest: float, step: float) -> Floats:
    """From the force before towards the wanted one: changed by at most `step` [N], and no larger than `largest` [N].

    Where the bound has shrunk, the force is first drawn in, and only what is left of the step goes towards the wanted force: so
    both bounds are kept at once, as long as the largest force shrinks by no more than a step. If it shrinks by more, as after a
    stall, when there is no time left to fade, it beats the step.
    """
    inside = limited(before, largest)
    drawn = before - inside
    left = max(0.0, step - math.sqrt(float(drawn @ drawn)))
    way = limited(wanted, largest) - inside
    return inside + limited(way, left)


class Watchdog:
    """How much of the force may be felt, 0 to 1, given when the solver and the device were last heard of."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.gain = 0.0
        self.trips = 0  # how often the force was taken away
        self._heard: float | None = None

    def heard(self, time: float) -> None:
        """There was news at this time [s]."""
        self._heard = time if self._heard is None else max(time, self._heard)

    def update(self, now: float, dt: float) -> float:
        """The gain for the tick at `now` [s], dt after the one before. It is zero one tick before the silence is over, since a
        force is held until the next tick."""
        limits, before = self.limits, self.gain
        silence = math.inf if self._heard is None else now + dt - self._heard
        most = min(max((limits.silence - silence) / limits.ramp, 0.0), 1.0)
        self.gain = min(most, before + dt / limits.rise)
        if self.gain == 0.0 and before > 0.0:
            self.trips += 1
        return self.gain


class Gate:
    """All of it in order; holds the force that was let through last."""

    def __init__(self, limits: Limits, tick: float = 1e-3) -> None:
        self.limits = limits
        self.tick = tick  # [s], as meant: one that is late is no licence for a larger jump
        self.watchdog = Watchdog(limits)
        self.force: Floats = NO_FORCE  # [N]
        self.refused = 0  # forces that were no numbers

    def pass_on(self, wanted: Floats, now: float, dt: float) -> Floats:
        """What the device may get of a wanted force [N] at this time [s]."""
        gain = self.watchdog.update(now, dt)
        if not finite(wanted):
            self.refused += 1
            wanted = NO_FORCE
        largest = gain * self.limits.max_force
        self.force = slewed(gain * wanted, self.force, largest, self.limits.max_slew * min(dt, self.tick))
        return self.force
