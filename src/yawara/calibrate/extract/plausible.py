"""Numbers that are hardly meant: most often a unit that is off by a thousand."""

import numpy as np

from yawara.kernels.kinds import Floats

# SI unit -> least and greatest span that a test of a soft specimen has, and what it may be instead
SPANS = {
    "m": (1e-7, 1.0, "are these mm?", "are these m, not mm?"),
    "N": (1e-6, 1e5, "are these mN, or gf?", "are these kN, or N, not mN?"),
    "1": (1e-5, 5.0, "are these % or microstrain?", "are these ratios, not %?"),
    "Pa": (1e-2, 1e10, "are these Pa, not kPa or MPa?", "are these kPa or MPa?"),
    "s": (1e-3, 1e8, "are these ms?", "are these s, min or h, not ms?"),
}


def doubtful_span(what: str, values: Floats, unit: str) -> str | None:
    """A sentence if the values span more or less than is likely, else None."""
    least, greatest, too_large, too_small = SPANS[unit]
    span = float(np.ptp(np.append(values, 0.0)))
    shown = unit if unit != "1" else "(no unit)"
    if span > greatest:
        return f"{what} spans {span:.4g} {shown}, more than {greatest:g}: {too_large}"
    if span < least:
        return f"{what} spans {span:.4g} {shown}, less than {least:g}: {too_small}"
    return None
