"""A run in a few pictures that share bounds and camera."""

from collections.abc import Sequence

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.report.camera import fitted
from yawara.report.numbers import pretty
from yawara.report.page import colour_key, figure, picture_row
from yawara.report.picture import picture
from yawara.report.svg import Markup, join
from yawara.run_report.instants import Instant
from yawara.run_report.shapes import GREY, Stage, body_colours

FROM_THE_SIDE, FROM_THE_FRONT = (-60.0, 24.0), (-90.0, 90.0)
WIDE = 1.6  # ratio of width to height from which pictures stand two in a row, not three


def pictures(stage: Stage, chosen: Sequence[Instant]) -> Markup:
    """A key, and a picture for each instant, numbered as the marks in the plots are."""
    width, height, view, columns = frame_of(stage)
    figures = []
    for number, instant in enumerate(chosen, start=1):
        svg = picture(stage.shapes(instant.row), width=width, height=height, view=view, bounds=stage.bounds, key=False)
        figures.append(figure(svg, _caption(number, instant)))
    names = body_colours(stage.model) + [(poses.name, GREY) for poses in stage.drawn_tools]
    return join(colour_key(names) if len(names) > 1 else Markup(), picture_row(figures, columns=columns))


def frame_of(stage: Stage) -> tuple[float, float, tuple[float, float], int]:
    """Width and height [px], point of view, and how many stand in a row."""
    view = FROM_THE_FRONT if stage.flat else FROM_THE_SIDE
    aspect = _aspect(stage.bounds, view)
    width = 560.0 if aspect > WIDE else 360.0
    height = float(np.clip(0.84 * width / aspect + 46.0, 0.4 * width, 0.95 * width))
    return width, height, view, 2 if aspect > WIDE else 3


def _caption(number: int, instant: Instant) -> str:
    return f"{number}: {pretty(instant.time, 3)} s" + (f", {instant.why}" if instant.why else "")


def _aspect(bounds: Floats, view: tuple[float, float]) -> float:
    """Width over height of the bounds as they are seen."""
    camera = fitted(bounds, view, (0.0, 0.0, 1000.0, 1000.0))
    corners = np.array([[bounds[i, 0], bounds[j, 1], bounds[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    size = np.ptp(camera.place(corners), axis=0)
    return float(np.clip(size[0] / max(size[1], 1e-9), 0.1, 10.0))
