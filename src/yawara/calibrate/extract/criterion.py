"""Whether an element pays: information criteria, and whether each parameter is identified."""

import math

from yawara.calibrate.extract.fit import Fit

UNKNOWN = math.log(10.0) / (2 * 1.96)  # a parameter is not identified if its 95 % interval is wider than a factor of ten
SAME_TIME = 1.3  # parts whose times differ by less than this factor are one part, cut in two


def aicc(fitted: Fit) -> float:
    """-2 ln L + 2 K + 2 K (K + 1)/(N - K - 1), small-sample Akaike; Hurvich & Tsai, Biometrika 76 (1989) 297."""
    count, rows = _parameter_count(fitted), fitted.row_count
    return fitted.likelihood + 2 * count + 2 * count * (count + 1) / (rows - count - 1) if rows > count + 1 else math.inf


def bic(fitted: Fit) -> float:
    """-2 ln L + K ln N; Schwarz, Annals of Statistics 6 (1978) 461."""
    return fitted.likelihood + _parameter_count(fitted) * math.log(fitted.row_count)


def _parameter_count(fitted: Fit) -> int:
    """The law's parameters, and the noise of each quantity."""
    return len(fitted.values) + fitted.quantity_count


def doubts(fitted: Fit) -> list[str]:
    """What of the law the data do not tell, in words."""
    names, found = fitted.family.names, []
    for name, deviation, bounded in zip(names, fitted.deviation, fitted.bounded, strict=True):
        if bounded:
            found.append(f"{name} runs away: the data do not bound it")
        elif deviation > UNKNOWN:
            found.append(f"{name} is not identified: its 95 % interval is a factor of {_factor(deviation)} wide")
    if not fitted.settled:
        found.append("the search did not settle: there is no clear minimum")
    times = fitted.part_times
    for i in range(len(times) - 1):
        if times[i + 1] < SAME_TIME * times[i]:
            found.append(
                f"parts {i + 1} and {i + 2} have nearly the same time ({times[i]:.3g} s and {times[i + 1]:.3g} s): one is enough"
            )
    return found


def _factor(deviation: float) -> str:
    return f"{math.exp(2 * 1.96 * deviation):.2g}" if deviation < 20 else "more than 1e30"


CRITERIA = {"aicc": aicc, "bic": bic}
