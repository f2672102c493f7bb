"""Where a recording begins: all that a live scene remembers at one tick, so that it goes on from there bit for bit."""

import base64
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from yawara.checks import SceneError
from yawara.core.state import State
from yawara.kernels.kinds import Floats
from yawara.live.grasp import Grasp
from yawara.live.guide import Guide
from yawara.scene.compile import Compiled
from yawara.state_checks import LARGEST, MOST_STEPS, Problems, wrong_numbers, wrong_state

REMEDY = "the file is damaged: take another recording"
LATEST = 1 << 53  # ticks


@dataclass(frozen=True)
class Start:
    """Bodies, tools, and the hand in the middle of whatever it does."""

    tick: int  # of the live scene
    state: State
    tool: str | None  # in the hand
    squeeze: float
    held_at: Guide  # of the bare hand
    guides: Mapping[str, Guide]  # of each tool that a hand can take
    grasp: Grasp | None
    since_touch: int  # ticks
    faults: int
    calm: State  # before the last touch
    undo: tuple[State, ...]

    def for_undos(self, count: int) -> "Start":
        """With no more of the past than so many undos can bring back: this is what makes files small."""
        return replace(self, calm=self.calm if count else self.state, undo=self.undo[-count:] if count else ())

    def plain(self) -> dict[str, Any]:
        """For JSON; states are packed."""
        return {
            "tick": self.tick, "tool": self.tool, "squeeze": self.squeeze, "held_at": _plain_guide(self.held_at),
            "guides": {name: _plain_guide(guide) for name, guide in self.guides.items()},
            "grasp": _plain_grasp(self.grasp) if self.grasp else None, "since_touch": self.since_touch, "faults": self.faults,
            "state": _packed(self.state), "calm": None if self.calm is self.state else _packed(self.calm),
            "undo": [_packed(state) for state in self.undo],
        }  # fmt: skip


def start_from_plain(plain: Any, compiled: Compiled, drawer: Mapping[str, tuple[str, ...]], *, source: str) -> Start:
    """The way back, for this very scene. SceneError says what cannot be right: kernels trust what they are given."""
    try:
        return _start(plain, compiled, drawer)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise SceneError([("start", f"{what}; {REMEDY}")], source=source) from None


def _start(plain: Any, compiled: Compiled, drawer: Mapping[str, tuple[str, ...]]) -> Start:
    state = _unpacked(plain["state"], compiled)
    tool = plain["tool"]
    if tool is not None and tool not in drawer:
        raise ValueError(f"tool must be one of {', '.join(drawer)} (got {tool!r})")
    names = [name for entry in drawer.values() for name in entry]
    return Start(
        _whole(plain["tick"], "tick", LATEST), state, tool, _number(plain["squeeze"], "squeeze"), _guide(plain["held_at"]),
        {name: _guide(plain["guides"][name]) for name in names}, _grasp(plain["grasp"], compiled) if plain["grasp"] else None,
        _whole(plain["since_touch"], "since_touch", LATEST), _whole(plain["faults"], "faults", LATEST),
        state.copy() if plain["calm"] is None else _unpacked(plain["calm"], compiled),
        tuple(_unpacked(one, compiled) for one in plain["undo"]),
    )  # fmt: skip


# ---- the hand


def _plain_guide(guide: Guide) -> dict[str, Any]:
    vectors = {name: getattr(guide, name).tolist() for name in ("position", "velocity", "target")}
    return {**vectors, "at_once": guide.at_once}


def _guide(plain: Any) -> Guide:
    guide = Guide(_vector(plain["position"], "position"))
    guide.velocity, guide.target = _vector(plain["velocity"], "velocity"), _vector(plain["target"], "target")
    guide.at_once = bool(plain["at_once"])
    return guide


def _plain_grasp(grasp: Grasp) -> dict[str, Any]:
    lists = {name: getattr(grasp, name).tolist() for name in ("points", "weights", "force")}
    return {**lists, **{name: float(getattr(grasp, name)) for name in ("stiffness", "damping", "largest")}}


def _grasp(plain: Any, compiled: Compiled) -> Grasp:
    last = compiled.model.bodies[-1].point_end - 1
    points = np.array([_whole(point, "points of the grasp", last) for point in plain["points"]], np.uint32)
    weights = np.array([_number(weight, "weights of the grasp") for weight in plain["weights"]])
    if len(points) != len(weights):
        raise ValueError(f"points and weights of the grasp must be as many (got {len(points)} and {len(weights)})")
    stiffness, damping, largest = (_number(plain[name], name) for name in ("stiffness", "damping", "largest"))
    return Grasp(points, weights, stiffness, damping, largest, _vector(plain["force"], "force"))


def _vector(value: Any, name: str) -> Floats:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError(f"{name} must be three numbers (got {value!r:.60})")
    return np.array([_number(one, name) for one in value])


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise ValueError(f"{name} must be a finite number of at most {LARGEST:g} (got {value!r:.60})")
    return float(value)


def _whole(value: Any, name: str, most: float) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{name} must be a whole number from 0 to {most:g} (got {value!r:.60})")
    return value


# ---- states


def _packed(state: State) -> dict[str, Any]:
    """Bits of all arrays as text."""
    arrays = {name: np.asarray(array, "<f8") for name, array in state.arrays().items()}
    return {name: base64.b64encode(zlib.compress(array.tobytes())).decode("ascii") for name, array in arrays.items()}


def _unpacked(plain: Any, compiled: Compiled) -> State:
    """A state that the scene can have."""
    known = compiled.model.variables
    arrays = {
        name: _array(plain[name], name, rest, known[name].most if name in known else 0)
        for name, rest in compiled.state.arrays().items()
    }
    state = State.from_arrays(arrays)
    problems = [*wrong_numbers(state, compiled.state)] or [*_wrong_times(state), *wrong_state(state, compiled)]
    for place, what in problems:
        raise ValueError(f"{place} {what}")
    return state


def _wrong_times(state: State) -> Problems:
    if not 0.0 <= state.time <= LARGEST:
        yield "time", f"must be from 0 to {LARGEST:g} s (got {state.time!r})"
    if not 0 <= state.step_count <= MOST_STEPS:
        yield "step_count", f"must be from 0 to {MOST_STEPS:g} (got {state.step_count!r})"


def _array(packed: Any, name: str, rest: Floats, most: int) -> Floats:
    """In the shape that it has at rest, or with at most so many rows; a text that would unfold to more is not unfolded."""
    row = 8 * math.prod(rest.shape[1:])
    size = most * row if most else 8 * rest.size
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(packed, validate=True), size + 1)
    except zlib.error as error:
        raise ValueError(f"{name} cannot be unpacked ({error})") from None
    if most and len(data) <= size and not len(data) % row:
        return np.frombuffer(data, "<f8").astype(float).reshape(-1, *rest.shape[1:])
    if len(data) != size:
        wanted = f"at most {most} rows of {row // 8}" if most else f"{rest.size}"
        raise ValueError(f"{name} must have {wanted} numbers (got {'more' if len(data) > size else len(data) // 8})")
    array = np.frombuffer(data, "<f8").astype(float).reshape(rest.shape)
    if not rest.ndim and not np.isfinite(array):  # time and steps: made whole before they are looked at
        raise ValueError(f"{name} must be a finite number (got {float(array)})")
    return array
