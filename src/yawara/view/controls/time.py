"""How fast time runs; recording and replay."""

from typing import Any

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
                "Recording", ("Record", "Replay"), hint="All that the hand does, to be replayed or saved"
            )
        speed.on_update(self._set_speed)
        self._buttons.on_click(self._press)

    async def _set_speed(self, event: Any) -> None:
        if self._desk.may(event) and event.target.value in SPEEDS:
            self._desk.session.set_speed(SPEEDS[event.target.value])

    async def _press(self, event: Any) -> None:
        if self._desk.may(event):
            self._desk.later(
                self._replay if event.target.value == "Replay" else self._record, event.client_id, event.target.value
            )

    def _replay(self, window: int, _: str) -> None:
        self._desk.tell(window, "Replay", self._desk.session.replay())

    def _record(self, window: int, button: str) -> None:
        recording = button == "Record"
        said = self._desk.session.record(recording)
        self._buttons.options = ("Stop" if recording else "Record", "Replay")
        self._desk.tell(window, "Recording" if recording else "Recorded", said)
