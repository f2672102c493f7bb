"""Colours: reading '#rrggbb', mixing, the palette of lines and the map of values."""

import re

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Okabe & Ito, "Color Universal Design": told apart with every common colour vision; black stands for the ink of the page
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

# Viridis at 16 even stops (Smith & van der Walt, matplotlib 1.5): equal steps of value look like equal steps
VIRIDIS = (
    "#440154", "#481A6C", "#472F7D", "#414487", "#39568C", "#31688E", "#2A788E", "#23888E",
    "#1F988B", "#22A884", "#35B779", "#54C568", "#7AD151", "#A5DB36", "#D2E21B", "#FDE725",
)  # fmt: skip


def rgb(colour: str) -> tuple[float, float, float]:
    """Red, green and blue from 0 to 1 of '#rgb' or '#rrggbb'."""
    if not re.fullmatch(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})", colour):
        raise ValueError(f"colour must be written as '#rrggbb' (got '{colour}'); for example '#0072B2'")
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    red, green, blue = (int(digits[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
    return red, green, blue


def hexadecimal(colours: ArrayLike) -> list[str]:
    """'#rrggbb' of each row (count, 3) of red, green and blue from 0 to 1."""
    levels = (np.clip(np.asarray(colours, float), 0.0, 1.0) * 255.0).round().astype(int).reshape(-1, 3)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in levels.tolist()]


def mapped(values: ArrayLike) -> NDArray[np.float64]:
    """Colours (count, 3) of values from 0 to 1; grey where a value is not finite."""
    value = np.asarray(values, float)
    stops, table = np.linspace(0.0, 1.0, len(VIRIDIS)), np.array([rgb(stop) for stop in VIRIDIS])
    known = np.where(np.isfinite(value), value, 0.0)
    colours = np.stack([np.interp(known, stops, table[:, channel]) for channel in range(3)], axis=-1)
    return np.where(np.isfinite(value)[:, None], colours, 0.6)
