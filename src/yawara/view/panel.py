"""The panel beside the scene, from what matters most to what is looked at least."""

import viser

from yawara.live.messages import View
from yawara.view import colours
from yawara.view.controls.colour import ColourControls
from yawara.view.controls.export import ExportControls
from yawara.view.controls.material import MaterialControls
from yawara.view.controls.time import TimeControls
from yawara.view.controls.tool import ToolControls
from yawara.view.desk import Desk
from yawara.view.plots import Plots
from yawara.view.style import style
from yawara.view.words import notice, speed_lines

WIDTH = 340  # pixels
PERIOD = 0.2  # [s] between two refreshments: numbers that change faster cannot be read


class Panel:
    """All controls and what is told."""

    def __init__(self, desk: Desk, *, plain: bool) -> None:
        self._desk, self._refreshed = desk, 0.0
        gui = desk.server.gui
        gui.configure_theme(brand_color=colours.BRAND, show_logo=False, show_share_button=False, control_width="large")
        gui.set_panel_label("Yawara")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(WIDTH)
        gui.add_html(style(plain=plain))
        self._speed = gui.add_html(speed_lines(None, 0.0, 0.0, ""))
        self._trouble = gui.add_html("", visible=False)
        self._tool = ToolControls(desk)
        self._colour = ColourControls(desk)
        self._material = MaterialControls(desk)
        self._plots = self._add_plots(gui)
        self._time = TimeControls(desk)
        ExportControls(desk)

    def rebuild(self) -> None:
        """Shapes and settings are new."""
        self._tool.rebuild()
        self._material.rebuild()
        self._time.rebuild()

    def note(self, view: View) -> None:
        """Keep this moment for the curves."""
        self._plots.note(view)

    def refresh(self, view: View | None, sent: float) -> None:
        """A few times per second, also when nothing new arrives: that may be the trouble to tell."""
        now = self._desk.clock.now()
        if now - self._refreshed < PERIOD:
            return
        self._refreshed = now
        said = " ".join(part for part in (self._desk.session.trouble, view.message if view is not None else "") if part)
        if self._trouble.visible != bool(said) or self._trouble.content != notice(said):
            self._trouble.content, self._trouble.visible = notice(said), bool(said)
        self._speed.content = speed_lines(view, now, sent, self._desk.session.device_line())
        if view is not None:
            self._tool.refresh(view)
            self._colour.refresh(view)
            self._plots.draw()

    @staticmethod
    def _add_plots(gui: viser.GuiApi) -> Plots:
        with gui.add_folder("Force and height"):
            return Plots(gui)
