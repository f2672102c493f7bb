"""Makes the pictures of the example scenes: python docs/make_pictures.py RUNS [NAME ...]

Each scene of examples/ is run into RUNS/NAME, unless there is a complete run, and drawn at a few moments to docs/images/scene-NAME.png.
Needs Chromium, which turns the SVG into a PNG.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

import yawara as yw
from yawara.report.camera import bounds_of
from yawara.report.colour import PALETTE
from yawara.report.picture import picture
from yawara.report.shape import Shape
from yawara.scene.compile import Compiled
from yawara.scene.tools import Floor
from yawara.scene.tools.shown import placed

ROOT = Path(__file__).parent.parent
BROWSER = "/usr/bin/chromium"
WIDTH = 720  # [px], of all moments together
GREY = "#B4B9BF"
LONGEST, MOST_PARTS = 0.03, 8  # [m], side of a drawn piece of a tool, and how many of them along a side
COLOURS = (PALETTE[4], *PALETTE[:4], PALETTE[5])  # dough first


@dataclass(frozen=True)
class View:
    """How a scene is looked at."""

    moments: tuple[float, ...]  # [s]
    angles: tuple[float, float] = (-60.0, 20.0)  # [degrees]
    height: int = 230  # [px]
    columns: int = 0  # side by side; all if 0
    tilt: float = 0.0  # [degrees], about y: the way up of a scene whose gravity leans
    near: bool = False  # the bodies fill the picture; tools may be cut off
    above: bool = False  # what tools have below the ground is not drawn
    hidden: tuple[str, ...] = ()  # tools that would cover what they press
    colours: tuple[str, ...] = COLOURS


VIEWS = {
    "drop": View((0.0, 0.14, 0.2, 1.5)),
    "slide": View((0.0, 0.3, 0.6), (-70.0, 22.0), tilt=12.0),
    "pile": View((0.0, 0.12, 0.3, 1.0), (-70.0, 14.0), height=260),
    "press": View((0.0, 2.0, 4.0), (-65.0, 14.0)),
    "poke": View((0.0, 0.8, 1.6), (-65.0, 24.0)),
    "roller": View((0.0, 0.3, 0.6, 1.0), (-78.0, 18.0), height=150, columns=2),
    "knead": View(
        (0.0, 0.6, 1.0, 1.44, 1.9, 2.6, 3.0, 3.6, 4.0, 4.9, 6.0, 6.6),
        (-72.0, 18.0),
        190,
        3,
        near=True,
        above=True,
        hidden=("plate",),
    ),
    "cutter": View((0.0, 0.5, 1.0), (-50.0, 24.0)),
}


def run(name: str, runs: Path) -> tuple[Compiled, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """The compiled scene, times [s] and positions [m] of all frames, and how far tools have turned [rad]."""
    compiled = yw.compile_scene(yw.load_scene(ROOT / "examples" / f"{name}.toml"))
    if not (runs / name / "summary.json").exists():
        yw.run_scene(compiled.scene, runs / name)
    with h5py.File(runs / name / "history.h5") as file:
        turned = {tool: file[f"history/{tool}.angle"][:] for tool in compiled.scene.tool if f"{tool}.angle" in file["history"]}
        return compiled, file["history/time"][:], file["position"][:], turned


def shapes(compiled: Compiled, position: np.ndarray, view: View, turned: dict[str, float]) -> list[Shape]:
    """Bodies in colours, tools in grey; floors are the picture's ground."""
    lean = np.radians(view.tilt)
    turn = np.array([[np.cos(lean), 0.0, np.sin(lean)], [0.0, 1.0, 0.0], [-np.sin(lean), 0.0, np.cos(lean)]])
    found = []
    for index, body in enumerate(compiled.model.bodies):
        colour = view.colours[index % len(view.colours)]
        first = body.point_begin
        rest = compiled.model.rest_position[body.points] @ turn.T
        found.append(Shape(position[body.points] @ turn.T, body.triangles.astype(int) - first, colour, rest=rest))
    for index, (name, tool) in enumerate(compiled.scene.tool.items()):
        if isinstance(tool, Floor) or name in view.hidden:
            continue
        points, triangles = tool.surface()
        points = placed(tool, points, position[compiled.model.tool_points[index]], turned.get(name, 0.0))
        points, triangles = divided(points @ turn.T, triangles)
        if view.above:
            triangles = triangles[(points[triangles, 2] > 0.0).all(axis=1)]
        if len(triangles):
            found.append(Shape(points, triangles, GREY))
    return found


def divided(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every triangle in equal smaller ones, or far parts of a long side would hide what is before them."""
    corners = points[triangles]
    parts = min(MOST_PARTS, int(np.ceil(np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2).max() / LONGEST)))
    a, u, v = corners[:, 0], (corners[:, 1] - corners[:, 0]) / parts, (corners[:, 2] - corners[:, 0]) / parts
    small = []
    for i in range(parts):
        for j in range(parts - i):
            places = [(i, j), (i + 1, j), (i, j + 1)]
            small.append(np.stack([a + m * u + n * v for m, n in places], axis=1))
            if i + j < parts - 1:
                places = [(i + 1, j), (i + 1, j + 1), (i, j + 1)]
                small.append(np.stack([a + m * u + n * v for m, n in places], axis=1))
    every = np.concatenate(small).reshape(-1, 3)
    _, first, number = np.unique(every.round(9), axis=0, return_index=True, return_inverse=True)
    return every[first], number.reshape(-1, 3)


def draw(name: str, runs: Path) -> Path:
    view = VIEWS[name]
    compiled, time, position, turned = run(name, runs)
    rows = [int(np.argmin(np.abs(time - moment))) for moment in view.moments]
    moments = [shapes(compiled, position[row], view, {tool: float(angle[row]) for tool, angle in turned.items()}) for row in rows]
    shown = [shape for moment in moments for shape in (moment[: len(compiled.model.bodies)] if view.near else moment)]
    bounds = bounds_of(*(shape.points for shape in shown))
    if any(isinstance(tool, Floor) for tool in compiled.scene.tool.values()):
        bounds[0, 2] = 0.0
    columns = view.columns or len(moments)
    drawings = [
        picture(moment, width=WIDTH / columns, height=view.height, view=view.angles, bounds=bounds, caption=f"{at:g} s")
        for moment, at in zip(moments, view.moments, strict=True)
    ]
    lines = -(-len(moments) // columns)
    page = (
        f"<body style='margin:0;background:#fff;display:grid;grid-template-columns:repeat({columns},{WIDTH / columns}px)'>"
        + "".join(drawings)
        + "</body>"
    )
    target = ROOT / "docs" / "images" / f"scene-{name}.png"
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "page.html"
        file.write_text(f"<!doctype html><meta charset=utf-8>{page}", encoding="utf-8")
        size = f"--window-size={WIDTH},{lines * view.height}"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size, f"--screenshot={target}"]
        subprocess.run([BROWSER, *options, str(file)], check=True, capture_output=True)
    return target


if __name__ == "__main__":
    runs = Path(sys.argv[1])
    for name in sys.argv[2:] or VIEWS:
        target = draw(name, runs)
        print(target.name, target.stat().st_size // 1000, "kB")
