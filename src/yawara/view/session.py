"""What the page needs of whatever runs behind it; a solver in another process, a recording or a fake for tests can all give it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from yawara.live.messages import Order, Shapes, View

COLOURINGS = ("nothing", "residual strain", "force")


@dataclass(frozen=True)
class Setting:
    """A number of the first body's material that the user may turn."""

    label: str
    unit: str
    low: float
    high: float
    value: float
    logarithmic: bool = False
    help: str = ""


class Session(Protocol):
    """A run that can be watched and touched. Nothing in here may take long: the page calls it between two pictures."""

    shapes: Shapes
    generation: int  # grows when `shapes`, `settings` or `presets` are new
    settings: Mapping[str, Setting]
    presets: tuple[str, ...]
    export_kinds: tuple[str, ...]
    value_range: tuple[float, float, str]  # of `View.values`: low, high, unit
    trouble: str  # empty, or what is wrong

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

    def record(self, on: bool) -> str:
        """Begin or end a recording; what to tell the user."""

    def replay(self) -> str:
        """The last recording once more; what to tell the user."""

    def export(self, kind: str) -> tuple[str, bytes]:
        """File name and content."""

    def device_line(self) -> str:
        """How the device in the hand does, empty if there is none."""
