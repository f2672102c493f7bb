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
            # Two buttons, not a group: a group's value changes with its names, and a click could be taken for another one.
            self._record = gui.add_button("Record", hint="All that the hand does from now on, to be replayed or saved")
            replay = gui.add_button("Replay", hint="What was recorded, or all since the body was new, once more")
        desk.on_change(speed, self._set_speed)
        desk.on_press(self._record, lambda window, _: desk.later(self._switch, window))
        desk.on_press(replay, lambda window, _: desk.later(self._replay, window))

    def _set_speed(self, _: int, name: str) -> None:
        if name in SPEEDS:
            self._desk.session.set_speed(SPEEDS[name])

    def _switch(self, window: int) -> None:
        session = self._desk.session
        said = session.record(not session.is_recording)
        self.rebuild()
        self._desk.tell(window, said)

    def _replay(self, window: int) -> None:
        said = self._desk.session.replay()
        self.rebuild()
        self._desk.tell(window, said)

    def rebuild(self) -> None:
        """The button says what it would do now: a recording also ends with its solver, its body or a replay."""
        wanted = "Stop" if self._desk.session.is_recording else "Record"
        if self._record.label != wanted:
            self._record.label = wanted
