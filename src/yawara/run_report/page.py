"""The report of a run: one HTML file that opens anywhere."""

from typing import Any

from yawara.kernels.kinds import Floats
from yawara.observe.positions import Positions
from yawara.observe.tool_poses import tool_poses
from yawara.report.notes import warnings
from yawara.report.page import Section, figure_row, page
from yawara.run_report import tables
from yawara.run_report.columns import acting_tools
from yawara.run_report.field_pictures import field_pictures, moments
from yawara.run_report.instants import instants
from yawara.run_report.peak import Peak
from yawara.run_report.pictures import pictures
from yawara.run_report.plots import thickness_plots, time_plots
from yawara.run_report.shapes import Stage
from yawara.simulate import Result


def run_page(result: Result, positions: Positions, summary: dict[str, Any], peak: Peak | None = None) -> str:
    """Warnings, pictures, plots, figures; without pictures if positions of some frames are missing, without stresses if the peak is."""
    compiled, history = result.compiled, result.history
    tools = tool_poses(compiled, history)
    chosen = instants(history, [body.name for body in compiled.model.bodies], acting_tools(compiled.scene.tool))
    coloured = moments(result, peak)
    wanted = {*(instant.row for instant in chosen), *(moment.row for moment in coloured)}
    kept = _kept(positions, wanted) if len(positions) == len(history.rows) else {}
    stage = Stage(compiled.model, tools, kept)
    over_time = time_plots(compiled, history, chosen if kept else ())
    along = thickness_plots(compiled, kept, chosen) if kept else []
    sections = [
        Section("Shapes", pictures(stage, chosen) if kept else ""),
        Section("Stress and residual strain", field_pictures(stage, coloured) if kept else ""),
        Section("Curves", figure_row([*along, *over_time]) if along or over_time else ""),
        Section("What came back", tables.recoveries(summary)),
        Section("Figures", tables.figures(summary)),
        Section("Scene", tables.contents(summary, _tools(result))),
        Section("How it was computed", tables.computation(summary, compiled.notices)),
    ]
    shown = [section for section in sections if section.html]
    return page(compiled.scene.name, shown, subtitle=_subtitle(result), lead=warnings(summary.get("warnings", [])))


def _kept(positions: Positions, wanted: set[int]) -> dict[int, Floats]:
    """Of all frames only those that are needed."""
    return {row: position for row, position in enumerate(positions) if row in wanted}


def _subtitle(result: Result) -> str:
    model = result.compiled.model
    parts = [f"{count} {word if count == 1 else plural}" for count, word, plural in
             ((len(model.bodies), "body", "bodies"), (len(model.tools), "tool", "tools")) if count]  # fmt: skip
    times = result.history["time"]
    return f"{' and '.join(parts)} over {times[-1] - times[0]:g} s"


def _tools(result: Result) -> dict[str, dict[str, Any]]:
    found = {}
    for name, tool in result.compiled.scene.tool.items():
        moves, turns = (None if part is None else part.type for part in (tool.motion, tool.turn))
        found[name] = {"shape": tool.shape, "moves": moves, "turns": turns}
    return found
