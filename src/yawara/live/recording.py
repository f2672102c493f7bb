"""What hands did, in a file: the scene, where it began, and every order with the number of the tick before which it came.

The file is JSON, so that it can be read and cut by hand. Numbers are written with all their digits: a recording gives the same
deformation again, bit for bit on the same machine.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from yawara.checks import SceneError
from yawara.files import write_text
from yawara.frame import Frame
from yawara.live.drawer import hand_tools, touchable
from yawara.live.live import TICK, Live
from yawara.live.messages import Order, Undo, order_from_plain, order_to_plain
from yawara.live.start import Start, start_from_plain
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene
from yawara.scene.scene import Scene

FORMAT, FROM_ANYWHERE = "yawara touch 1", "yawara touch 2"  # the second kind begins with a state of its own
LONGEST = 3600.0  # [s]


@dataclass
class Recording:
    """A touch that can be repeated."""

    scene: Scene
    tick: float = TICK  # [s]
    orders: list[tuple[int, Order]] = field(default_factory=list)  # (ticks since it began, before which it came; order)
    ticks: int = 0  # how long it lasted
    start: Start | None = None  # None: it began with the scene

    @property
    def first(self) -> int:
        """The tick of the live scene with which it begins."""
        return self.start.tick if self.start else 0

    def note(self, tick: int, order: Order) -> None:
        """Before this tick of the live scene."""
        self.orders.append((tick - self.first, order))

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
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SceneError([("", f"there is no file {path}; check the name and the current directory")], source=str(path)) from None
    except (OSError, ValueError) as error:
        raise SceneError([("", f"cannot be read as a recording ({error}); take another one")], source=str(path)) from None
    if not isinstance(data, dict) or data.get("format") not in (FORMAT, FROM_ANYWHERE):
        raise SceneError(
            [("format", f"must be '{FORMAT}' or '{FROM_ANYWHERE}'; it is written by the Record button of yawara touch")],
            source=str(path),
        )
    scene = read_scene(_table(data, "scene", path), source=str(path))
    problems, orders = [], []
    tick, ticks = data.get("tick"), data.get("ticks")
    if not isinstance(tick, float) or not 1e-5 <= tick <= 0.1:
        problems.append(("tick", f"must be from 1e-5 to 0.1 s (got {tick!r}); it is 0.001 as a rule"))
    if not isinstance(ticks, int) or not 0 <= ticks <= LONGEST / 1e-5:
        problems.append(("ticks", f"must be a whole number >= 0 (got {ticks!r}); it counts the ticks of the recording"))
    last = 0
    for number, plain in enumerate(data.get("orders") or []):
        try:
            last = _in_turn(plain, last)
            orders.append((last, order_from_plain({name: value for name, value in plain.items() if name != "tick"})))
        except (ValueError, TypeError) as error:
            problems.append((f"orders.{number}", str(error)))
    if problems:
        raise SceneError(problems, source=str(path))
    assert isinstance(tick, float)
    assert isinstance(ticks, int)
    return Recording(scene, tick, orders, ticks, _start(data, scene, tick, path))


def _start(data: dict[str, Any], scene: Scene, tick: float, path: Path) -> Start | None:
    """Where it begins, if not with the scene."""
    if data["format"] != FROM_ANYWHERE:
        return None
    whole = touchable(scene, tick)
    return start_from_plain(data.get("start"), compile_scene(whole), hand_tools(whole), source=str(path))


def _table(data: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    table = data.get(name)
    if not isinstance(table, dict):
        raise SceneError([(name, f"must be a table (got {table!r}); take another recording")], source=str(path))
    return table


def _in_turn(plain: Any, last: int) -> int:
    tick = plain.get("tick") if isinstance(plain, dict) else None
    if not isinstance(tick, int) or tick < last:
        raise ValueError(f"tick must be a whole number >= {last}, that of the order before (got {tick!r})")
    return tick


def repeat(recording: Recording) -> Iterator[tuple[Live, Frame | None]]:
    """Do it all again, without a clock; yields after every tick (and before the first, with no frame)."""
    live, place = Live(recording.scene, recording.tick, recording.start), 0
    try:
        yield live, None
        while (done := live.ticks - recording.first) < recording.ticks:
            while place < len(recording.orders) and recording.orders[place][0] <= done:
                live.carry_out(recording.orders[place][1])
                place += 1
            yield live, live.tick()
    finally:
        live.close()
