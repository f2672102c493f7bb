"""Numbers and units in plain words; what is not known is a dash, never NaN."""

import math
from collections.abc import Sequence
from pathlib import Path

from yawara.calibrate.fit import Estimate
from yawara.calibrate.intervals import Interval
from yawara.report.numbers import pretty
from yawara.report.svg import text_width

UNKNOWN, NBSP = "–", "\u00a0"
SURE = f"95{NBSP}%"
MM, CM, CM3 = 1e3, 1e2, 1e6  # per m, per m, per m^3
SYMMETRIC = 0.2  # of a half width: sides that differ by less are told as one ±
_POWERS = {"^2": "²", "^3": "³", "^4": "⁴"}


def known(value: float | None, digits: int = 4) -> str:
    """A number to some significant digits, or a dash."""
    return UNKNOWN if value is None or not math.isfinite(value) else pretty(value, digits)


def unit_text(unit: str) -> str:
    """A unit as it is printed: 'kg/m^3' with a raised 3, and nothing for plain numbers."""
    for written, shown in _POWERS.items():
        unit = unit.replace(written, shown)
    return "" if unit == "1" else unit


def with_unit(words: str, unit: str) -> str:
    """Number and unit, which no line break parts."""
    return f"{words}{NBSP}{unit_text(unit)}".rstrip()


def to_width(value: float, width: float) -> str:
    """A value written so far that its last two digits are those of its uncertainty, zeros at the end included."""
    if not math.isfinite(value) or not math.isfinite(width) or width <= 0.0:
        return known(value)
    decimals = 1 - math.floor(math.log10(width))
    if 0 <= decimals <= 6 and abs(value) < 1e6:
        return f"{value:z.{decimals}f}".replace("-", "−")
    size = math.floor(math.log10(abs(value))) if value else 0
    return known(value, min(max(size + decimals + 1, 2), 10))


def value_text(one: Estimate) -> str:
    """The value alone, to the digits that mean something."""
    return to_width(one.value, half_width(one.interval))


def interval_text(interval: Interval) -> str:
    """'1.94 to 2.00', with what is no end by the data marked as the bound that it is."""
    low, high = (to_width(end, half_width(interval)) for end in (interval.low, interval.high))
    low = f"{low} (bound)" if interval.open_low else low
    return f"{low} to {high} (bound)" if interval.open_high else f"{low} to {high}"


def half_width(interval: Interval | None) -> float:
    """In the parameter's unit; 0 if nothing is known."""
    return 0.5 * (interval.high - interval.low) if interval is not None else 0.0


def plus_minus(one: Estimate) -> str:
    """' ± 0.03' where the interval is about the same on both sides, else nothing."""
    interval = one.interval
    if interval is None or interval.open_low or interval.open_high or interval.low == interval.high:
        return ""
    half = half_width(interval)
    lopsided = abs((interval.high - one.value) - (one.value - interval.low)) > 2.0 * SYMMETRIC * half
    return "" if lopsided else f" ± {to_width(half, half)}"


def counted(count: int, word: str, plural: str = "") -> str:
    return f"{count} {word if count == 1 else plural or word + 's'}"


def joined(words: Sequence[str]) -> str:
    """'a, b and c'"""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def cut(name: str, width: float) -> str:
    """A name that fits [px]: its middle is left out, since names that belong together differ at their ends."""
    if text_width(name) <= width:
        return name
    kept = len(name) - 1
    while kept > 2 and text_width(_ends(name, kept)) > width:
        kept -= 1
    return _ends(name, kept)


def _ends(name: str, kept: int) -> str:
    return f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"


def file_name(source: str) -> str:
    """Of a path, only what tells files apart: a page travels, folders do not."""
    return Path(source).name or source
