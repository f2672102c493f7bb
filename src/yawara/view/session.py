"""What the page needs of whatever runs behind it; a solver in another process, a recording or a fake for tests can all give it."""

from collections.abc import Mapping
from typing import Protocol

from yawara.live.messages import ExportFile, Order, Setting, Shapes, ValueRange, View


class Session(Protocol):
    """A run that can be watched and touched. Nothing in here may take long: the page calls it between two pictures."""

    @property
    def shapes(self) -> Shapes: ...

    @property
    def generation(self) -> int:
        """Grows when `shapes`, `settings` or `presets` are new."""

    @property
    def settings(self) -> Mapping[str, Setting]: ...

    @property
    def presets(self) -> tuple[str, ...]:
        """Names of what can be chosen."""

    @property
    def preset(self) -> str:
        """The one that is shown."""

    @property
    def export_kinds(self) -> tuple[str, ...]: ...

    @property
    def value_range(self) -> ValueRange:
        """Of `View.values`."""

    @property
    def trouble(self) -> str:
        """Empty, or what is wrong."""

    @property
    def device_holds_tool(self) -> bool:
        """Then the mouse is a bare hand beside it."""

    def latest(self) -> View | None:
        """The newest view; None as long as there is none."""

    def send(self, order: Order) -> None:
        """Have it carried out at the next tick."""

    def choose_preset(self, name: str) -> None:
        """Another material or scene."""

    def set_speed(self, factor: float) -> None:
        """1 is real time, less is slow motion, 0 a pause."""

    def colour_by(self, what: str) -> None:
        """One of `COLOURINGS`."""

    @property
    def is_recording(self) -> bool:
        """Between `record(True)` and whatever ends it."""

    def record(self, on: bool) -> str:
        """Begin or end a recording; what to tell the user."""

    def replay(self) -> str:
        """The last recording once more; what to tell the user."""

    def export(self, kind: str) -> ExportFile:
        """One of `export_kinds`, of this moment."""

    def device_line(self) -> str:
        """How the device in the hand does, empty if there is none."""
