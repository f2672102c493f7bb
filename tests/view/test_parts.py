"""The small parts of the page, without a browser."""

import io
from dataclasses import replace

import numpy as np
import pytest
import trimesh
import viser

from fake_session import FakeSession, block
from glb_file import valid
from held_clock import HeldClock
from waiting import wait_for
from yawara.live.messages import Setting, Shapes, Skin
from yawara.view import colours, table
from yawara.view.bodies import Bodies
from yawara.view.coloured import coloured_file
from yawara.view.controls.material import label_of, place_of, short, value_at
from yawara.view.loop import RATE, Loop
from yawara.view.scale import SIZE, scale_of
from yawara.view.words import notice, speed_lines


class Notes:
    """A viewer that notes what it is asked to do."""

    address = ""

    def __init__(self):
        self.shown, self.shapes, self.refreshed, self.fail = [], [], 0, False

    def show(self, view):
        self.shown.append(view.tick)
        if self.fail:
            raise OSError("no picture")

    def set_shapes(self, shapes):
        self.shapes.append(shapes)

    def refresh(self, rate):
        self.refreshed += 1

    def close(self):
        pass


class Still(FakeSession):
    """Gives the same view until told otherwise."""

    view = None

    def latest(self):
        return self.view


class Running:
    """A loop in held time, turn by turn."""

    def __init__(self, kind=Still):
        self.clock, self.viewer = HeldClock(), Notes()
        self.session = kind(self.clock)
        self.loop = Loop(self.session, self.viewer, self.clock)

    def turns(self, count):
        """So many; when they began [s]."""
        begun = []
        for _ in range(count):
            begun.append(self.clock.time)
            self.clock.time += self.loop.turn()
        return begun

    def show(self, tick):
        """From now on."""
        self.session.view = replace(FakeSession.latest(self.session), tick=tick)


def test_the_loop_shows_each_view_once():
    running = Running()
    running.turns(3)
    assert running.viewer.shown == []  # there is none yet
    running.show(7)
    running.turns(5)
    assert (running.viewer.shown, running.viewer.refreshed) == ([7], 8)  # the panel goes on
    running.show(8)
    running.turns(1)
    assert (running.viewer.shown, running.loop.sent) == ([7, 8], 2)


def test_the_loop_sends_sixty_views_a_second_at_most_and_counts_those_of_the_last_second():
    """How many a machine can draw is measured by benchmarks/touch.py."""
    running = Running(FakeSession)
    begun = running.turns(150)
    assert np.diff(begun) == pytest.approx(1.0 / RATE)
    assert running.viewer.shown == sorted(set(running.viewer.shown))
    assert running.loop.sent == 150
    assert running.loop.rate == pytest.approx(RATE, abs=1)
    running.clock.time += 0.5
    assert running.loop.rate == pytest.approx(0.5 * RATE, abs=1)
    running.clock.time += 0.6
    assert running.loop.rate == 0.0


def test_a_loop_that_was_kept_waiting_makes_up_for_nothing():
    running = Running(FakeSession)
    running.turns(10)
    running.clock.time += 0.4  # the machine was busy elsewhere
    begun = running.turns(10)
    assert np.diff(begun)[1:] == pytest.approx(1.0 / RATE)
    assert running.loop.sent == 19  # the second turn came at once, and found nothing new


def test_the_loop_tells_of_new_shapes_first():
    running = Running()
    running.show(7)
    running.turns(2)
    running.session.generation += 1
    running.turns(2)
    assert running.viewer.shown == [7, 7]  # the same view is shown with the new shapes
    assert running.viewer.shapes == [running.session.shapes]


def test_the_loop_survives_a_picture_that_fails(caplog):
    running = Running()
    running.viewer.fail = True
    running.show(7)
    running.turns(5)
    assert len(running.viewer.shown) == 5  # it is tried again
    running.viewer.fail = False
    running.turns(2)
    assert (len(running.viewer.shown), running.viewer.refreshed) == (6, 2)
    assert [record.message for record in caplog.records] == ["a view could not be drawn"]  # said once


def test_the_loop_runs_in_a_thread_of_its_own_until_it_is_closed():
    viewer = Notes()
    loop = Loop(FakeSession(), viewer).start()
    wait_for(lambda: len(viewer.shown) > 3, "views")
    loop.close()
    sent = loop.sent
    assert sent == len(viewer.shown)
    assert viewer.shown == sorted(set(viewer.shown))


def test_a_coloured_surface_is_what_was_given():
    vertices, triangles = block()
    values = np.linspace(0, 1, len(vertices))
    content = coloured_file(Skin("dough", vertices, triangles), vertices, values, 0.0, 1.0)
    mesh = trimesh.load(io.BytesIO(content), file_type="glb", force="mesh")
    assert mesh.vertices == pytest.approx(vertices, abs=1e-7)  # the page's z is up, like ours
    assert np.array_equal(mesh.faces, triangles)
    assert mesh.visual.material.metallicFactor == 0
    glb = valid(content)
    shown = glb.array(glb.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"]) / 65535
    # STOPS[0] as light, not as a screen's numbers: ((250/255 + 0.055) / 1.055)^2.4 and so on, IEC 61966-2-1
    assert shown[0] == pytest.approx([0.95597, 0.87137, 0.70110, 1.0], abs=1e-4)
    assert np.diff(shown[:, :3].sum(axis=1)).max() <= 0.01


def test_colours_keep_to_their_range():
    shown = colours.colours_of(np.array([-1.0, 0.0, 0.5, 1.0, 2.0, np.nan]), 0.0, 1.0)
    assert shown[0].tolist() == shown[1].tolist() == shown[5].tolist() == colours.STOPS[0].tolist()
    assert shown[3].tolist() == shown[4].tolist() == colours.STOPS[-1].tolist()
    assert np.diff(shown[[1, 2, 3]].astype(int).sum(axis=1)).max() < 0  # darker is more
    assert colours.colours_of(np.ones(3), 1.0, 1.0).shape == (3, 3)  # a range without width
    assert "strain &lt;b&gt; [1]" in colours.legend("strain <b>", 0.0, 1.0, "1")


def test_scale_goes_there_and_back():
    scale = scale_of(FakeSession().shapes)
    place = (0.012, -0.03, 0.05)
    assert scale.world(tuple(scale.draw(np.array(place)))) == pytest.approx(place)
    drawn = scale.draw(FakeSession().shapes.bodies[0].vertices)
    assert np.ptp(drawn, axis=0).max() == pytest.approx(SIZE)
    assert drawn[:, 2].min() == pytest.approx(0.0)
    assert scale_of(Shapes((), (), ())).units_per_metre > 0


def test_what_a_table_is():
    shapes = FakeSession().shapes
    finger, floor = shapes.tools
    assert table.is_table(floor.vertices - np.array([0, 0, 0.01]), shapes.bodies)
    assert not table.is_table(finger.vertices, shapes.bodies)
    assert not table.is_table(floor.vertices + np.array([0, 0, 0.1]), shapes.bodies)  # a lid
    bare = table.bare_table()
    scale = scale_of(shapes)
    shaded = table.shade(bare, scale.draw(shapes.bodies[0].vertices), shapes.bodies[0].triangles)
    middle = table.PIXELS // 2
    assert shaded[middle, middle].sum() < 0.7 * bare[middle, middle].sum()
    assert shaded[0, 0] == pytest.approx(bare[0, 0], abs=1)


@pytest.mark.parametrize("logarithmic", [True, False])
def test_sliders_go_there_and_back(logarithmic):
    setting = Setting("Stiffness", "Pa", 1e3, 1e5, 1.2e4, logarithmic)
    assert value_at(setting, place_of(setting, 1.2e4)) == pytest.approx(1.2e4)
    assert (value_at(setting, -3.0), value_at(setting, 7.0)) == pytest.approx((1e3, 1e5))
    assert label_of(setting, 1.2e4) == "Stiffness 12 kPa"
    assert label_of(setting, 950.0) == "Stiffness 950 Pa"
    assert short(999.9) == "1 k"


def test_what_is_told():
    session = FakeSession()
    said = speed_lines(view := session.latest(), view.wall, 58.0, "hand <998 Hz>")
    for part in ("1.00 × real time", "wanted 1", "1000 ticks/s", "0.62 ms", "58 views/s", "hand &lt;998 Hz&gt;"):
        assert part in said
    assert "waiting" in speed_lines(None, 0.0, 0.0, "")
    assert notice("") == ""
    assert "&lt;script&gt;" in notice("<script>")


@pytest.mark.parametrize("tools", [1, 2])
def test_a_table_is_drawn_only_where_there_is_one(tools):
    """The second tool of the fake is its floor."""
    server = viser.ViserServer(port=0, verbose=False)
    try:
        session = FakeSession()
        shapes, view = session.shapes, session.latest()
        bodies = Bodies(server, replace(shapes, tools=shapes.tools[:tools]), on_drag=None, plain=True)
        placed = {name: getattr(view, name)[:tools] for name in ("tool_positions", "tool_rotations")}
        bodies.show(replace(view, **placed), (0.0, 1.0, ""))
        assert (server.scene.get_handle_by_name("/table") is not None) == (tools == 2)
    finally:
        server.stop()
