"""A hand that exists only in the computer: it follows a path as far as the forces let it, and its device measures as real ones do.

The hand is a mass held by a spring and a damper at the place where it intends to be:

    m ÿ = −k y − b ẏ + f,    y = x − p(t)

Between two reads the force is constant, as a device holds it, and the path a straight line, so each step is exact: the hand itself
can neither make nor lose energy by numerics, whatever the tick. Measured positions are rounded to steps of `resolution` and `delay`
reads old.
"""

import cmath
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from yawara import files
from yawara.clock import REAL, Clock
from yawara.haptics.device import DeviceError, DeviceInfo, DeviceState, Floats

Path3 = Callable[[float], Floats]  # time since the beginning [s] -> intended place [m], (3,)


@dataclass(frozen=True)
class Hand:
    """How the hand moves and how well it is measured; defaults: a relaxed grip on a light device."""

    mass: float = 0.15  # [kg], of hand and device together
    stiffness: float = 300.0  # [N/m], with which it holds its course
    damping: float = 3.0  # [N s/m]
    resolution: float = 0.0  # [m], 0: exact
    delay: int = 0  # reads
    depth: float = 0.01  # [m], how far below z = 0 the stroke goes
    height: float = 0.01  # [m], how far above
    period: float = 1.0  # [s], of the stroke up and down; 0: stay at -depth

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise DeviceError(f"{name} of the simulated hand must be > 0 (got {getattr(self, name)}); give a positive number")
        for name in ("damping", "resolution", "delay", "period", "depth", "height"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise DeviceError(
                    f"{name} of the simulated hand must be >= 0 (got {getattr(self, name)}); give a number from 0 on"
                )

    def stroke(self, elapsed: float) -> Floats:
        """Up and down along z."""
        if self.period == 0.0:
            return np.array([0.0, 0.0, -self.depth])
        swing = math.cos(2.0 * math.pi * elapsed / self.period)
        return np.array([0.0, 0.0, 0.5 * (self.height - self.depth) + 0.5 * (self.height + self.depth) * swing])


class SimulatedDevice:
    """A device with a modelled hand on it. Time is what `clock` says, so that a test can bring its own."""

    def __init__(
        self,
        hand: Hand | None = None,
        path: Path3 | None = None,
        *,
        clock: Clock = REAL,
        log: Path | None = None,
        info: DeviceInfo | None = None,
    ) -> None:
        self.hand = hand or Hand()
        self.info = info or DeviceInfo("simulated", workspace=(0.1, 0.1, 0.1), max_force=5.0, rate=1000.0)
        self._path = path or self.hand.stroke
        self._clock, self._log = clock, log
        self._now = self._begin = clock.now()
        self._course = self._path(0.0)
        self.position: Floats = self._course.copy()  # [m], the true one
        self.velocity: Floats = np.zeros(3)  # [m/s]
        self.force: Floats = np.zeros(3)  # [N]
        self.work = 0.0  # [J], what the forces have done to the hand
        self._seen: deque[DeviceState] = deque(maxlen=self.hand.delay + 1)
        self._written: list[tuple[float, float, float, float]] = []

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Such as `stiffness=500,damping=2,log=forces.csv`."""
        hand, log = Hand(), None
        kinds: dict[str, type[float] | type[int]] = {
            field.name: int if field.name == "delay" else float for field in fields(Hand)
        }
        for item in filter(None, text.split(",")):
            name, _, value = item.partition("=")
            if name == "log":
                log = Path(value)
                continue
            if name not in kinds:
                raise DeviceError(f"simulated hand: '{name}' is not known; valid: {', '.join([*kinds, 'log'])}")
            try:
                changed: dict[str, Any] = {name: kinds[name](value)}
            except ValueError:
                raise DeviceError(
                    f"simulated hand: {name} must be a number (got '{value}'); write for example {name}=1"
                ) from None
            hand = replace(hand, **changed)
        return cls(hand, log=log)

    def open(self) -> None:
        self._now = self._begin = self._clock.now()

    def close(self) -> None:
        self.write(np.zeros(3))
        if self._log is not None:
            lines = ["time,x,y,z", *(",".join(map(repr, row)) for row in self._written)]
            files.write_text(self._log, "\n".join(lines) + "\n")

    def read(self) -> DeviceState:
        self.advance(self._clock.now() - self._now)
        step = self.hand.resolution
        position = np.round(self.position / step) * step if step > 0 else self.position.copy()
        self._seen.append(DeviceState(self._now, position, self.velocity.copy(), buttons=(False,)))
        return self._seen[0]

    def write(self, force: Floats) -> None:
        self.advance(self._clock.now() - self._now)
        self.force = np.array(force, float)
        if self._log is not None:
            self._written.append((self._now, float(force[0]), float(force[1]), float(force[2])))

    def advance(self, dt: float) -> None:
        """Let this much time [s] pass under the present force."""
        if dt <= 0.0:
            return
        hand, before = self.hand, self.position
        course = self._path(self._now + dt - self._begin)
        drift = (course - self._course) / dt  # [m/s]
        rest = self.force / hand.stiffness
        y, w = before - self._course - rest, self.velocity - drift
        # e^(At) = e^(−at) (cosh(st) I + sinh(st)/s (A + a I)),  a = b/2m, s² = a² − k/m
        a = 0.5 * hand.damping / hand.mass
        stiff = hand.stiffness / hand.mass
        s = cmath.sqrt(a * a - stiff)
        fade = cmath.exp(-a * dt)
        c = (fade * cmath.cosh(s * dt)).real
        d = (fade * cmath.sinh(s * dt) / s).real if abs(s) * dt > 1e-9 else fade.real * dt
        self.position = course + rest + (c + a * d) * y + d * w
        self.velocity = drift - stiff * d * y + (c - a * d) * w
        self.work += float(self.force @ (self.position - before))
        self._course, self._now = course, self._now + dt
