"""What hands did, in a file: the scene, and every order with the number of the tick before which it came.

The file is JSON, so that it can be read and cut by hand. Numbers are written with all their digits: a recording gives the same
deformation again, bit for bit on the same machine.
"""

import json
import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yawara.checks import SceneError
from yawara.files import write_text
from yawara.frame import Frame
from yawara.json_file import read_json
from yawara.live.live import TICK, Live
from yawara.live.messages import Order
from yawara.live.plain_orders import order_from_plain, order_to_plain
from yawara.scene.file import read_scene
from yawara.scene.scene import Scene

FORMAT = "yawara touch 1"
LONGEST = 3600.0  # [s]
SHORTEST_TICK, LONGEST_TICK = 1e-5, 0.1  # [s]
SHOWN = 20  # errors that are told at once


@dataclass
class Recording:
    """A touch that can be repeated."""

    scene: Scene
    tick: float = TICK  # [s]
    orders: list[tuple[int, Order]] = field(default_factory=list)  # (tick before which it came, order)
    ticks: int = 0  # how long it lasted

    def note(self, tick: int, order: Order) -> None:
        self.orders.append((tick, order))

    def text(self) -> str:
        scene = self.scene.model_dump(mode="json", exclude_none=True)
        orders = [{"tick": tick, **order_to_plain(order)} for tick, order in self.orders]
        lines = ",\n".join("    " + json.dumps(order, allow_nan=False) for order in orders)
        head = {"format": FORMAT, "tick": self.tick, "ticks": self.ticks, "scene": scene}
        return json.dumps(head, allow_nan=False)[:-1] + ', "orders": [\n' + lines + "\n]}\n"

    def save(self, path: Path) -> None:
        """Whole or not at all."""
        write_text(path, self.text())


def load_recording(path: Path) -> Recording:
    """SceneError, with what is wrong and where, if it is not one."""
    source, data = str(path), read_json(path, "take another recording")
    if data.get("format") != FORMAT:
        raise SceneError([("format", f"must be '{FORMAT}'; it is written by the Record button of yawara touch")], source=source)
    scene = read_scene(_table(data, "scene", source), source=source)
    problems = [*_wrong_times(data)]
    orders = list(_orders(data.get("orders"), problems))
    if problems:
        raise SceneError(problems[:SHOWN], source=source)
    return Recording(scene, float(data["tick"]), orders, data["ticks"])


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


def _orders(found: Any, problems: list[tuple[str, str]]) -> Iterator[tuple[int, Order]]:
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
        yield last, order


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
    live, place = Live(recording.scene, recording.tick), 0
    try:
        yield live, None
        while live.ticks < recording.ticks:
            while place < len(recording.orders) and recording.orders[place][0] <= live.ticks:
                live.carry_out(recording.orders[place][1])
                place += 1
            yield live, live.tick()
    finally:
        live.close()
