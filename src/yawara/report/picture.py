"""Pictures of bodies as inline SVG: shaded surfaces and strokes, far ones first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yawara.report import faces, ground, shading
from yawara.report.camera import Camera, bounds_of, fitted
from yawara.report.colour import PALETTE, hexadecimal, mapped, rgb
from yawara.report.key import Bar, bar_key, name_key
from yawara.report.svg import Markup, drawing, element, points

Floats = NDArray[np.float64]
Piece = tuple[float, int, Markup]  # nearness, index of the body, drawing


@dataclass(frozen=True)
class Shape:
    """One body at one time."""

    position: ArrayLike  # [m], (point_count, 3), z up; points that are not finite are left out
    triangles: ArrayLike = ()  # (triangle_count, 3); a closed surface is seen from outside, a sheet from both sides
    colour: str = PALETTE[0]
    name: str = ""
    lines: ArrayLike | None = None  # (line_count, 2), for 1-D bodies
    values: ArrayLike | None = None  # per point, 0 to 1, colours instead of `colour`
    rest: ArrayLike | None = None  # [m], (point_count, 3): where squares are told from triangles; `position` if not given


def picture(
    bodies: Sequence[Shape],
    *,
    width: float = 360.0,
    height: float = 300.0,
    view: tuple[float, float] = (-60.0, 24.0),
    bounds: ArrayLike | None = None,
    caption: str = "",
    bar: Bar | None = None,
) -> Markup:
    """An SVG of bodies seen from azimuth and elevation [degrees]; (-90, 90) looks down on the plane of x and y.

    Pictures with the same `bounds`, lowest and highest corner (2, 3) [m], share a scale; `bounds_of` finds them. `bar` explains
    the colours of values.
    """
    limits = bounds_of(*(body.position for body in bodies)) if bounds is None else np.asarray(bounds, float).reshape(2, 3)
    names = [(body.name, body.colour) for body in bodies if body.name]
    top = 30.0 if len(names) > 1 else 14.0
    bottom = height - (44.0 if caption else 26.0)
    camera = fitted(limits, view, (0.07 * width, top, 0.93 * width, bottom))
    pieces = sorted((piece for index, body in enumerate(bodies) for piece in _pieces(index, body, limits, camera)), key=_nearness)
    parts = [ground.grid(limits, camera)]
    parts += [ground.shadow(np.asarray(body.position, float), limits, camera) for body in bodies]
    for index, group in groupby(pieces, key=lambda piece: piece[1]):
        title = element("title", bodies[index].name) if bodies[index].name else Markup()
        parts.append(element("g", title, *(markup for _, _, markup in group), stroke_linejoin="round", stroke_linecap="round"))
    parts.append(name_key(names) if len(names) > 1 else Markup())
    parts.append(_footer(limits, camera, caption, width, height))
    parts.append(bar_key(bar, width, height - (18.0 if caption else 0.0)) if bar else Markup())
    return drawing(width, height, *parts, kind="picture", label=caption or ", ".join(name for name, _ in names))


def _nearness(piece: Piece) -> float:
    return piece[0]


def _pieces(index: int, body: Shape, limits: Floats, camera: Camera) -> Iterator[Piece]:
    for nearness, markup in (*_surface(body, limits, camera), *_strokes(body, camera)):
        yield nearness, index, markup


def _surface(body: Shape, limits: Floats, camera: Camera) -> Iterator[tuple[float, Markup]]:
    """The visible polygons of a surface."""
    position, triangles = np.asarray(body.position, float), np.asarray(body.triangles, np.int64).reshape(-1, 3)
    corners = faces.polygons(position if body.rest is None else np.asarray(body.rest, float), triangles)
    corners = corners[np.isfinite(position[corners]).all(axis=(1, 2))]
    centre, normal = position[corners].mean(axis=1), faces.face_normals(position, corners)
    facing = camera.facing(centre, normal)
    if faces.is_closed(triangles):
        seen = facing * np.sign(faces.volume(np.nan_to_num(position), triangles)) > 0
        corners, centre, normal, facing = corners[seen], centre[seen], normal[seen], facing[seen]
    normal = np.where(facing[:, None] < 0, -normal, normal)
    above = (centre[:, 2] - limits[0, 2]) / max(float(limits[1, 2] - limits[0, 2]), 1e-300)
    fills = shading.shaded(_colours(body, corners), shading.brightness(normal, above, camera))
    pixels = camera.place(position[corners])
    side = np.linalg.norm(pixels[:, 0] - pixels[:, 1], axis=1)
    line = float(np.clip(0.06 * np.median(side), 0.25, 0.9)) if len(side) else 0.0
    drawn = zip(camera.nearness(centre).tolist(), pixels.tolist(), hexadecimal(fills), hexadecimal(0.8 * fills), strict=True)
    for nearness, rows, fill, stroke in drawn:
        shape = rows if rows[2] != rows[3] else rows[:3]
        yield nearness, element("path", d=f"M{points(shape)}z", fill=fill, stroke=stroke, stroke_width=line)


def _strokes(body: Shape, camera: Camera) -> Iterator[tuple[float, Markup]]:
    """Lines with a darker rim, and a round dot on each of their points."""
    position = np.asarray(body.position, float)
    lines = np.asarray(() if body.lines is None else body.lines, np.int64).reshape(-1, 2)
    lines = lines[np.isfinite(position[lines]).all(axis=(1, 2))]
    if not len(lines):
        return
    pixels, ends = camera.place(position), np.unique(lines)
    dot = float(np.clip(0.28 * np.median(np.linalg.norm(pixels[lines[:, 0]] - pixels[lines[:, 1]], axis=1)), 1.2, 4.5))
    base = _colours(body, np.arange(len(position))[:, None])
    fill, rim = hexadecimal(base), hexadecimal(0.6 * base)
    for (a, b), nearness in zip(lines.tolist(), camera.nearness(position[lines].mean(axis=1)).tolist(), strict=True):
        path = f"M{points(pixels[[a, b]].tolist())}"
        yield nearness, element("path", d=path, stroke=rim[a], stroke_width=0.9 * dot)
        yield nearness, element("path", d=path, stroke=fill[a], stroke_width=0.55 * dot)
    for point, nearness in zip(ends.tolist(), camera.nearness(position[ends]).tolist(), strict=True):
        x, y = pixels[point].tolist()
        yield nearness + 1e-9, element("circle", cx=x, cy=y, r=dot, fill=fill[point], stroke=rim[point], stroke_width=0.22 * dot)


def _colours(body: Shape, corners: NDArray[np.int64]) -> Floats:
    """Colour (count, 3) of each row of points: that of their mean value, or the body's own."""
    if body.values is None:
        return np.broadcast_to(np.array(rgb(body.colour)), (len(corners), 3))
    return mapped(np.asarray(body.values, float)[corners].mean(axis=1))


def _footer(limits: Floats, camera: Camera, caption: str, width: float, height: float) -> Markup:
    """The caption, and how wide the squares of the ground are."""
    parts = []
    if caption:
        parts.append(element("text", caption, x=0.5 * width, y=height - 8.0, text_anchor="middle", class_="label", fill="#202124"))
    if camera.toward[2] >= 0.03:
        scale = f"grid {ground.length_text(ground.grid_step(limits))}"
        parts.append(element("text", scale, x=8.0, y=height - (26.0 if caption else 8.0), class_="tick", fill="#5f6368", font_size=11))
    return element("g", *parts)
