"""The single patches and strokes of a picture, each with how near it is to the eye."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from yawara.report import faces
from yawara.report.camera import Camera
from yawara.report.colour import hexadecimal, rgb
from yawara.report.shading import brightness, shaded, softened
from yawara.report.shape import Shape
from yawara.report.svg import Markup, element, points

Floats = NDArray[np.float64]
Piece = tuple[float, Markup]  # nearness [m], drawing


def edge_width(body: Shape, camera: Camera) -> float:
    """Width of the edges of faces [px], thin where faces are small."""
    return float(np.clip(0.06 * _face_width(body, camera), 0.25, 0.9))


def surface(body: Shape, bounds: Floats, camera: Camera) -> Iterator[Piece]:
    """The polygons of a surface that can be seen, lit, with edges of a darker tone."""
    corners, normal = _seen(body, camera)
    centre = body.points[corners].mean(axis=1)
    above = (centre[:, 2] - bounds[0, 2]) / max(float(bounds[1, 2] - bounds[0, 2]), 1e-300)
    bright = brightness(normal, above, camera)
    # Colours that stand for values must be found again in their key
    fills = shaded(body.colours(corners), bright if body.values is None else softened(bright))
    # Edges of a fine mesh would darken the whole body, so they pale with its width; none at all would let the page shine through
    edges = fills if body.veiled else fills * (1.0 - 0.2 * np.clip((_face_width(body, camera) - 2.0) / 8.0, 0.2, 1.0))
    outlines = camera.place(body.points[corners]).tolist()
    for nearness, rows, fill, edge in zip(
        camera.nearness(centre).tolist(), outlines, hexadecimal(fills), hexadecimal(edges), strict=True
    ):
        path = f"M{points(rows if rows[2] != rows[3] else rows[:3])}z"
        yield nearness, element("path", d=path, fill=fill, stroke=edge)


def _face_width(body: Shape, camera: Camera) -> float:
    """Typical side of a face [px]."""
    sides = np.linalg.norm(body.points[body.corners[:, 0]] - body.points[body.corners[:, 1]], axis=1)
    return float(np.median(sides)) * camera.scale if len(sides) else 0.0


def _seen(body: Shape, camera: Camera) -> tuple[NDArray[np.int64], Floats]:
    """Polygons that show a face to the eye, and their normals on that side."""
    corners = body.corners
    normal = faces.face_normals(body.points, corners)
    facing = camera.facing(body.points[corners].mean(axis=1), normal)
    if body.closed:
        outward = np.sign(faces.volume(np.nan_to_num(body.points), body.faces)) or 1.0
        front = facing * outward > 0
        corners, normal, facing = corners[front], normal[front], facing[front]
    return corners, np.where(facing[:, None] < 0, -normal, normal)


def outline(body: Shape, camera: Camera) -> Markup:
    """The rim of what can be seen of a surface, and its sharp edges."""
    corners, normal = _seen(body, camera)
    triangles = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    real = (triangles[:, 1] != triangles[:, 2]) & (triangles[:, 2] != triangles[:, 0])
    lines = faces.outline(triangles[real], np.concatenate([normal, normal])[real])
    pixels = camera.place(body.points[lines])
    long = np.abs(pixels[:, 0] - pixels[:, 1]).max(axis=1) > 0.3  # shorter ones would be dots
    path = "".join(f"M{points(rows)}" for rows in pixels[long].tolist())
    (tone,) = hexadecimal(0.55 * np.array(rgb(body.colour)))
    return element("path", d=path, stroke=tone, stroke_width=0.9, stroke_linecap="round", fill="none") if path else Markup()


def strokes(body: Shape, camera: Camera) -> Iterator[Piece]:
    """Lines with a darker rim, and a round dot on each of their points."""
    lines, pixels = body.strokes, camera.place(body.points)
    if not len(lines):
        return
    length = np.linalg.norm(pixels[lines[:, 0]] - pixels[lines[:, 1]], axis=1)
    dot = float(np.clip(0.28 * np.median(length), 1.2, 4.5))  # [px]
    base = body.colours(np.arange(len(body.points))[:, None])
    fill, rim = hexadecimal(base), hexadecimal(0.6 * base)
    for (a, b), nearness in zip(lines.tolist(), camera.nearness(body.points[lines].mean(axis=1)).tolist(), strict=True):
        path = f"M{points(pixels[[a, b]].tolist())}"
        yield nearness, element("path", d=path, stroke=rim[a], stroke_width=0.9 * dot)
        yield nearness, element("path", d=path, stroke=fill[a], stroke_width=0.55 * dot)
    ends = np.unique(lines)
    for point, nearness in zip(ends.tolist(), camera.nearness(body.points[ends]).tolist(), strict=True):
        x, y = pixels[point].tolist()
        yield nearness, element("circle", cx=x, cy=y, r=dot, fill=fill[point], stroke=rim[point], stroke_width=0.22 * dot)
