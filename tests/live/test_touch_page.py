"""The page in a real browser, with the solver behind it."""

import pytest

from browser import Window, chromium
from page_checks import check_a_drag_deforms, check_a_slider_acts, check_export, check_reset
from waiting import PATIENCE, wait_for
from yawara.child import Patience
from yawara.live.line import GiveRecording
from yawara.live.presets import preset_scene
from yawara.live.session import Session
from yawara.view.serve import serve


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def session(browser, tmp_path_factory):
    patience = Patience(PATIENCE, PATIENCE, PATIENCE, PATIENCE)
    with Session(preset_scene("dough", (4, 4, 2)), tmp_path_factory.mktemp("exports"), patience=patience) as opened:
        wait_for(lambda: opened.latest(), "the first view")
        yield opened


@pytest.fixture(scope="module")
def page(session):
    with serve(session, port=0, plain=True, idle=PATIENCE, shown=PATIENCE) as opened:
        yield opened


@pytest.fixture(scope="module")
def window(browser, page):
    return Window(browser, page)  # the last test closes it


def test_a_drag_deforms_dough_and_leaves_a_residue(window, session):
    check_a_drag_deforms(window, session, lambda: [order for _, order in session.ask(GiveRecording()).orders])
    assert window.complaints == []


def test_sliders_change_the_material(window, session):
    changed = []

    def seen():
        value = session.settings["stiffness"].value
        if not changed or changed[-1] != value:
            changed.append(value)
        return changed

    seen()
    before = changed[-1]
    assert check_a_slider_acts(window, "Stiffness", seen) > before


def test_reset_restores(window, session):
    check_reset(window, session)


def test_what_is_saved_can_be_read(window, session, tmp_path):
    window.unfold("Save")
    check_export(window, session, tmp_path)


def test_a_window_closed_and_opened_again_still_works(browser, page, window, session):
    window.close()
    again = Window(browser, page)
    assert again.complaints == []
    check_reset(again, session)
    again.close()
