"""How fast time runs; recording and replay."""

from typing import Any

from yawara.view.desk import Desk

SPEEDS = {"real time": 1.0, "slow motion, 1/4": 0.25, "slow motion, 1/10": 0.1, "pause": 0.0}


class TimeControls:
    """Speed, record, replay."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._recording = desk, False
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

    def _press(self, event: Any) -> None:  # not async: files may take their time
        if not self._desk.may(event):
            return
        if event.target.value == "Replay":
            self._desk.tell(event.client_id, "Replay", self._desk.session.replay())
            return
        self._recording = event.target.value == "Record"
        said = self._desk.session.record(self._recording)
        self._buttons.options = ("Stop", "Replay") if self._recording else ("Record", "Replay")
        self._desk.tell(event.client_id, "Recording" if self._recording else "Recorded", said)
