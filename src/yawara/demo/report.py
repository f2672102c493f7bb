"""The demonstration's report: one HTML file that opens anywhere."""

import numpy as np

from yawara.demo import blocks
from yawara.demo.blocks import Demonstration
from yawara.kernels.kinds import Floats
from yawara.report.colour import PALETTE
from yawara.report.notes import warnings
from yawara.report.page import Section, figure, figure_row, page, paragraph, table
from yawara.report.picture import picture
from yawara.report.plot import Mark, Series, line_plot
from yawara.report.shape import Shape
from yawara.run_report.tables import computation


def report_page(demonstration: Demonstration) -> str:
    """Pictures, plots, figures, parameters, versions."""
    sections = [
        Section("What happened", _words() + _figures_table(demonstration)),
        Section("Shapes", _pictures(demonstration)),
        Section("Over time", _plots(demonstration)),
        Section("Parameters", _parameters(demonstration)),
        Section("How it was computed", computation(demonstration.summary, demonstration.result.compiled.notices)),
    ]
    subtitle = "One link element makes an elastic, a viscoplastic and a rheological body (Hirai 2005, Fig. 1.8)"
    lead = warnings(demonstration.summary.get("warnings", []))
    return page("Three blocks, pressed and released", sections, subtitle=subtitle, lead=lead)


def _marks() -> tuple[Mark, ...]:
    return Mark(blocks.PRESSED, "pressed"), Mark(blocks.RELEASED, "released")


def _words() -> str:
    pressed, held = f"{1e3 * blocks.DEPTH:g} mm until {blocks.PRESSED:g} s", f"{blocks.RELEASED:g} s"
    return paragraph(
        f"Three blocks of 0.1 m stand with their bottoms fixed. Their tops are pressed down by {pressed}, held until {held}, and then "
        f"left free until {blocks.END:g} s. The elastic block returns, the viscoplastic one stays, the rheological one returns in part "
        "and keeps the rest."
    )


def _figures_table(demonstration: Demonstration) -> str:
    headers = (
        "block", "pressed [mm]", "return [mm]", "residual [mm]", "residual [%]",
        "volume pressed", "at end", "peak [N]", "steps/s",
    )  # fmt: skip
    rows = [
        (
            row.block,
            *(f"{1e3 * length:z.2f}" for length in (row.recovery.pressed, row.recovery.returned, row.recovery.residual)),
            f"{100 * row.recovery.residual_fraction:z.1f}",
            f"{row.volume_pressed:.4f}",
            f"{row.volume_end:.4f}",
            f"{row.recovery.peak_force:.2f}",
            f"{demonstration.steps_per_second:.0f}",
        )
        for row in demonstration.rows
    ]
    note = "Pressed depth, return and residual displacement of the top, and the peak force on it. Volumes are relative to the natural one."
    return table(headers, rows) + paragraph(note)


def _pictures(demonstration: Demonstration) -> str:
    times, frames = demonstration.result.history["time"], list(demonstration.positions)
    bounds = np.stack([np.min(frames, axis=(0, 1)), np.max(frames, axis=(0, 1))])
    instants = (
        (0.0, "Before"),
        (blocks.RELEASED, f"Pressed and held, just before the release at {blocks.RELEASED:g} s"),
        (blocks.END, f"{blocks.END - blocks.RELEASED:g} s after the release"),
    )
    figures = []
    for instant, caption in instants:
        shapes = _shapes(demonstration, frames[int(np.argmin(np.abs(times - instant)))])
        figures.append(figure(picture(shapes, width=960, height=300, view=(-72.0, 16.0), bounds=bounds), caption))
    return "".join(figures)


def _shapes(demonstration: Demonstration, position: Floats) -> list[Shape]:
    model = demonstration.result.compiled.model
    return [
        Shape(
            position[body.points],
            body.triangles.astype(np.int64) - body.point_begin,
            PALETTE[n],
            body.name,
            rest=model.rest_position[body.points],
        )
        for n, body in enumerate(model.bodies)
    ]


def _plots(demonstration: Demonstration) -> str:
    history = demonstration.result.history
    blocks = [row.block for row in demonstration.rows]

    def plot(column: str, factor: float, label: str, title: str) -> str:
        series = [Series(block, history["time"], factor * history[column.format(block)]) for block in blocks]
        return figure(line_plot(series, x_label="time [s]", y_label=label, title=title, marks=_marks()))

    return figure_row([
        plot("press_{}.force_z", -1.0, "force [N]", "Force on the top"),
        plot("press_{}.displacement_z", -1e3, "displacement [mm]", "How far the top is down"),
        plot("{}.volume", 1e6, "volume [cm³]", "Volume"),
        _energy_plot(demonstration),
    ])  # fmt: skip


def _energy_plot(demonstration: Demonstration) -> str:
    history = demonstration.result.history
    names = ("work_of_drives", "stored", "dissipated", "kinetic")
    series = [Series(name.replace("_", " "), history["time"], 1e3 * history[f"energy.{name}"]) for name in names]
    return figure(line_plot(series, x_label="time [s]", y_label="energy [mJ]", title="Energy of all three", marks=_marks()))


def _parameters(demonstration: Demonstration) -> str:
    scene = demonstration.result.compiled.scene
    rows = []
    for name, body in scene.body.items():
        law = body.link_law
        values = ", ".join(f"{key} = {getattr(law, key):g} {law.unit_of(key)}" for key in type(law).model_fields if key != "type")
        points, links = body.size()
        rows.append((name, body.shape, points, links, f"{body.density:g}", law.title, values))
    return table(("block", "shape", "points", "links", "density [kg/m³]", "law of the links", "per link"), rows)
