"""The report's method for two Voigt parts, section 5.4.3: converged force, slope of the logarithm, subtraction.

It takes both stiffnesses as equal, which is why it misses: then both parts share the displacement evenly at the release, whatever
they are. It is here to be compared with least squares.
"""

import math
from dataclasses import dataclass

import numpy as np

from yawara.calibrate.extract.curve import Curve, Observed, Quantity
from yawara.kernels.kinds import Floats
from yawara.laws import GeneralizedVoigt

PARTS = 2
DECAYED = math.exp(-3.0)  # the residual's slope is read where it has fallen to this share: Hirai 2005 says "around 100 s" only


@dataclass(frozen=True)
class Graphical:
    """Every step of the method."""

    converged_force: float  # [N]
    stiffness: float  # [N/m], of each part
    late_slope: float  # [1/s], of ln|x| late in the recovery
    late_viscosity: float  # [N s/m], which follows from it
    largest_viscosity: float  # [N s/m], with which the slow part is nowhere above the whole
    adjusted_viscosity: float  # [N s/m], that one to two digits, as a hand would set it
    residual_time: float  # [s], where the slope of what is left was read
    residual_slope: float  # [1/s]
    viscosity: float  # [N s/m], of the quick part

    @property
    def law(self) -> GeneralizedVoigt:
        return GeneralizedVoigt(k=(self.stiffness, self.stiffness), c=(self.viscosity, self.adjusted_viscosity))


def graphical(curve: Curve, *, mass: float = 0.0, readings: tuple[float, float] | None = None) -> Graphical:
    """Of a press with release; `mass` [kg] of the model, `readings` [s]: the two late times at which ln|x| is read."""
    if curve.release is None:
        raise ValueError(f"{curve.name}: the graphical method needs a recovery; give a curve that is let go")
    held, free = (_of(curve, quantity) for quantity in (Quantity.FORCE, Quantity.DISPLACEMENT))
    since, x = free.times - curve.release, np.abs(free.values)
    depth = abs(float(curve.course.at(np.array([curve.release]))[0]))
    force = float(abs(held.values[-1]))
    stiffness = PARTS * force / depth  # K = -2 f_conv/dx      eq. (5.29)
    first, second = readings or (float(np.quantile(free.times, 0.75)), float(free.times[-1]))
    late_slope = float(np.diff(np.interp([first, second], free.times, np.log(x)))[0]) / (second - first)
    largest = _largest_viscosity(since, x, depth / PARTS, stiffness)
    adjusted = _two_digits(largest)
    left = x - depth / PARTS * np.exp(-stiffness * since / adjusted)
    where, slope = _tangent(since, left, DECAYED * depth * (1.0 - 1.0 / PARTS))
    return Graphical(
        converged_force=force, stiffness=stiffness, late_slope=late_slope, late_viscosity=viscosity_of(stiffness, late_slope, mass=mass),
        largest_viscosity=largest, adjusted_viscosity=adjusted, residual_time=where + curve.release, residual_slope=slope,
        viscosity=viscosity_of(stiffness, slope, mass=mass),
    )  # fmt: skip


def viscosity_of(stiffness: float, slope: float, *, mass: float = 0.0) -> float:
    """[N s/m] of a part that returns with this slope of ln|x| [1/s]; `mass` [kg] is the whole model's."""
    # b = (-k - (m/n) lambda^2)/lambda      eq. (5.12)
    return (-stiffness - mass / PARTS * slope**2) / slope


def _of(curve: Curve, quantity: Quantity) -> Observed:
    return next(observed for observed in curve.observed if observed.quantity is quantity)


def _largest_viscosity(since: Floats, x: Floats, share: float, stiffness: float) -> float:
    """With which share exp(-K t/b) <= |x| at all times: b <= K t/ln(share/|x|)."""
    lower = (x < share) & (since > 0.0)
    return float(np.min(stiffness * since[lower] / np.log(share / x[lower]), initial=np.inf))


def _two_digits(value: float) -> float:
    """Rounded down to two digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / unit * (1 + 1e-9)) * unit  # 99.9999999 is meant to be 100


def _tangent(since: Floats, left: Floats, level: float) -> tuple[float, float]:
    """The time after release at which what is left has fallen to `level`, and the slope of its logarithm there."""
    below = np.flatnonzero(left <= level)
    end = int(below[0]) + 2 if len(below) else len(left)
    positive = int(np.flatnonzero(left[:end] > 0)[-1]) + 1
    t, log = since[:positive], np.log(left[:positive])
    where = float(np.interp(-math.log(level), -log, t))
    return where, float(np.interp(where, t, np.gradient(log, t)))
