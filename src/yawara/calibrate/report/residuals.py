"""Whether what is left looks like noise: residuals over their noise beside the unit normal."""

from collections.abc import Sequence

import numpy as np

from yawara.calibrate.report.panel import FIT, INK, Entry, Floats, legend, line
from yawara.calibrate.report.words import known
from yawara.report.axes import Axis, frame
from yawara.report.legend import heading
from yawara.report.page import figure
from yawara.report.svg import Markup, drawing, element

WIDTH, HEIGHT, TOP, BOTTOM = 560.0, 300.0, 58.0, 50.0  # [px]
REACH, STEP = 5.0, 0.5  # noise: how far the histogram goes, and how wide its columns are
ENOUGH = 30  # readings: fewer have no shape


def residual_figure(title: str, residuals: Sequence[Floats]) -> Markup:
    """A histogram, or nothing if there are too few readings."""
    together = np.concatenate([np.zeros(0), *residuals])
    together = together[np.isfinite(together)]
    if len(together) < ENOUGH:
        return Markup()
    edges = np.arange(-REACH, REACH + 0.5 * STEP, STEP)
    density = np.histogram(together, edges)[0] / (len(together) * STEP)
    outside = int(np.count_nonzero(np.abs(together) > REACH))
    caption = (
        f"Mean {known(float(together.mean()), 2)}, standard deviation {known(float(together.std()), 3)}. If the model is right and the "
        f"noise as it was given, the columns follow the curve."
    )
    if outside:
        caption += f" {outside} of {len(together)} are further off than {REACH:g} times their noise and not shown."
    return figure(_histogram(title, edges, density), caption)


def _histogram(title: str, edges: Floats, density: Floats) -> Markup:
    grid = np.linspace(-REACH, REACH, 161)
    normal = np.exp(-0.5 * grid**2) / np.sqrt(2.0 * np.pi)
    y = Axis("density", 0.0, 1.08 * max(float(density.max()), float(normal.max())), HEIGHT - BOTTOM, TOP, 5)
    x = Axis("simulated less measured, over the noise", -REACH, REACH, y.text_width + 36.0, WIDTH - 16.0, 10)
    names, _ = legend([Entry("readings", FIT, width=9.0), Entry("unit normal", INK)], x.begin, x.end, 34.0)
    left, right = x.place(edges[:-1]) + 0.8, x.place(edges[1:]) - 0.8
    bars = [
        element("rect", x=float(a), y=float(top), width=float(b - a), height=float(y.begin - top))
        for a, b, top in zip(left, right, y.place(density), strict=True)
        if y.begin - top > 0.05
    ]
    columns = element("g", *bars, style="fill:var(--s0)", opacity=0.55)
    parts = (heading(title, x.begin, WIDTH), names, frame(x, y), columns, line(x, y, grid, normal, colour=INK, width=1.8))
    return drawing(WIDTH, HEIGHT, *parts, kind="plot", label=title)
