"""The page that every run leaves: it shows bodies and tools at telling times, what was felt, and stays small."""

import re
import xml.etree.ElementTree as ET
from html import unescape

import numpy as np
import pytest
import trimesh

import yawara
from yawara.observe.measure import Column
from yawara.observe.recorder import History
from yawara.observe.tool_poses import ToolPoses, tool_poses
from yawara.report.camera import bounds_of
from yawara.report.coarsen import coarse_line, coarsened
from yawara.report.faces import face_normals, is_closed, outline, volume
from yawara.report.order import drawing_order
from yawara.report.picture import picture
from yawara.report.shape import Shape
from yawara.report.svg import NAMESPACE
from yawara.run_report.instants import instants
from yawara.run_report.pictures import pictures
from yawara.run_report.shapes import GREY, Stage
from yawara.run_report.tables import figures
from yawara.scene.bodies import Lattice
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene
from yawara.scene.scene import Scene, Time
from yawara.scene.tools import Box, Conveyor, Cylinder, Floor, Plate, Sphere
from yawara.scene.tools.drawing import ball, cuboid
from yawara.scene.tools.shown import placed, shown_surface

SVG = f"{{{NAMESPACE}}}"
LAW = {"type": "three_element", "k1": 60.0, "c1": 1.0, "c2": 30.0}
PRESSED = {
    "name": "pressed <&> released",
    "gravity": [0.0, 0.0, -9.81],
    "time": {"end": 0.06, "frame": 0.002},
    "body": {"dough": {"shape": "lattice", "counts": [4, 4, 4], "spacing": 0.01, "density": 1000.0, "law": LAW}},
    "tool": {
        "ground": {"shape": "floor"},
        "plate": {
            "shape": "plate", "size": [0.05, 0.05, 0.01], "origin": [0.015, 0.015, 0.0301],
            "motion": {"type": "path", "times": [0.0, 0.03, 0.05], "displacement": [[0, 0, 0], [0, 0, -0.005], [0, 0, 0.02]]},
        },
        "wheel": {
            "shape": "cylinder", "radius": 0.005, "length": 0.02, "origin": [0.1, 0.0, 0.005], "turn": {"type": "driven", "speed": 20.0},
        },
    },
    "probe": {"strip": {"type": "thickness", "body": "dough", "parts": 5}},
    "output": {"glb": True},
}  # fmt: skip


def texts(html):
    return re.sub(r"<[^>]+>", "\n", html.replace("<wbr/>", ""))


@pytest.fixture(scope="module")
def pressed(tmp_path_factory):
    directory = tmp_path_factory.mktemp("pressed") / "run"
    outcome = yawara.run_scene(read_scene(PRESSED), directory)
    return outcome, directory


def test_the_page_shows_pictures_curves_and_figures(pressed):
    html = (pressed[1] / "report.html").read_text(encoding="utf-8")
    assert "pressed &lt;&amp;&gt; released" in html
    assert html.count('class="drawing picture"') == 5 + 2  # and two of fields
    words = texts(html)
    for title in (
        "Forces on tools", "Torques on tools that turn", "Heights, relative to the start", "Volumes, relative to the start",
        "Thickness of dough along x (strip)", "Thickness (strip)", "Energies", "Deepest penetration of all contacts",
    ):  # fmt: skip
        assert (title in words) == (title != "Torques on tools that turn"), title  # the wheel touches nothing
    assert "plate, z" in words
    assert 'role="note"' not in html  # nothing to warn of
    assert "Forces on held and pushed points" not in words
    assert "1 body and 3 tools over 0.06 s" in words
    assert "largest force on plate" in words
    assert pressed[0].result.plan.notice() in unescape(words)
    assert not re.search(r"\b(nan|inf)\b", html.lower().replace("infinite", ""))
    for drawing in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        ET.fromstring(drawing)


def test_the_report_can_be_left_out(tmp_path):
    short = PRESSED | {"time": {"end": 0.004, "frame": 0.002}, "output": {"report": False}}
    yawara.run_scene(read_scene(short), tmp_path / "run")
    assert not (tmp_path / "run" / "report.html").exists()
    assert (tmp_path / "run" / "summary.json").exists()


def test_a_report_needs_no_kept_positions(tmp_path):
    short = PRESSED | {"time": {"end": 0.004, "frame": 0.002}, "output": {"positions": False, "energies": False}}
    yawara.run_scene(read_scene(short), tmp_path / "run")
    html = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert html.count('class="drawing picture"') == 3 + 2  # of three frames, and two of fields
    assert "Energies" not in html


def test_tools_are_in_the_animation(pressed):
    scene = trimesh.load(pressed[1] / "animation.glb", process=False)
    assert set(scene.geometry) == {"dough", "ground", "plate", "wheel"}
    where, _ = scene.graph["wheel"]
    np.testing.assert_allclose(where[:3, 3], [0.1, 0.005, 0.0], atol=1e-7)  # y is up there


def test_poses_come_from_the_history(pressed):
    result = pressed[0].result
    poses = {item.name: item for item in tool_poses(result.compiled, result.history)}
    assert [item.moves for item in poses.values()] == [False, True, True]
    np.testing.assert_allclose(poses["plate"].position[-1], [0.015, 0.015, 0.0501])
    assert poses["wheel"].angle[-1] == pytest.approx(20.0 * 0.06)
    np.testing.assert_array_equal(poses["ground"].position, np.zeros((31, 3)))


def test_a_turned_tool_is_where_the_kernels_have_it():
    wheel = Cylinder(radius=0.1, length=1.0, rotation=[0.0, 0.0, np.pi / 2])  # its axis points along y
    mark = placed(wheel, np.array([[0.5, 0.1, 0.0]]), np.array([3.0, 0.0, 0.0]), np.pi / 2)
    np.testing.assert_allclose(mark, [[3.0, 0.5, 0.1]], atol=1e-12)


# --- which moments


def history_of(**columns):
    names = list(columns)
    return History(tuple(Column(name.replace("__", "."), "1") for name in names), list(zip(*columns.values(), strict=True)))


def a_history(rows, force=None, height=None):
    time_, zero = np.linspace(0.0, 1.0, rows), np.zeros(rows)
    force, height = zero if force is None else force, np.ones(rows) if height is None else height
    return history_of(time=time_, plate__force_x=zero, plate__force_y=zero, plate__force_z=force, dough__height=height)


def test_telling_moments_are_chosen():
    t = np.linspace(0.0, 1.0, 101)
    found = instants(a_history(101, force=np.exp(-(((t - 0.3) / 0.1) ** 2)), height=1.0 - 0.5 * np.exp(-(((t - 0.7) / 0.1) ** 2))),
                     ["dough"], ["plate"])  # fmt: skip
    assert [item.row for item in found] == [0, 30, 50, 70, 100]
    assert [item.why for item in found] == ["the start", "largest force on plate", "", "least height of dough", "the end"]


def test_nothing_happens_evenly():
    assert [item.row for item in instants(a_history(101), ["dough"], ["plate"])] == [0, 25, 50, 75, 100]


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5])
def test_short_runs_show_all_they_have(rows):
    assert [item.row for item in instants(a_history(rows), ["dough"], ["plate"])] == list(range(rows))


def test_the_same_shape_is_not_shown_for_two_reasons():
    height = np.where(np.linspace(0.0, 1.0, 101) < 0.3, 1.0, 0.5)
    force = np.zeros(101)
    force[40] = 1.0
    assert [item.why for item in instants(a_history(101, force, height), ["dough"], ["plate"])].count(
        "least height of dough"
    ) == 0


# --- what is drawn


def stage_of(scene, tools_rows=1):
    compiled = compile_scene(scene)
    poses = [
        ToolPoses(name, scene.tool[name], np.tile(scene.tool[name].origin, (tools_rows, 1)), np.zeros(tools_rows))
        for name in compiled.model.tools
    ]
    return Stage(compiled.model, poses, {0: compiled.state.position})


def scene_with(**tools):
    return Scene(time=Time(end=1.0), body={"b": Lattice(counts=[3, 3, 3], spacing=0.05, law=LAW, mass=1.0)}, tool=tools)


def test_the_ground_is_the_grid_and_walls_are_drawn():
    stage = stage_of(scene_with(ground=Floor(), wall=Floor(origin=[-0.2, 0.0, 0.0], normal=[1.0, 0.0, 0.0])))
    assert [poses.name for poses in stage.drawn_tools] == ["wall"]
    _, wall = stage.shapes(0)
    np.testing.assert_allclose(wall.points[:, 0], -0.2)
    assert np.ptp(wall.points, axis=0).max() < 0.3  # around the body, not two metres


def test_the_ground_lies_under_hovering_bodies():
    below = Box(size=[0.02, 0.02, 0.1], origin=[0.15, 0.0, 0.0])
    for tools in ({}, {"below": below}):
        stage = stage_of(scene_with(ground=Floor(origin=[0.0, 0.0, -0.02]), **tools))
        assert stage.bounds[0, 2] == pytest.approx(-0.02)


def test_a_long_belt_does_not_make_the_body_small():
    stage = stage_of(scene_with(belt=Conveyor(size=[50.0, 0.2, 0.02], speed=1.0)))
    assert np.ptp(stage.bounds, axis=0).max() < 0.2
    belt = stage.shapes(0)[1]
    assert 0.4 < np.ptp(belt.points[:, 0]) < 1.0  # out of the picture, but not behind the eye


def test_small_tools_are_shown_whole():
    stage = stage_of(scene_with(ball=Sphere(radius=0.03, origin=[0.05, 0.05, 0.16])))
    assert stage.bounds[1, 2] == pytest.approx(0.19, abs=1e-3)


def test_flat_scenes_are_seen_from_the_front():
    sheet = {"shape": "sheet", "counts": [5, 4], "spacing": 0.01, "density": 1000.0, "law": LAW}
    tools = {"floor": Floor(normal=[0.0, 1.0, 0.0]), "ball": Sphere(radius=0.01, origin=[0.02, 0.05, 0.0])}
    stage = stage_of(Scene(time=Time(end=1.0), body={"s": sheet}, tool=tools))
    assert stage.flat
    _, floor, circle = stage.shapes(0)
    np.testing.assert_array_equal(np.ptp(np.concatenate([floor.points, circle.points]), axis=0)[2], 0.0)
    assert 0.0 < np.ptp(floor.points[:, 1]) < 0.01  # a board below the sheet
    assert floor.points[:, 1].max() == pytest.approx(0.0)
    row = pictures(stage, instants(a_history(1), [], []))
    ET.fromstring(re.search(r"<svg.*?</svg>", row, re.DOTALL)[0])


def test_solid_scenes_are_not_flat():
    assert not stage_of(scene_with()).flat


def test_a_veil_hides_nothing_and_has_an_outline():
    points, triangles = cuboid((1.0, 1.0, 1.0), 0.0)
    svg = picture(
        [
            Shape(points, triangles, "#D55E00", "body"),
            Shape(points + np.array([0, 0, 1.0]), triangles, GREY, "plate", opacity=0.3),
        ]
    )
    root = ET.fromstring(svg)
    groups = {
        group.findtext(f"{SVG}title"): group.attrib for group in root.iter(f"{SVG}g") if group.find(f"{SVG}title") is not None
    }
    assert groups["plate"]["opacity"] == "0.3"
    assert "opacity" not in groups["body"]
    names = [title.text for title in root.iter(f"{SVG}title")]
    assert names == ["body", "plate"]  # seen from above, the upper one is the nearer


def test_a_veil_deep_in_a_body_is_still_one_piece():
    block, deep = np.array([[0, 0, 0], [1, 1, 1.0]]), np.array([[0.3, 0.3, 0.5], [0.7, 0.7, 1.3]])
    eye = np.array([0.5, -9.0, 9.0])
    assert drawing_order([block, deep], eye) == [[0, 1]]
    assert drawing_order([block, deep], eye, alone=[1]) == [[0], [1]]
    assert drawing_order([deep, block], eye, alone=[0]) == [[1], [0]]


def test_outlines_are_rims_and_creases():
    points, triangles = cuboid((1.0, 1.0, 1.0), 0.0)
    normal = face_normals(points, triangles[:, [0, 1, 2, 2]])
    assert len(outline(triangles, normal)) == 12  # the edges of a cube, without diagonals
    upper = triangles[normal[:, 2] > 0.5]
    assert len(outline(upper, normal[normal[:, 2] > 0.5])) == 4


def test_what_runs_out_of_a_picture_fades():
    points, triangles = cuboid((9.0, 1.0, 1.0), 0.0)
    bounds = [[-0.5] * 3, [0.5] * 3]
    long, short = (picture([Shape(points * [scale, 1, 1], triangles, opacity=0.3)], bounds=bounds) for scale in (1.0, 0.1))
    assert "<mask" in long
    assert "<mask" not in short


# --- size


def test_coarse_surfaces_keep_corners_and_stay_closed():
    body = compile_scene(
        scene := Scene(time=Time(end=1.0), body={"b": Lattice(counts=[30, 20, 20], spacing=1.0, law=LAW, mass=1.0)})
    )
    assert scene.body["b"].shape == "lattice"
    position, triangles = body.model.rest_position, body.model.bodies[0].triangles.astype(np.int64)
    found = coarsened(position, triangles, 900)
    assert 300 < len(found) <= 900
    assert is_closed(found)
    np.testing.assert_array_equal(bounds_of(position[found.ravel()]), bounds_of(position))
    assert volume(position, found) == pytest.approx(29.0 * 19.0 * 19.0, rel=1e-9)
    assert coarsened(position, triangles, 10**6) is triangles


def test_coarse_balls_are_round():
    points, triangles = ball(1.0)
    found = coarsened(points, triangles, 400)
    assert 100 < len(found) <= 400
    assert volume(points, found) == pytest.approx(4.0 / 3.0 * np.pi, rel=0.12)


def test_coarse_lines_run_from_end_to_end():
    lines = coarse_line(100_001, 1000)
    assert len(lines) == 1000
    assert (lines[0, 0], lines[-1, 1]) == (0, 100_000)
    np.testing.assert_array_equal(lines[1:, 0], lines[:-1, 1])
    assert coarse_line(3, 1000).tolist() == [[0, 1], [1, 2]]


def test_pictures_of_a_fine_body_are_small():
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"b": Lattice(counts=[59, 59, 59], spacing=0.01, law=LAW, mass=1.0)}))
    assert len(compiled.model.bodies[0].triangles) > 20_000
    stage = Stage(compiled.model, [], dict.fromkeys(range(5), compiled.state.position))
    row = pictures(stage, instants(a_history(5), [], []))
    assert len(row.encode()) < 2.8e6


# --- what is shown of tools, and figures


def test_floors_are_shown_around_the_bodies():
    bounds = np.array([[0.0, 0.0, 0.0], [0.2, 0.1, 0.1]])
    points, _ = shown_surface(Floor(), bounds)
    assert points.shape == (4, 3)
    assert points[:, 0].min() < 0.0 < 0.2 < points[:, 0].max() < 0.3
    assert shown_surface(Floor(extent=0.01), bounds)[0][:, :2].max() == pytest.approx(0.01)


@pytest.mark.parametrize(
    "tool", [Box(size=[0.1, 0.2, 0.3]), Plate(size=[0.1, 0.2, 0.3]), Sphere(radius=0.1), Cylinder(radius=0.1, length=0.2)]
)
def test_near_tools_are_shown_whole(tool):
    points, _ = shown_surface(tool, np.array([[-0.2] * 3, [0.2] * 3]))
    np.testing.assert_allclose(bounds_of(points), bounds_of(tool.surface()[0]))


def test_figures_leave_rounding_out():
    def figure(unit, *values):
        return {"unit": unit, **dict(zip(("first", "last", "least", "greatest"), values, strict=True))}

    summary = {"figures": {
        "time": figure("s", 0, 1, 0, 1),
        "a": figure("N", 1e-30, 2.0, -5.0, 2.0),
        "b": figure("N", 1e-15, 0.0, 0.0, 1e-15),
        "v": figure("m^3", 0.5, 0.5, 0.5, 0.5),
    }}  # fmt: skip
    root = ET.fromstring(f"<div>{figures(summary)}</div>")
    rows = [[cell.text for cell in row] for row in root.iter("tr")][1:]
    assert rows == [["a", "N", "0", "2", "−5", "2"], ["v", "m³", "0.5", "0.5", "0.5", "0.5"]]
    assert root.findtext("p") == "Columns of the history that stay at zero: 1."
