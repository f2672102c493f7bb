"""A measured curve: what was prescribed, and what was observed."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from yawara.calibrate.extract.course import Course
from yawara.calibrate.extract.response import displacement_under, force_under, recovery_after
from yawara.kernels.kinds import Floats
from yawara.laws.linear import LinearLaw

RESOLUTION = 1e-6  # of the span of values: no measurement is believed to be better


class Quantity(StrEnum):
    FORCE = "force"
    DISPLACEMENT = "displacement"


@dataclass(frozen=True)
class Observed:
    """One quantity, measured at some times. In [N] and [m], or in [Pa] and [1]: then laws have [Pa] and [Pa s]."""

    quantity: Quantity
    times: Floats  # [s], (row_count,)
    values: Floats  # (row_count,)
    noise: Floats  # standard deviation of each value, known or estimated, (row_count,)
    noise_known: bool = False

    @property
    def span(self) -> float:
        return float(np.ptp(np.append(self.values, 0.0)))


@dataclass(frozen=True)
class Curve:
    """A displacement or a force is prescribed, up to `release` if there is one; from there the specimen is free of force."""

    name: str
    prescribed: Quantity
    course: Course
    observed: tuple[Observed, ...]
    release: float | None = None  # [s]; only of a prescribed displacement
    notices: tuple[str, ...] = ()

    def answer(self, law: LinearLaw, observed: Observed) -> Floats:
        """What the law says should have been observed."""
        if self.prescribed is Quantity.FORCE:
            return displacement_under(law, self.course, observed.times)
        if observed.quantity is Quantity.FORCE:
            return force_under(law, self.course, observed.times)
        if self.release is None:
            raise ValueError(f"{self.name}: a displacement is observed and prescribed at once; give the time of release")
        return recovery_after(law, self.course, self.release, observed.times)


def estimated_noise(times: Floats, values: Floats) -> float:
    """Standard deviation of noise on a smooth curve, from how far each row is off the line between its neighbours.

    Gasser, Sroka & Jennen-Steinmetz, Biometrika 73 (1986) 625; the median, so that corners and jumps do not count.
    """
    floor = RESOLUTION * float(np.ptp(np.append(values, 0.0)))
    if len(times) < 5:
        return floor
    left = (times[2:] - times[1:-1]) / (times[2:] - times[:-2])
    off = values[1:-1] - left * values[:-2] - (1.0 - left) * values[2:]
    scaled = np.abs(off) / np.sqrt(1.0 + left**2 + (1.0 - left) ** 2)
    return max(float(np.median(scaled)) / 0.6745, floor)  # 0.6745: median of |x| for a standard normal x


def observe(quantity: Quantity, times: Floats, values: Floats, noise: Floats | float | None = None) -> Observed:
    """With the noise estimated if it is not known, and never below the resolution."""
    level = estimated_noise(times, values) if noise is None else noise
    floor = RESOLUTION * float(np.ptp(np.append(values, 0.0)))
    return Observed(quantity, times, values, np.maximum(np.broadcast_to(level, times.shape), floor), noise is not None)
