"""The page in a real browser, with a fake behind it."""

import pytest

from browser import Window, chromium
from fake_session import FakeSession
from page_checks import (
    change_of,
    check_a_drag_deforms,
    check_a_slider_acts,
    check_export,
    check_one_holds,
    check_reset,
    top_of,
)
from waiting import PATIENCE, wait_for
from yawara.live.messages import Choose, Grab, LetGo, Move, Pull, Undo
from yawara.view.serve import serve


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def session():
    return FakeSession()


@pytest.fixture(scope="module")
def page(session, browser):
    with serve(session, port=0, plain=True, idle=PATIENCE, shown=PATIENCE) as opened:
        yield opened


@pytest.fixture(scope="module")
def window(browser, page):
    opened = Window(browser, page)
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def as_at_the_beginning(session):
    session.orders.clear()
    session.calls.clear()


def test_opens_without_complaints(window, page):
    assert window.complaints == []
    sent = page.loop.sent
    wait_for(lambda: page.loop.sent > sent, "views go out")
    assert window.tab.title() == "Yawara"


def test_a_drag_is_grab_pull_let_go(window, session):
    check_a_drag_deforms(window, session, lambda: session.orders)
    kinds = [type(order) for order in session.orders]
    assert kinds[:2] == [Grab, Pull]
    assert kinds[-2:-1] == [LetGo]  # then reset
    place = session.orders[0].place
    assert place == pytest.approx(top_of(session), abs=4e-3)  # the hand took what the pointer pointed at
    assert session.orders[0].body == "dough"
    assert session.orders[len(kinds) - 3].target[2] > place[2] + 5e-3  # up on the screen is up in the world
    assert window.complaints == []


def test_a_tool_presses(window, session):
    window.choose("Tool", "finger")
    wait_for(lambda: session.orders == [Choose("finger")], "the tool is taken")
    window.tab.get_by_text("Height").first.wait_for()
    height = session.latest().tool_positions[0, 2]
    window.drag(top_of(session), (0, 60))
    wait_for(lambda: session.latest().tool_positions[0, 2] < height - 0.01, "the tool goes down")
    assert {type(order) for order in session.orders} == {Choose, Move}
    wait_for(lambda: change_of(session) > 1e-3, "the body gives way")
    window.choose("Tool", "bare hand")
    wait_for(lambda: session.orders[-1] == Choose(None), "the tool is put back")
    check_reset(window, session)


def test_sliders_and_presets_act(window, session):
    received = check_a_slider_acts(window, "Stiffness", lambda: [call[1] for call in session.calls if call[0] == "change"])
    assert received["stiffness"] > 1.2e4
    window.tab.get_by_text("Stiffness 1").first.wait_for()  # the label follows
    preset = window.tab.get_by_role("combobox", name="Preset")
    assert preset.input_value() == "gel"  # what is there, not the first one
    window.choose("Preset", "clay")
    wait_for(lambda: ("preset", "clay") in session.calls, "the preset arrives")
    wait_for(lambda: preset.input_value() == "clay", "the panel shows it")
    window.choose("Speed", "slow motion, 1/10")
    wait_for(lambda: ("speed", 0.1) in session.calls, "the speed arrives")
    window.choose("Speed", "real time")
    wait_for(lambda: ("speed", 1.0) in session.calls, "so does the old one")  # or it would arrive during the next test


def test_undo_record_and_replay(window, session):
    window.click("Undo")
    wait_for(lambda: Undo() in session.orders, "undo arrives")
    window.click("Record")
    window.click("Stop")
    window.click("Replay")
    wait_for(lambda: session.calls == [("record", True), ("record", False), ("replay",)], "all three arrive")
    window.tab.get_by_text("replaying 12 orders").wait_for()


def test_colours_come_and_go(window, session, page):
    window.choose("Colours show", "residual strain")
    window.tab.get_by_text("residual strain [1]").wait_for()
    window.tab.wait_for_timeout(500)
    check_a_drag_deforms(window, session, lambda: session.orders)  # coloured bodies can be touched too
    window.choose("Colours show", "nothing")
    wait_for(lambda: session.latest().values is None, "the colours are off")
    window.tab.get_by_text("residual strain [1]").wait_for(state="hidden")
    assert window.complaints == []


def test_trouble_is_shown(window, session):
    session.trouble = "the solver stopped <b>&"
    window.tab.get_by_text("the solver stopped <b>&").wait_for()  # as text, not as HTML
    session.trouble = ""
    window.tab.get_by_role("alert").first.wait_for(state="detached")


def test_saves_files(window, session, tmp_path):
    window.unfold("Save")
    check_export(window, session, tmp_path)
    window.click("recording")
    window.tab.get_by_text("press Record first").wait_for()


def test_one_window_holds_the_tool(browser, window, page, session):
    second = Window(browser, page)
    check_one_holds(window, second, session, lambda: session.orders)
    check_reset(second, session)
    second.drag(top_of(session), (0, -40), release=False)
    wait_for(lambda: isinstance(session.orders[-1], Pull), "the second window holds the body")
    second.close()
    wait_for(lambda: session.orders[-1] == LetGo(), "a window that closes lets go")
    again = Window(browser, page)
    check_a_drag_deforms(again, session, lambda: session.orders)
    assert again.complaints == []
    again.close()


def test_a_page_with_a_token_opens(browser):
    with serve(FakeSession(), port=0, token="only-for-friends", plain=True) as guarded:
        window = Window(browser, guarded)  # the connection comes from a worker of the page; it has the cookie too
        assert "token" not in window.tab.url
        assert window.complaints == []
        stranger = browser.new_context().new_page()
        stranger.set_default_timeout(1e3 * PATIENCE)  # [ms]
        assert stranger.goto(guarded.address.partition("?")[0]).status == 403
        stranger.close()
        window.close()
