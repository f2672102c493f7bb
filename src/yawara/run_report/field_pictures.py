"""Bodies coloured by stress at the largest load, and by what residual strain they end with; each only if there is some."""

from collections.abc import Iterator
from dataclasses import dataclass

from yawara.methods.fields import Field, fields_of
from yawara.report.key import Bar
from yawara.report.numbers import pretty, rounded_up, scaled_label
from yawara.report.page import figure, picture_row
from yawara.report.picture import picture
from yawara.report.svg import Markup
from yawara.run_report.peak import Peak
from yawara.run_report.pictures import frame_of
from yawara.run_report.shapes import Stage
from yawara.simulate import Result
from yawara.warm import ensure_compiled, note_kernels

DEFORMED = 1e-7  # strain below which a body is as good as untouched
STAYED = 1e-5  # residual strain that is worth a picture
SCALE = 16.0  # [px] more than other pictures have, for the scale of colours


@dataclass(frozen=True)
class Moment:
    """A field at a row of the history."""

    row: int
    field: Field
    caption: str


def moments(result: Result, peak: Peak | None) -> list[Moment]:
    """What is worth a picture."""
    return [*_stressed(result, peak), *_residual(result)]


def _stressed(result: Result, peak: Peak | None) -> Iterator[Moment]:
    if peak is None or peak.state is None:
        return
    if fields_of(peak.model).of("strain", peak.state).values.max() > DEFORMED:
        ensure_compiled(note_kernels(peak.model.terms))
        time = pretty(float(result.history["time"][peak.row]), 3)
        side = "on" if peak.name in peak.model.tools else "of"
        yield Moment(peak.row, peak.stress(), f"{time} s: von Mises stress at the largest force {side} {peak.name}")


def _residual(result: Result) -> Iterator[Moment]:
    field = fields_of(result.compiled.model).of("residual strain", result.state)
    if field.values.max() > STAYED:
        time = pretty(float(result.history["time"][-1]), 3)
        yield Moment(len(result.history.rows) - 1, field, f"{time} s: residual strain at the end, largest principal value")


def field_pictures(stage: Stage, found: list[Moment]) -> Markup:
    """Side by side, seen as the other pictures are, each with its own scale."""
    if not found:
        return Markup()
    figures = []
    width, height, view, columns = frame_of(stage)
    for moment in found:
        high = rounded_up(float(moment.field.values[stage.seen].max()))
        unit = f" [{moment.field.unit}]" if moment.field.unit != "1" else ""
        power, label = scaled_label(f"{moment.field.name}{unit}", high)
        bar = Bar(label, 0.0, high / 10.0**power)
        shapes = stage.shapes(moment.row, moment.field.values / high)
        svg = picture(shapes, width=width, height=height + SCALE, view=view, bounds=stage.bounds, key=False, bar=bar)
        figures.append(figure(svg, moment.caption))
    return picture_row(figures, columns=columns)
