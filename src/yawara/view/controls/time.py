"""How fast time runs; recording and replay."""

from yawara.view.desk import Desk

SPEEDS = {"real time": 1.0, "slow motion, 1/4": 0.25, "slow motion, 1/10": 0.1, "pause": 0.0}


class TimeControls:
    """Speed, record, replay."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        gui = desk.server.gui
        with gui.add_folder("Time"):
            speed = gui.add_dropdown("Speed", tuple(SPEEDS))
            self._buttons = gui.add_button_group(
                "Recording", ("Record", "Replay"), hint="All that the hand does from now on, to be replayed or saved"
            )
        desk.on_change(speed, self._set_speed)
        desk.on_press(self._buttons, lambda window, button: desk.later(self._press, window, button))

    def _set_speed(self, _: int, name: str) -> None:
        if name in SPEEDS:
            self._desk.session.set_speed(SPEEDS[name])

    def _press(self, window: int, button: str) -> None:
        session = self._desk.session
        said = session.replay() if button == "Replay" else session.record(button == "Record")
        self.rebuild()
        self._desk.tell(window, said)

    def rebuild(self) -> None:
        """The button says what it would do now: a recording also ends with its solver, its body or a replay."""
        wanted = ("Stop" if self._desk.session.is_recording else "Record", "Replay")
        if self._buttons.options != wanted:
            self._buttons.options = wanted
