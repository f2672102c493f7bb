"""What speaks against a fitted law so much that it must not be chosen: it misses the data by far, or the data do not bound it."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from yawara.calibrate.extract.curve import Curve, Observed
from yawara.calibrate.extract.fit import Fit
from yawara.kernels.kinds import Floats

MISSED = 0.1  # rms of what is left, over how much the rows vary (their standard deviation): above, the law misses them by far,
FLAT = 0.1  # where rows that vary less than this share of their span count as varying so much,
NOISY = 3.0  # unless noise explains it: rms of what is left, over the noise of the rows
UNBOUNDED = math.log(1e4) / (2 * 1.96)  # a 95 % interval wider than a factor of 10 000 says nothing


def objections(fitted: Fit, curves: Sequence[Curve]) -> list[str]:
    """In words; none if the law may be chosen."""
    return [*misses(fitted, curves), *unbounded(fitted)]


def misses(fitted: Fit, curves: Sequence[Curve]) -> list[str]:
    """Which of the measured quantities the law misses by far."""
    found = []
    for curve, residuals in zip(curves, fitted.residuals, strict=True):
        for observed, left in zip(curve.observed, residuals, strict=True):
            share, noises = missed_share(observed, left), missed_noises(observed, left)
            if share > MISSED and noises > NOISY:
                found.append(
                    f"the law misses the {observed.quantity} of {Path(curve.name).name} by far: {100 * share:.2g} % of how much it "
                    f"varies, {noises:.0f} times its noise (root mean square)"
                )
    return found


def missed_share(observed: Observed, left: Floats) -> float:
    """What is left of the rows, over how much they vary."""
    size = max(float(np.std(observed.values)), FLAT * observed.span)
    return _rms(left) / size if size > 0.0 else 0.0


def missed_noises(observed: Observed, left: Floats) -> float:
    """What is left of the rows, over their noise: 1 for the true law."""
    return _rms(left / observed.noise) if observed.span > 0.0 else 0.0


def unbounded(fitted: Fit) -> list[str]:
    """Parameters that could be anything, and a search that did not end at a minimum."""
    loose = np.asarray(fitted.bounded) | (fitted.deviation > UNBOUNDED)
    names = [name for name, is_loose in zip(fitted.family.names, loose, strict=True) if is_loose]
    found = [f"the data do not bound {' and '.join(names)}: from nothing to infinity, all is possible"] if names else []
    return found if fitted.settled else [*found, "the search did not settle: there is no clear minimum"]


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
