"""What a page must do, for any session behind it: each check leaves the bodies as at the beginning."""

import io
from pathlib import Path

import numpy as np
import trimesh

from waiting import wait_for
from yawara.live.messages import LetGo, Pull


def top_of(session):
    """[m]: the middle of the first body's upper side, as it is now."""
    vertices = session.latest().vertices[0]
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    near = np.linalg.norm(vertices[:, :2] - middle[:2], axis=1) < 0.1 * np.ptp(vertices[:, 0]) + 1e-9
    return np.array([middle[0], middle[1], vertices[near, 2].max()])


def change_of(session):
    """[m]: how far the vertex that moved most is from where it was at the beginning."""
    return float(np.linalg.norm(session.latest().vertices[0] - session.shapes.bodies[0].vertices, axis=1).max())


def pass_time(session, duration=0.3):
    """Until so many seconds have passed for the body, however long that takes."""
    end = session.latest().time + duration
    wait_for(lambda: session.latest().time > end, "time passes")


def settled_change(session):
    """[m], once it grows no more."""
    change = 0.0
    while (now := change_of(session)) > 1.05 * change:
        change = now
        pass_time(session)
    return now


def check_a_drag_deforms(window, session, orders, *, least=1e-3, residue=2e-4):
    """Pull the body up, see it deform, let go, see that something stays; reset, see that nothing does."""
    place, by = top_of(session), (8, -50)
    aim = np.add(window.point(place), by)  # [pixels]
    window.drag(place, by, release=False)
    wait_for(lambda: pulled_to(orders()) is not None and _near(window.point(pulled_to(orders())), aim), "the hand is there")
    wait_for(lambda: change_of(session) > least, "the body deforms")
    settled = settled_change(session)
    session.set_speed(0.0)  # a busy browser takes its time to let go, and a body that is held flows on
    window.release()
    wait_for(lambda: isinstance(orders()[-1], LetGo), "the hand lets go")
    pulled = max(settled, change_of(session))
    session.set_speed(1.0)
    wait_for(lambda: change_of(session) < pulled - residue, "a part springs back")
    pass_time(session)
    assert change_of(session) > residue  # and a part stays
    check_reset(window, session)


def pulled_to(orders):
    """[m]: where the last order pulls to; None if it does not pull."""
    return orders[-1].target if orders and isinstance(orders[-1], Pull) else None


def _near(point, aim):
    return np.linalg.norm(np.subtract(point, aim)) < 5.0  # [pixels]


def check_reset(window, session):
    window.click("Reset")
    wait_for(lambda: change_of(session) < 1e-5, "the body is as at the beginning")


def check_a_slider_acts(window, label, changes):
    """`changes()` are the settings that were received so far."""
    before = len(changes())
    track = (
        window.tab.locator("label", has_text=label).locator("xpath=ancestor::*[.//*[@role='slider']][1]").get_by_role("slider")
    )
    track.focus()
    for _ in range(10):
        window.tab.keyboard.press("ArrowRight")
    wait_for(lambda: len(changes()) > before, "the setting arrives")
    return changes()[-1]


def check_export(window, session, folder):
    """The saved GLB is the body as it is."""
    with window.tab.expect_download() as waiting:
        window.click("GLB")
    saved = Path(folder) / "body.glb"
    waiting.value.save_as(saved)
    mesh = trimesh.load(io.BytesIO(saved.read_bytes()), file_type="glb", force="mesh")
    skin = session.shapes.bodies[0]
    assert len(mesh.faces) >= len(skin.triangles)
    assert np.ptp(mesh.vertices, axis=0).max() > 0.5 * np.ptp(skin.vertices, axis=0).max()  # [m]: not in units of the drawing
    assert np.ptp(mesh.vertices, axis=0).max() < 2 * np.ptp(skin.vertices, axis=0).max()


def check_one_holds(first, second, session, orders):
    """While the first window holds the body, the second one cannot; once it is let go, it can."""

    def count(kind):
        return sum(type(order).__name__ == kind for order in orders())

    place = top_of(session)
    first.drag(place, (0, -40), release=False)
    wait_for(lambda: count("Pull"), "the first window holds the body")
    second.tab.get_by_text("Another window holds the tool").first.wait_for()
    second.drag(place, (30, -20))
    second.click("Reset")
    second.tab.wait_for_timeout(300)
    assert (count("Grab"), count("Reset")) == (1, 0)
    first.release()
    wait_for(lambda: count("LetGo"), "the first window lets go")
    second.tab.get_by_text("Another window holds the tool").first.wait_for(state="hidden")
    second.drag(place, (0, -30))
    wait_for(lambda: count("Grab") == 2, "the second window can")
