"""Colours of a glTF 2.0 file, which are in linear light, from colours as screens show them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yawara.observe.export.glb_buffer import VERTICES, Buffer
from yawara.report.colour import rgb


def material(
    name: str, colour: str, colours: ArrayLike | None = None, *, roughness: float = 0.75, both_sides: bool = True
) -> dict[str, Any]:
    """White where the points bring their own colours. Never metal, which is what readers take a surface without material for."""
    base = [1.0, 1.0, 1.0] if colours is not None else _linear(np.array(rgb(colour))).round(5).tolist()
    surface = {"baseColorFactor": [*base, 1.0], "metallicFactor": 0.0, "roughnessFactor": roughness}
    result: dict[str, Any] = {"name": name, "pbrMetallicRoughness": surface, "doubleSided": both_sides}
    clear = colours is not None and bool((np.asarray(colours)[:, 3] < 255).any())
    return result | ({"alphaMode": "BLEND"} if clear else {})


def add_colours(buffer: Buffer, name: str, colours: ArrayLike, point_count: int) -> int:
    """Append sRGB and alpha per point, uint8, (point_count, 4), and return the index of the accessor."""
    given = np.asarray(colours)
    if given.shape != (point_count, 4) or given.dtype != np.uint8:
        raise ValueError(
            f"'{name}' colours must be uint8 of shape ({point_count}, 4) (got {given.dtype} {given.shape}); "
            "give red green blue alpha from 0 to 255 per point"
        )
    linear = given / 255.0
    linear[:, :3] = _linear(linear[:, :3])
    # 16 bits: dark tones would fall together in 8 linear ones
    return buffer.add((linear * 65535.0).round().astype(np.uint16), target=VERTICES, normalized=True)


def _linear(srgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Screen colours to linear light: the sRGB transfer function, IEC 61966-2-1."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
