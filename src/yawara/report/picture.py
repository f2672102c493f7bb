"""Pictures of bodies as inline SVG: shaded surfaces and strokes, far ones first."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yawara.report import ground, pieces
from yawara.report.camera import Camera, bounds_of, fitted
from yawara.report.fade import faded
from yawara.report.key import Bar, bar_key, name_key
from yawara.report.order import drawing_order
from yawara.report.shape import Shape
from yawara.report.svg import Markup, drawing, element, join

Floats = NDArray[np.float64]

BAR_ROOM = 46.0  # [px], below the bodies for a scale of colours with its label


def picture(
    bodies: Sequence[Shape],
    *,
    width: float = 360.0,
    height: float = 300.0,
    view: tuple[float, float] = (-60.0, 24.0),
    bounds: ArrayLike | None = None,
    caption: str = "",
    bar: Bar | None = None,
    key: bool = True,
    over: Callable[[Camera], Markup] | None = None,
) -> Markup:
    """An SVG of bodies seen from azimuth and elevation [degrees]; (-90, 90) looks down on the plane of x and y.

    Pictures with the same `bounds`, lowest and highest corner (2, 3) [m], share a scale; `bounds_of` finds them. `bar` explains
    the colours of values; `key` names the bodies if there are several; `over` draws something over them. Bodies that pass through
    each other are not cut where they meet.
    """
    limits = _limits(bodies, bounds)
    names = [(body.name, body.colour) for body in bodies if body.name]
    named = key and len(names) > 1
    foot = height - (20.0 if caption else 2.0)
    room = BAR_ROOM if bar else 30.0  # [px], below the bodies
    camera = fitted(limits, view, (0.08 * width, 30.0 if named else 14.0, 0.92 * width, foot - room))
    parts = [
        ground.grid(limits, camera, width, height),
        *(ground.shadow(body, limits, camera) for body in bodies),
        *_groups(bodies, limits, camera, width, height),
        over(camera) if over else Markup(),
        name_key(names) if named else Markup(),
        bar_key(bar, width, foot) if bar else Markup(),
        ground.scale_text(limits, camera, foot),
    ]
    if caption:
        parts.append(
            element("text", caption, x=0.5 * width, y=height - 7.0, text_anchor="middle", class_="label", fill="#202124")
        )
    return drawing(width, height, *parts, kind="picture", label=caption or ", ".join(name for name, _ in names))


def _groups(bodies: Sequence[Shape], limits: Floats, camera: Camera, width: float, height: float) -> Iterator[Markup]:
    """All pieces from far to near, neighbours of the same body together under its name."""
    veils = [index for index, body in enumerate(bodies) if body.veiled]
    for group in drawing_order([bounds_of(body.points) for body in bodies], camera.eye, alone=veils):
        found = [
            (nearness, index, markup)
            for index in group
            for nearness, markup in (*pieces.surface(bodies[index], limits, camera), *pieces.strokes(bodies[index], camera))
        ]
        found.sort(key=lambda piece: piece[0])
        runs = [
            _run(bodies[index], [markup for _, _, markup in run], camera)
            for index, run in groupby(found, key=lambda piece: piece[1])
        ]
        if group[0] in veils:
            veil = bodies[group[0]]
            yield faded(join(*runs, pieces.outline(veil, camera)), camera.place(veil.points), width, height)
        else:
            yield from runs


def _run(body: Shape, drawn: Sequence[Markup], camera: Camera) -> Markup:
    title = element("title", body.name) if body.name else Markup()
    edge = pieces.edge_width(body, camera)
    opacity = body.opacity if body.veiled else None  # of the group as a whole, or seams between faces would shine
    return element("g", title, *drawn, stroke_width=edge, stroke_linejoin="round", stroke_linecap="round", opacity=opacity)


def _limits(bodies: Sequence[Shape], bounds: ArrayLike | None) -> Floats:
    """Bounds to draw, widened if they are a single point."""
    found = bounds_of(*(body.points for body in bodies)) if bounds is None else np.asarray(bounds, float)
    if found.shape != (2, 3) or not np.isfinite(found).all():
        raise ValueError(f"bounds must be the lowest and the highest corner, (2, 3) in m (got {found.tolist()}); use bounds_of")
    return found if (found[0] != found[1]).any() else found + np.array([[-0.5], [0.5]])
