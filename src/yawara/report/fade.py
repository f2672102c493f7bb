"""What runs out of a drawing fades at its edges, so that it does not look cut off."""

import numpy as np
from numpy.typing import NDArray

from yawara.report.svg import Markup, element, join, number

_SOFT = 0.05  # of the width, over which it fades


def faded(markup: Markup, pixels: NDArray[np.float64], width: float, height: float) -> Markup:
    """The markup, under a mask with soft edges if some of the pixels (count, 2) it covers are outside."""
    inside = (pixels >= 0.0) & (pixels <= np.array([width, height]))
    if inside.all():
        return markup
    soft = _SOFT * width
    name = f"fade-{number(width)}-{number(height)}"  # equal names have equal contents, wherever in the page they stand
    blur = element(
        "filter", element("feGaussianBlur", stdDeviation=number(0.5 * soft)), id=f"{name}-soft", x="-20%", y="-20%", width="140%",
        height="140%",
    )  # fmt: skip
    window = element(
        "rect", x=soft, y=soft, width=width - 2.0 * soft, height=height - 2.0 * soft, fill="#fff", filter=f"url(#{name}-soft)"
    )
    frame = {"x": 0, "y": 0, "width": number(width), "height": number(height)}
    mask = element("mask", window, id=name, maskUnits="userSpaceOnUse", **frame)
    return join(blur, mask, element("g", markup, mask=f"url(#{name})"))
