"""What hands did, in a file: the scene, where it began, and every order with the number of the tick before which it came.

The file is JSON, so that it can be read and cut by hand. Numbers are written with all their digits: a recording gives the same
deformation again, bit for bit on the same machine.
"""

import json
import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from yawara.checks import SceneError
from yawara.files import write_text
from yawara.frame import Frame
from yawara.json_file import read_json
from yawara.live.drawer import hand_tools, touchable
from yawara.live.live import TICK, Live
from yawara.live.messages import Order, Timed, Undo
from yawara.live.plain_orders import order_from_plain, order_to_plain
from yawara.live.start import Start, start_from_plain
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene
from yawara.scene.scene import Scene

FORMAT, FROM_ANYWHERE = "yawara touch 1", "yawara touch 3"  # the second kind begins with a state of its own
EARLIER = "yawara touch 2"  # whose states had other parts
LONGEST = 24 * 3600.0  # [s]
SHORTEST_TICK, LONGEST_TICK = 1e-5, 0.1  # [s]
SHOWN = 20  # errors that are told at once


@dataclass
class Recording:
    """A touch that can be repeated."""

    scene: Scene
    tick: float = TICK  # [s]
    orders: list[Timed] = field(default_factory=list)
    ticks: int = 0  # how long it lasted
    start: Start | None = None  # None: it began with the scene

    @property
    def first(self) -> int:
        """The tick of the live scene with which it begins."""
        return self.start.tick if self.start else 0

    def note(self, tick: int, order: Order) -> None:
        """Before this tick of the live scene."""
        self.orders.append(Timed(tick - self.first, order))

    def until(self, tick: int) -> "Recording":
        """What there is of it at this tick of the live scene, with no more of the past than its undos can reach."""
        undos = sum(isinstance(order, Undo) for _, order in self.orders)
        start = self.start.for_undos(undos) if self.start else None
        return replace(self, orders=list(self.orders), ticks=tick - self.first, start=start)

    def text(self) -> str:
        scene = self.scene.model_dump(mode="json", exclude_none=True)
        orders = [{"tick": tick, **order_to_plain(order)} for tick, order in self.orders]
        lines = ",\n".join("    " + json.dumps(order, allow_nan=False) for order in orders)
        head = {"format": FROM_ANYWHERE if self.start else FORMAT, "tick": self.tick, "ticks": self.ticks, "scene": scene}
        if self.start:
            head["start"] = self.start.plain()
        return json.dumps(head, allow_nan=False)[:-1] + ', "orders": [\n' + lines + "\n]}\n"

    def save(self, path: Path) -> None:
        """Whole or not at all."""
        write_text(path, self.text())


def load_recording(path: Path) -> Recording:
    """SceneError, with what is wrong and where, if it is not one."""
    source, data = str(path), read_json(path, "take another recording")
    if data.get("format") == EARLIER:
        what = f"must be '{FORMAT}' or '{FROM_ANYWHERE}' (got '{EARLIER}', of an earlier version); take another recording"
        raise SceneError([("format", what)], source=source)
    if data.get("format") not in (FORMAT, FROM_ANYWHERE):
        what = f"must be '{FORMAT}' or '{FROM_ANYWHERE}'; it is written by the Record button of yawara touch"
        raise SceneError([("format", what)], source=source)
    scene = read_scene(_table(data, "scene", source), source=source)
    problems = [*_wrong_times(data)]
    orders = list(_orders(data.get("orders"), problems))
    if problems:
        raise SceneError(problems[:SHOWN], source=source)
    tick = float(data["tick"])
    return Recording(scene, tick, orders, data["ticks"], _start(data, scene, tick, source))


def _start(data: dict[str, Any], scene: Scene, tick: float, source: str) -> Start | None:
    """Where it begins, if not with the scene."""
    if data["format"] != FROM_ANYWHERE:
        return None
    whole = touchable(scene, tick)
    return start_from_plain(data.get("start"), compile_scene(whole), hand_tools(whole), source=source)


def _table(data: dict[str, Any], name: str, source: str) -> dict[str, Any]:
    table = data.get(name)
    if not isinstance(table, dict):
        raise SceneError([(name, f"must be a table (got {type(table).__name__}); take another recording")], source=source)
    return table


def _wrong_times(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    tick: Any = data.get("tick")
    ticks: Any = data.get("ticks")
    if isinstance(tick, bool) or not isinstance(tick, float | int) or not SHORTEST_TICK <= tick <= LONGEST_TICK:
        yield "tick", f"must be from {SHORTEST_TICK:g} to {LONGEST_TICK:g} s (got {tick!r}); it is 0.001 as a rule"
        return
    most = math.floor(LONGEST / tick)
    if not _is_whole(ticks) or not 0 <= ticks <= most:
        yield (
            "ticks",
            f"must be a whole number from 0 to {most}, {LONGEST:g} s (got {ticks!r}); it counts the ticks of the recording",
        )


def _orders(found: Any, problems: list[tuple[str, str]]) -> Iterator[Timed]:
    """Each order with its tick; what is wrong with others is added to the problems."""
    if not isinstance(found, list):
        problems.append(("orders", f"must be a list (got {type(found).__name__}); take another recording"))
        return
    last = 0
    for number, plain in enumerate(found):
        try:
            last = _in_turn(plain, last)
            order = order_from_plain({name: value for name, value in plain.items() if name != "tick"})
        except ValueError as error:
            problems.append((f"orders.{number}", str(error)))
            continue
        yield Timed(last, order)


def _in_turn(plain: Any, last: int) -> int:
    if not isinstance(plain, dict):
        raise ValueError(f"must be a table (got {type(plain).__name__}); take another recording")
    tick: Any = plain.get("tick")
    if not _is_whole(tick) or tick < last:
        raise ValueError(
            f"tick must be a whole number >= {last}, that of the order before (got {tick!r}); take another recording"
        )
    return int(tick)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def repeat(recording: Recording) -> Generator[tuple[Live, Frame | None], None, None]:
    """Do it all again, without a clock; yields after every tick (and before the first, with no frame)."""
    live, place = Live(recording.scene, recording.tick, recording.start), 0
    try:
        yield live, None
        while (done := live.ticks - recording.first) < recording.ticks:
            while place < len(recording.orders) and recording.orders[place].tick <= done:
                live.carry_out(recording.orders[place].order)
                place += 1
            yield live, live.tick()
    finally:
        live.close()
