"""One report of every kind, from scenes that take moments; names and sentences are long, since those are what breaks a page."""

import numpy as np
from typer.testing import CliRunner

from fit_case import a_problem
from yawara.calibrate.extract.course import ramp_and_hold
from yawara.calibrate.extract.response import force_under, recovery_after
from yawara.calibrate.fit import fit_problem
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.report.page import fit_page
from yawara.calibrate.sweep.page import sweep_page
from yawara.calibrate.sweep.perform import summarise as summarise_sweep
from yawara.calibrate.sweep.plan import plan_of
from yawara.calibrate.sweep.request import Request
from yawara.calibrate.sweep.runs import WALL_TIME
from yawara.calibrate.sweep.table import table_of
from yawara.cli import app as commands
from yawara.demo import blocks, make
from yawara.files import write_text
from yawara.laws import GeneralizedVoigt
from yawara.observe.positions import Positions
from yawara.run_report.page import run_page
from yawara.scene.file import read_scene
from yawara.simulate import simulate
from yawara.summary import summarise

LAW = {"type": "three_element", "k1": 60.0, "c1": 1.0, "c2": 30.0}
WARNINGS = [
    "The energy balance is off by 3.2 % of the largest energy; halve the step: time.step = 5e-05 s",
    "Body 'dough_under_the_plate', cell 12: it turned inside out at t = 0.021 s; press less deeply or add an inversion barrier",
]
PRESSED = {
    "name": "a block of dough under a plate, pressed and released, with a wheel that turns beside it",
    "gravity": [0.0, 0.0, -9.81],
    "time": {"end": 0.06, "frame": 0.002},
    "body": {
        "dough_under_the_plate": {"shape": "lattice", "counts": [4, 4, 4], "spacing": 0.01, "density": 1000.0, "law": LAW},
        "driven": {
            "shape": "lattice", "counts": [3, 3, 3], "spacing": 0.01, "origin": [0.2, 0, 0], "density": 1000.0, "law": LAW,
        },
    },
    "fix": [{"body": "driven", "points": "bottom"}],
    "drive": [{
        "name": "a_drive_with_a_long_name", "body": "driven", "points": "top", "times": [0.0, 0.02],
        "displacement": [[0, 0, 0], [0, 0, -0.004]], "release": 0.03,
    }],
    "tool": {
        "ground": {"shape": "floor"},
        "plate_that_presses_the_dough": {
            "shape": "plate", "size": [0.05, 0.05, 0.01], "origin": [0.015, 0.015, 0.0301],
            "motion": {"type": "path", "times": [0.0, 0.03, 0.05], "displacement": [[0, 0, 0], [0, 0, -0.005], [0, 0, 0.02]]},
        },
        "wheel": {
            "shape": "cylinder", "radius": 0.005, "length": 0.02, "origin": [0.1, 0.0, 0.005], "turn": {"type": "driven", "speed": 20.0},
        },
    },
    "probe": {"strip": {"type": "thickness", "body": "dough_under_the_plate", "parts": 5}},
}  # fmt: skip


def demo_report(directory, monkeypatch):
    """Of coarse blocks, and with warnings."""
    monkeypatch.setattr(blocks, "POINTS", 4)
    monkeypatch.setattr(blocks, "SPACING", 0.1 / 3)
    monkeypatch.setattr(make, "summarise", lambda *told, **more: summarise(*told, **more) | {"warnings": WARNINGS})
    return make.make_demo(directory / "demo").report


def run_report(directory):
    """With everything that a run can show, and warnings."""
    positions = Positions()
    result = simulate(read_scene(PRESSED), observers=[positions])
    summary = summarise(result, wall_time=1.0) | {"warnings": WARNINGS}
    return written(directory / "run.html", run_page(result, positions, summary))


def fit_report(directory):
    found = fit_problem(a_problem(), executor="here")
    return written(directory / "fit.html", fit_page(found, title="pushed <dough>", files=["fitted scene.toml", "answer.json"]))


def extract_report(directory):
    """Of a press, a hold and a release of the law of the report's Table 5.3."""
    law, course, times = (
        GeneralizedVoigt(k=(10.0, 20.0), c=(30.0, 300.0)),
        ramp_and_hold(0.045, 6.0, 96.5),
        np.arange(0.0, 180.5, 0.5),
    )
    held = times <= 96.5
    force, x = np.where(held, force_under(law, course, times), 0.0), 1e3 * course.at(times)
    x[~held] = 1e3 * recovery_after(law, course, 96.5, times[~held])
    rows = "".join(f"{t},{f},{way}\n" for t, f, way in zip(times, force, x, strict=True))
    data = written(
        directory / "a specimen that was pressed, held and released.csv", "time (s),force (N),compression (mm)\n" + rows
    )
    columns = ("--time", "time", "--force", "force", "--displacement", "compression")
    arguments = ("extract", data, "--protocol", "press-release", *columns, "--elements", "2", "--out", directory / "extract")
    answer = CliRunner().invoke(commands, [str(argument) for argument in arguments])
    assert answer.exit_code == 0, answer.output
    return directory / "extract" / "report.html"


def sweep_report(directory, *over):
    """Made-up results; the first run failed."""
    plan = plan_of(Request(scene=read_scene(PRESSED), over=over))
    names = [column.name for columns in plan.columns for column in columns]
    outcomes = [
        Outcome(0.0, metrics={name: (n + 1) * float(point.sum()) for n, name in enumerate(names)} | {WALL_TIME: 0.5})
        for point in plan.points
    ]
    outcomes[0] = Outcome(FAILED_COST, failure=f"At t = 0.012 s a body has flown apart: {WARNINGS[1]}")
    found = table_of(PRESSED["name"], plan.axes, plan.points, outcomes, plan.columns)
    return written(directory / f"sweep{len(over)}.html", sweep_page(plan, found, summarise_sweep(found, 1.0)))


def written(path, html):
    write_text(path, html)
    return path
