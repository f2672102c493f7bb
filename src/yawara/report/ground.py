"""What a scene stands on: a grid of known width that fades with distance, and soft shadows."""

import numpy as np
from numpy.typing import NDArray

from yawara.report.camera import Camera
from yawara.report.numbers import nice_step, pretty
from yawara.report.shading import light
from yawara.report.svg import Markup, element, join, number, points

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FADES = 6  # steps of opacity
_SEEN = 0.03  # sine of the lowest elevation at which the ground is drawn
_LENGTHS = ((1.0, "m"), (1e-2, "cm"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))


def grid_step(bounds: Floats) -> float:
    """Distance of the grid lines [m]: about eight of them across the widest side."""
    return nice_step(float((bounds[1] - bounds[0])[:2].max()) or 1.0, 8)


def length_text(length: float) -> str:
    """A length [m] in the unit that suits it."""
    factor, unit = next(((factor, unit) for factor, unit in _LENGTHS if length >= 0.999 * factor), _LENGTHS[-1])
    return f"{pretty(length / factor)} {unit}"


def grid(bounds: Floats, camera: Camera) -> Markup:
    """Lines on the plane of the lowest z; empty if the eye is not above it."""
    if camera.toward[2] < _SEEN:
        return Markup()
    step = grid_step(bounds)
    middle = bounds.mean(axis=0)[:2]
    reach = 0.75 * float(np.linalg.norm((bounds[1] - bounds[0])[:2])) + 2.0 * step
    first, last = np.floor((middle - reach) / step), np.ceil((middle + reach) / step)
    segments = np.concatenate([_lines(axis, first, last, step) for axis in (0, 1)])  # (segment_count, 2, 2)
    away = np.linalg.norm(segments.mean(axis=1) - middle, axis=1) / reach
    level = np.ceil(_FADES * np.clip(1.25 * (1.0 - away), 0.0, 1.0)).astype(int)
    ends = camera.place(np.concatenate([segments, np.full((*segments.shape[:2], 1), bounds[0, 2])], axis=2))
    paths = []
    for fade in range(1, _FADES + 1):
        path = "".join(f"M{points(rows)}" for rows in ends[level == fade].tolist())
        paths.append(element("path", d=path, opacity=fade / _FADES) if path else Markup())
    return element("g", *paths, class_="ground", stroke="#c4c9d0", stroke_width=0.8, fill="none")


def _lines(axis: int, first: Floats, last: Floats, step: float) -> Floats:
    """All grid lines that run along an axis, cut at the crossings so that they can fade."""
    along, across = np.arange(first[axis], last[axis]), np.arange(first[1 - axis], last[1 - axis] + 1)
    begin, level = (grid.ravel() for grid in np.meshgrid(along, across))
    segments = np.empty((len(begin), 2, 2))
    segments[:, :, 1 - axis] = level[:, None]
    segments[:, 0, axis], segments[:, 1, axis] = begin, begin + 1
    return segments * step


def shadow(position: Floats, corners: Integers, lines: Integers, bounds: Floats, camera: Camera) -> Markup:
    """The shadow of one body: a wide soft one away from the lamp, and a narrow one right below, which sets it on the ground."""
    if camera.toward[2] < _SEEN:
        return Markup()
    lamp = light(camera)
    lean = lamp[:2] / max(float(lamp[2]), 0.3)
    size = float(np.linalg.norm(camera.place(bounds)[1] - camera.place(bounds)[0]))  # [px]
    level = float(bounds[0, 2])
    cast = _thrown(position, 0.8 * lean, level, camera)
    below = _thrown(position, 0.0 * lean, level, camera)
    return join(
        _stain(cast, corners, lines, blur=0.022 * size, opacity=0.20),
        _stain(below, corners, lines, blur=0.009 * size, opacity=0.26),
    )


def _thrown(position: Floats, lean: Floats, level: float, camera: Camera) -> Floats:
    """Where the shadows of points fall [px], (point_count, 2)."""
    height = np.clip(position[:, 2:] - level, 0.0, None)
    return camera.place(np.column_stack([position[:, :2] - height * lean, np.full(len(position), level)]))


def _stain(pixels: Floats, corners: Integers, lines: Integers, *, blur: float, opacity: float) -> Markup:
    """All faces and lines in one blurred black."""
    shapes = pixels[corners]
    x, y = shapes[..., 0], shapes[..., 1]
    area = (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)
    shapes[area < 0] = shapes[area < 0, ::-1]  # all one way round, or fronts and backs would cancel
    faces = "".join(f"M{points(rows)}z" for rows in shapes.tolist())
    strokes = "".join(f"M{points(rows)}" for rows in pixels[lines].tolist())
    deviation = number(blur)
    name = f"blur-{deviation}"  # equal names have equal contents, wherever in the page they stand
    soft = element("filter", element("feGaussianBlur", stdDeviation=deviation), id=name, x="-20%", y="-20%", width="140%", height="140%")
    parts = [element("path", d=faces) if faces else "", element("path", d=strokes, stroke="#000", stroke_width=3, fill="none") if strokes else ""]
    return join(soft, element("g", *parts, class_="shadow", opacity=opacity, filter=f"url(#{name})"))
