"""Numbers for people: ticks at 1-2-5, powers of a thousand, SI prefixes."""

import math
import re
from itertools import pairwise

ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)  # ends of scales
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PREFIX = {-12: "p", -9: "n", -6: "µ", -3: "m", 3: "k", 6: "M", 9: "G", 12: "T"}
_TAKES_PREFIX = re.compile(r"(?:m|s|N|Pa|J|W|Hz|V|A)(?![A-Za-z0-9^²³])[^\s]*")  # m/s may become mm/s, m² may not


def nice_step(span: float, count: int) -> float:
    """The step 1, 2 or 5 times a power of ten that cuts `span` into about `count` parts, or fewer."""
    rough = span / count
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough * (1 - 1e-9))


def ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Multiples of a nice step from `low` to `high`, which differ."""
    step = nice_step(high - low, count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def log_ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Powers of ten from `low` to `high`; with 2 and 5, or 3, times them if they are few, and only some of them if they are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    decades = math.log10(high / low)
    factors = (1.0, 2.0, 5.0) if decades <= count / 3 else (1.0, 3.0) if decades <= count / 2 else (1.0,)
    every = max(1, math.ceil(decades / count))
    found = [factor * 10.0**power for power in range(first, last + 1) if power % every == 0 for factor in factors]
    found = [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
    return found if len(found) >= 2 else ticks(low, high, count)


def widened(low: float, high: float) -> tuple[float, float]:
    """Limits that differ enough to draw an axis between them, for data that are constant."""
    size = max(abs(low), abs(high))
    if high - low > 1e-9 * size:
        return low, high
    margin = 0.1 * size or 1.0
    return low - margin, high + margin


def scaled_label(label: str, size: float) -> tuple[int, str]:
    """The power of ten to divide an axis by, and its label with the unit that follows: 'x [m]' may become 'x [mm]'."""
    match = re.fullmatch(r"(.*)\[(.+)\]\s*", label)
    prefixed = bool(match and _TAKES_PREFIX.fullmatch(match[2]))
    low, high = (0.1, 1e4) if prefixed else (1e-3, 1e5)
    if not size or low <= size < high:
        return 0, label
    power = 3 * math.floor(math.log10(size) / 3 + 1e-9)
    if match and prefixed and power in _PREFIX:
        return power, f"{match[1]}[{_PREFIX[power]}{match[2]}]"
    factor = f"10{superscript(power)}"
    return power, f"{match[1]}[{factor} {match[2]}]" if match else f"{label} [{factor}]".strip()


def tick_labels(values: list[float], power: int) -> list[str]:
    """Ticks divided by 10^power, all with the same number of decimals."""
    shown = [value / 10.0**power for value in values]
    step = min((b - a for a, b in pairwise(shown)), default=0.0)
    decimals = min(12, max(0, -math.floor(math.log10(step) + 1e-6))) if step > 0 else 3
    return [_minus(f"{value + 0.0:.{decimals}f}") for value in shown]


def pretty(value: float, digits: int = 4) -> str:
    """A number to some significant digits, with a power of a thousand where it would grow long."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else _minus(f"{'-' if value < 0 else ''}∞")
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)) + 1e-12)
    if -4 <= size < 6:
        return _minus(_significant(value, digits))
    power = 3 * math.floor(size / 3)
    return f"{_minus(_significant(value / 10.0**power, digits))} × 10{superscript(power)}"


def superscript(value: int) -> str:
    return str(value).translate(_SUPERSCRIPT)


def _significant(value: float, digits: int) -> str:
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)) + 1e-12))
    plain = f"{value:.{decimals}f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _minus(digits: str) -> str:
    """A true minus sign, and none before a zero."""
    return digits.replace("-", "−") if digits.strip("-0.") else digits.lstrip("-")


def rounded_up(value: float) -> float:
    """To a number that reads well at the end of a scale; 1 for what is not above zero."""
    if value <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return float(power * next(step for step in ROUND if step * power >= value * (1 - 1e-9)))
