"""Colours of the page, and those that stand for values."""

import html

import numpy as np
from numpy.typing import NDArray

from yawara.kernels.kinds import Floats

Colour = tuple[int, int, int]

BODIES: tuple[Colour, ...] = ((236, 205, 160), (196, 124, 92), (150, 190, 178), (214, 178, 196))  # dough, clay, gel, sweets
TOOL: Colour = (120, 134, 150)
TOOL_IN_HAND: Colour = (74, 111, 150)
STANDING: Colour = (176, 168, 158)
BRAND: Colour = (176, 98, 52)

# From pale dough to dark plum: lightness falls evenly, so it reads in grey and for colour-blind eyes too
STOPS = np.array([[250, 240, 218], [248, 200, 130], [232, 130, 82], [178, 58, 92], [84, 22, 92]], dtype=float)


def colours_of(values: Floats, low: float, high: float) -> NDArray[np.uint8]:
    """One colour (count, 3) for each value; beyond the range, and where there is none, that of the nearer end."""
    width = high - low if high > low else 1.0
    place = np.nan_to_num(np.clip((np.asarray(values, dtype=float) - low) / width, 0.0, 1.0)) * (len(STOPS) - 1)
    channels = [np.interp(place, np.arange(len(STOPS)), STOPS[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def legend(what: str, low: float, high: float, unit: str) -> str:
    """HTML: a bar with its ends, and what it stands for."""
    bar = ", ".join(f"rgb({red:.0f},{green:.0f},{blue:.0f})" for red, green, blue in STOPS)
    name = html.escape(f"{what} [{unit}]" if unit else what)
    return (
        '<div style="margin:0 0.8em 0.7em;font-size:0.8em;color:#5b5550">'
        f'<div style="margin-bottom:0.25em">{name}</div>'
        f'<div style="height:0.9em;border-radius:3px;background:linear-gradient(90deg,{bar})"></div>'
        f'<div style="display:flex;justify-content:space-between"><span>{low:.3g}</span>'
        f"<span>{(low + high) / 2:.3g}</span><span>{high:.3g}</span></div></div>"
    )
