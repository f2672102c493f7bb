"""A real browser, and a hand that knows where in its window a place of the world is seen."""

import shutil
from contextlib import contextmanager

import numpy as np
import pytest

from waiting import PATIENCE, wait_for

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
]
SIZE = {"width": 800, "height": 440}
REMARKS = ("Unable to preventDefault inside passive event listener",)  # Chromium about viser's own handling of pointers; harmless


@contextmanager
def chromium(*, hide_scrollbars=True):
    """Headless, drawing in software; the test is skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine; CI installs it")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        left_out = None if hide_scrollbars else ["--hide-scrollbars"]  # which the driver adds by itself
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=FLAGS, ignore_default_args=left_out, timeout=1e3 * PATIENCE
        )
        try:
            yield browser
        finally:
            browser.close()


class Window:
    """A window of the browser that shows a page of ours."""

    def __init__(self, browser, page, size=SIZE):
        self.page, self.complaints = page, []
        self.tab = browser.new_page(viewport=dict(size))
        self.tab.set_default_timeout(1e3 * PATIENCE)  # [ms]: two windows drawn in software keep a busy machine for a while
        self.tab.on("console", lambda line: self._note(line.text) if line.type == "error" else None)
        self.tab.on("pageerror", lambda problem: self._note(str(problem)))
        known = set(page.viewer.server.get_clients())
        coarse = "&" if "?" in page.address else "/?"  # a quarter of the pixels: drawing in software takes its time
        self.tab.goto(page.address + coarse + "fixedDpr=0.5")
        self.tab.get_by_text("real time").first.wait_for()
        self.id = wait_for(lambda: self._turn() or set(page.viewer.server.get_clients()) - known, "the window is known").pop()
        self.settle()

    def _note(self, text):
        if not any(remark in text for remark in REMARKS):
            self.complaints.append(text)

    def _turn(self):
        self.tab.wait_for_timeout(30)  # the driver notices nothing unless it gets a turn

    def settle(self):
        """Until the camera stands where the page put it, so that places are where we think."""
        wanted = np.array(self.page.viewer.server.initial_camera.position)
        wait_for(lambda: self._turn() or np.allclose(self.camera.position, wanted, atol=1e-3), "the camera stands")

    @property
    def camera(self):
        return self.page.viewer.server.get_clients()[self.id].camera

    def point(self, place):
        """[pixels] where this place [m] of the world is seen."""
        camera, scale = self.camera, self.page.viewer.scale
        eye = np.array(camera.position)
        ahead = np.array(camera.look_at) - eye
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, camera.up_direction)
        right /= np.linalg.norm(right)
        seen = scale.draw(np.array(place, dtype=float)) - eye
        box = self.tab.locator("canvas[data-engine]").bounding_box()
        per_slope = 0.5 * box["height"] / np.tan(camera.fov / 2)
        x, y = (np.array([seen @ right, -seen @ np.cross(right, ahead)]) / (seen @ ahead)) * per_slope
        return box["x"] + box["width"] / 2 + x, box["y"] + box["height"] / 2 + y

    def press(self, place):
        self.tab.mouse.move(*self.point(place))
        self.tab.mouse.down()

    def move(self, by, steps=8):
        """[pixels] right and down, from where the button was pressed, as slowly as a hand."""
        x, y = self._last
        for step in range(1, steps + 1):
            self.tab.mouse.move(x + by[0] * step / steps, y + by[1] * step / steps)
            self.tab.wait_for_timeout(40)

    def drag(self, place, by, *, release=True):
        """From a place [m] by some pixels."""
        self._last = self.point(place)
        self.press(place)
        self.move(by)
        if release:
            self.release()

    def release(self):
        self.tab.mouse.up()

    def choose(self, label, option):
        self.tab.get_by_role("combobox", name=label).click()
        self.tab.get_by_role("option", name=option, exact=True).click()

    def click(self, name):
        self.tab.get_by_role("button", name=name, exact=True).click()

    def unfold(self, name):
        self.tab.get_by_text(name, exact=True).click()

    def close(self):
        self.tab.close()
