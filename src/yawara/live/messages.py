"""What hands order and pages show.

Orders go to the solver, which carries them out between two ticks; with the number of that tick they are also what a recording consists
of. Views come back: the newest one counts, older ones are forgotten. How both travel between processes is in `line.py` and `window.py`;
how orders stand in files in `plain_orders.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from yawara.kernels.kinds import Floats, Indices
from yawara.methods.tensors import FIELDS

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Grab:
    """Take hold of a body's surface at a place in the world."""

    body: str
    place: Vector  # [m]


@dataclass(frozen=True)
class Pull:
    """Where the hand that holds the body is now: a spring pulls what it holds towards it."""

    target: Vector  # [m]


@dataclass(frozen=True)
class LetGo:
    """Open the hand."""


@dataclass(frozen=True)
class Choose:
    """Take this tool from the drawer, or none for the bare hand."""

    tool: str | None = None


@dataclass(frozen=True)
class Move:
    """Where the chosen tool should be: it goes there smoothly, or `at_once` if a device tells the place every millisecond."""

    target: Vector  # [m]
    at_once: bool = False


@dataclass(frozen=True)
class Squeeze:
    """How far two fingers are closed: 0 is open, 1 would let them touch."""

    share: float  # [1]


@dataclass(frozen=True)
class Change:
    """New settings of a body's material, by name: see `yawara.live.material`. The body keeps its present shape."""

    body: str
    settings: Mapping[str, float] = field(default_factory=dict)  # in the units of `Setting`


@dataclass(frozen=True)
class Reset:
    """All bodies as at the beginning."""


@dataclass(frozen=True)
class Undo:
    """Back to before the last touch."""


Order = Grab | Pull | LetGo | Choose | Move | Squeeze | Change | Reset | Undo


class Timed(NamedTuple):
    """An order of a recording."""

    tick: int  # since the recording began: it is carried out before this one
    order: Order


@dataclass(frozen=True)
class Skin:
    """A surface whose vertices move: that of a body, or a tool's in its own coordinates."""

    name: str
    vertices: Floats  # [m], (vertex_count, 3), at the beginning
    triangles: Indices  # (triangle_count, 3)


@dataclass(frozen=True)
class Shapes:
    """What there is to see."""

    bodies: tuple[Skin, ...]
    tools: tuple[Skin, ...]  # those that a hand can take, and those that stand there, like the floor
    drawer: tuple[str, ...]  # what a hand can take: a tool, or some that go together
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of the latter, the tools
    hidden: tuple[str, ...] = ()  # tools that are not shown while they wait

    def parts_of(self, entry: str | None) -> tuple[str, ...]:
        """Names of the tools that are in the hand with this entry of the drawer."""
        return self.parts.get(entry, (entry,)) if entry in self.drawer and entry is not None else ()

    def entry_of(self, tool: str) -> str | None:
        """The entry of the drawer that a tool belongs to; None if no hand can take it."""
        return next((entry for entry in self.drawer if tool in self.parts_of(entry)), None)

    def place_of(self, entry: str, view: "View") -> Floats | None:
        """[m], (3,): where the hand is that has the tool, or the middle of what waits; None if it is not to be seen."""
        if entry == view.tool:
            return view.hand
        numbers = [n for n, skin in enumerate(self.tools) if skin.name in self.parts_of(entry)]
        found = [view.tool_positions[n] for n in numbers if n < len(view.tool_positions)]
        return np.mean(found, axis=0) if found else None


class ValueRange(NamedTuple):
    """What the colours of a page reach from and to."""

    low: float  # in the unit
    high: float  # in the unit
    unit: str  # SI; empty if nothing is shown


class ExportFile(NamedTuple):
    """What a page offers to download."""

    name: str
    content: bytes


COLOURINGS = {"nothing": "", **{name: shown.unit for name, shown in FIELDS.items()}}  # what colours can show, and its unit


@dataclass(frozen=True)
class Setting:
    """A number of a body's material that the user may turn."""

    label: str
    unit: str  # SI
    low: float  # in the unit
    high: float  # in the unit
    value: float  # in the unit
    logarithmic: bool = False
    help: str = ""


@dataclass(frozen=True)
class Pace:
    """How the solver keeps up, over the last second."""

    realtime: float  # [1], simulated time over real time, both since the last second
    wanted: float  # [1], what was asked for: 1, or less in slow motion
    ticks_per_second: float  # [1/s]
    steps_per_tick: float  # [1]
    tick_p50: float  # [s], work per tick
    tick_p99: float  # [s]
    late: float  # [s], how far simulated time has fallen behind, all in all; never made up for


@dataclass(frozen=True)
class View:
    """A moment of the run, as the page shows it."""

    tick: int
    time: float  # [s], simulated
    wall: float  # [s], of time.monotonic, when it was taken
    vertices: tuple[Floats, ...]  # [m], of each body in `Shapes`
    values: tuple[Floats, ...] | None  # of each body, (vertex_count,): what colours show, None if nothing
    tool_positions: Floats  # [m], (tool_count, 3)
    tool_rotations: Floats  # (tool_count, 3, 3)
    tool: str | None  # in the hand
    hand: Floats  # [m], (3,): where the hand wants to be; its tool may be stopped on the way
    force: Floats  # [N], (3,): what the hand feels of its tool's contact, or pulls against where it holds the body
    height: float  # [m], of the first body
    pace: Pace
    message: str = ""  # what the user should know of this moment; a solver in a process of its own tells its session instead
