"""Where in its range a value lies, and how much of the range its interval takes."""

import math

from yawara.calibrate.fit import Estimate
from yawara.calibrate.report.words import known
from yawara.report.svg import Markup, drawing, element

WIDTH, HEIGHT, LEFT, RIGHT, MIDDLE = 200.0, 36.0, 8.0, 192.0, 11.0  # [px]


def range_bar(one: Estimate, *, log: bool) -> Markup:
    """A line from bound to bound with the interval as a stripe, the value as a dot, the start as a ring; nothing without bounds."""
    if one.low is None or one.high is None or not one.low < one.high:
        return Markup("–")

    def place(value: float) -> float:
        low, high, at = (math.log(max(x, 1e-300)) if log else x for x in (one.low or 0.0, one.high or 0.0, value))
        return LEFT + min(max((at - low) / (high - low), 0.0), 1.0) * (RIGHT - LEFT)

    parts = [
        element("path", d=f"M{LEFT} {MIDDLE}H{RIGHT}M{LEFT} 6V16M{RIGHT} 6V16", class_="axis", stroke="#9aa0a6", fill="none")
    ]
    if one.interval is not None:
        low, high = place(one.interval.low), place(one.interval.high)
        widened = max(0.0, 3.0 - (high - low)) / 2.0  # or it could not be seen
        parts.append(
            element(
                "rect", x=low - widened, y=MIDDLE - 5.0, width=high - low + 2.0 * widened, height=10.0, rx=2.0,
                style="fill:var(--s0)", opacity=0.4,
            )
        )  # fmt: skip
    ring = {"r": 3.6, "fill": "none", "stroke_width": 1.6, "class_": "s4"}
    parts.append(element("circle", cx=place(one.start), cy=MIDDLE, **ring))
    parts.append(element("circle", cx=place(one.value), cy=MIDDLE, r=3.4, style="fill:var(--s0)"))
    ends = [
        element("text", known(one.low, 3), x=LEFT - 6.0, y=HEIGHT - 4.0),
        element("text", known(one.high, 3), x=RIGHT + 6.0, y=HEIGHT - 4.0, text_anchor="end"),
        element("text", "log" if log else "", x=0.5 * (LEFT + RIGHT), y=HEIGHT - 4.0, text_anchor="middle"),
    ]
    parts.append(element("g", *ends, class_="tick", fill="#5f6368", font_size=11))
    words = f"{one.name} from {known(one.low, 3)} to {known(one.high, 3)}, now {known(one.value)}"
    svg = drawing(WIDTH, HEIGHT, *parts, kind="range", label=words)
    return element("div", svg, style="display:inline-block;vertical-align:middle;width:12.5rem")
