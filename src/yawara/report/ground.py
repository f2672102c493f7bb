"""What a scene stands on: a grid of known width that fades, and soft shadows."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from yawara.report.camera import Camera
from yawara.report.numbers import nice_step, pretty
from yawara.report.shading import light
from yawara.report.shape import Shape
from yawara.report.svg import Markup, element, join, number, points

Floats = NDArray[np.float64]

_FADES = 8  # steps of opacity
_SEEN = 0.03  # sine of the lowest elevation at which the ground is drawn
_LENGTHS = ((1.0, "m"), (1e-2, "cm"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))


def grid_step(bounds: Floats) -> float:
    """Distance of the grid lines [m]: at most ten of them across the widest side."""
    return nice_step(float((bounds[1] - bounds[0]).max()) or 1.0, 10)


def length_text(length: float) -> str:
    """A length [m] in the unit that suits it."""
    factor, unit = next(((factor, unit) for factor, unit in _LENGTHS if length >= 0.999 * factor), _LENGTHS[-1])
    return f"{pretty(length / factor)} {unit}"


def scale_text(bounds: Floats, camera: Camera, bottom: float) -> Markup:
    """How wide the squares of the grid are, at the lower left of a drawing."""
    if camera.toward[2] < _SEEN:
        return Markup()
    words = f"grid {length_text(grid_step(bounds))}"
    return element("text", words, x=10.0, y=bottom - 6.0, class_="tick", fill="#5f6368", font_size=11)


def grid(bounds: Floats, camera: Camera, width: float, bottom: float) -> Markup:
    """Lines on the plane of the lowest z, fading toward the edges of the drawing; empty if the eye is not above it."""
    if camera.toward[2] < _SEEN:
        return Markup()
    middle = bounds.mean(axis=0)[:2]
    reach = 0.8 * float(np.linalg.norm((bounds[1] - bounds[0])[:2])) + 2.0 * grid_step(bounds)
    paths: list[list[str]] = [[] for _ in range(_FADES + 1)]
    for line in _lines(middle, reach, grid_step(bounds)):
        pixels = camera.place(np.column_stack([line, np.full(len(line), bounds[0, 2])]))
        inside = np.minimum(pixels, np.array([width, bottom]) - pixels).min(axis=1) / (0.16 * bottom)
        clear = np.minimum(inside, 3.0 * (1.0 - np.linalg.norm(line - middle, axis=1) / reach))
        level = np.ceil(_FADES * np.clip(clear, 0.0, 1.0)).astype(int)[:-1]
        cuts = [0, *(np.flatnonzero(np.diff(level)) + 1).tolist(), len(level)]
        for begin, end in pairwise(cuts):
            paths[level[begin]].append(f"M{points(pixels[[begin, end]].tolist())}")
    drawn = [element("path", d="".join(path), opacity=fade / _FADES) for fade, path in enumerate(paths) if fade and path]
    return element("g", *drawn, class_="ground", stroke="#c4c9d0", stroke_width=0.8, fill="none")


def _lines(middle: Floats, reach: float, step: float) -> Iterator[Floats]:
    """The grid lines of both ways, as points (count, 2) a quarter of a square apart, where they may change their tone."""
    for axis in (0, 1):
        first, last = np.floor((middle - reach) / step), np.ceil((middle + reach) / step)
        along = np.arange(4 * first[axis], 4 * last[axis] + 1) * step / 4.0
        for level in np.arange(first[1 - axis], last[1 - axis] + 1) * step:
            line = np.full((len(along), 2), level)
            line[:, axis] = along
            yield line


def shadow(body: Shape, bounds: Floats, camera: Camera) -> Markup:
    """The shadow of one body: a wide soft one away from the lamp, and a narrow one right below, which sets it on the ground."""
    if camera.toward[2] < _SEEN:
        return Markup()
    lamp = light(camera)
    lean = lamp[:2] / max(float(lamp[2]), 0.3)
    size = float(np.linalg.norm(camera.place(bounds)[1] - camera.place(bounds)[0]))  # [px]
    level = float(bounds[0, 2])
    cast = _thrown(body.points, 0.8 * lean, level, camera)
    below = _thrown(body.points, 0.0 * lean, level, camera)
    return join(
        _stain(cast, body, blur=0.022 * size, opacity=0.20 * body.opacity),
        _stain(below, body, blur=0.009 * size, opacity=0.22 * body.opacity),
    )


def _thrown(position: Floats, lean: Floats, level: float, camera: Camera) -> Floats:
    """Where the shadows of points fall [px], (point_count, 2)."""
    height = np.clip(position[:, 2:] - level, 0.0, None)
    return camera.place(np.column_stack([position[:, :2] - height * lean, np.full(len(position), level)]))


def _stain(pixels: Floats, body: Shape, *, blur: float, opacity: float) -> Markup:
    """All faces and lines in one blurred black."""
    shapes = pixels[body.corners]
    x, y = shapes[..., 0], shapes[..., 1]
    area = (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)
    # All one way round, or fronts and backs would cancel; of a closed surface either of them is enough
    shapes = shapes[area > 0] if body.closed else np.where((area < 0)[:, None, None], shapes[:, ::-1], shapes)
    faces = "".join(f"M{points(rows)}z" for rows in shapes.tolist())
    strokes = "".join(f"M{points(rows)}" for rows in pixels[body.strokes].tolist())
    deviation = number(blur)
    name = f"blur-{deviation}"  # equal names have equal contents, wherever in the page they stand
    soft = element(
        "filter", element("feGaussianBlur", stdDeviation=deviation), id=name, x="-20%", y="-20%", width="140%", height="140%"
    )
    parts = [
        element("path", d=faces) if faces else "",
        element("path", d=strokes, stroke="#000", stroke_width=3, fill="none") if strokes else "",
    ]
    return join(soft, element("g", *parts, class_="shadow", opacity=opacity, filter=f"url(#{name})"))
