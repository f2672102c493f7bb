"""Exponentials peeled off a decay, the slowest first: as in Hirai 2005, sec. 5.4.3, but for stiffnesses that need not be equal."""

import numpy as np

from yawara.calibrate.extract.curve import Curve, Quantity
from yawara.kernels.kinds import Floats
from yawara.laws import GeneralizedVoigt
from yawara.laws.linear import Spectrum, spectrum

TAIL = 0.25  # of the times of what is left: there only its slowest part is left
FLOOR = 1e-4  # of the first value: what is left below this is the last part's error


def peel(since: Floats, values: Floats, count: int) -> Spectrum:
    """Amplitudes and rates [1/s] of `count` exponentials that add up to a decay from time 0, the slowest first."""
    left, lines = values.copy(), []
    for _ in range(count):
        gone = np.flatnonzero(left <= FLOOR * values[0])
        end = int(gone[0]) if len(gone) else len(left)
        tail = slice(end - max(3, int(TAIL * end)), end)
        slope, height = np.polyfit(since[tail], np.log(left[tail]), 1)
        lines.append((float(np.exp(height)), float(-slope)))
        left = left - np.exp(height + slope * since)
    return spectrum(0.0, *lines)


def peeled_law(curve: Curve, count: int) -> GeneralizedVoigt:
    """The generalised Voigt law of a press with release, after a hold long enough for the force to converge.

    All parts then bear the converged force f = k_i x_i, and part i returns from x_i with the rate k_i/c_i.
    """
    if curve.release is None:
        raise ValueError(f"{curve.name}: peeling needs a recovery; give a curve that is let go")
    force = next(item for item in curve.observed if item.quantity is Quantity.FORCE)
    free = next(item for item in curve.observed if item.quantity is Quantity.DISPLACEMENT)
    lines = peel(free.times - curve.release, np.abs(free.values), count)
    depth = abs(float(curve.course.at(np.array([curve.release]))[0]))
    # k_i = k_eff sum A/A_i, k_eff = f_conv/dx
    k = abs(float(force.values[-1])) / depth * lines.weight.sum() / lines.weight
    return GeneralizedVoigt(k=tuple(k.tolist()[::-1]), c=tuple((k / lines.rate).tolist()[::-1]))
