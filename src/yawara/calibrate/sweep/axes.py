"""What is varied: a path of the scene and its values, as in body.dough.law.k1=100:3000:20."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import numpy as np
from pydantic_core import PydanticCustomError

from yawara.calibrate.target import TargetError, is_whole, value_at, with_values
from yawara.checks import Quantity, SceneError
from yawara.kernels.kinds import Floats
from yawara.old_names import current_path
from yawara.scene.file import scene_data
from yawara.scene.scene import Scene

LOG = "log:"
FORMS = "write PATH=LOW:HIGH:COUNT, PATH=log:LOW:HIGH:COUNT or PATH=VALUE,VALUE,..."


@dataclass(frozen=True)
class Axis:
    """One parameter, and the values that it takes; in the parameter's own unit."""

    path: str
    unit: str
    values: tuple[float, ...] = ()  # of a list; empty for a range
    low: float = 0.0  # of a range
    high: float = 0.0
    count: int | None = None  # of even values in the range; None if it was left out
    log: bool = False  # even steps of the logarithm
    whole: bool = False  # only whole numbers

    @property
    def name(self) -> str:
        """With its unit, as in the header of the table."""
        return f"{self.path} [{self.unit}]" if self.unit else self.path

    @property
    def steps(self) -> Floats:
        """All values, in order; a range must have a count."""
        if self.values:
            return np.array(self.values)
        spread = np.geomspace if self.log else np.linspace
        return np.asarray(spread(self.low, self.high, self.count or 0), float)

    @property
    def ends(self) -> tuple[float, ...]:
        """Values that tell whether all others are allowed, too."""
        return self.values or (self.low, self.high)

    def at(self, share: Floats) -> Floats:
        """Values at shares from 0 to 1 of the range, or of the list."""
        if self.values:
            return np.array(self.values)[_floor(share, len(self.values))]
        if self.whole:
            return np.asarray(self.low + _floor(share, round(self.high - self.low) + 1), float)
        if self.log:
            bent = np.log(self.low) + share * (np.log(self.high) - np.log(self.low))
            return np.clip(np.exp(bent), self.low, self.high)
        return np.clip(self.low + share * (self.high - self.low), self.low, self.high)


def _floor(share: Floats, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.minimum((np.asarray(share) * count).astype(np.int64), count - 1)


def parse_axes(texts: Iterable[str], scene: Scene) -> tuple[Axis, ...]:
    """All axes of a sweep. SceneError lists everything that is wrong with them."""
    axes, problems = list[Axis](), list[tuple[str, str]]()
    for text in texts:
        try:
            axes.append(_parse(text, scene))
        except TargetError as error:
            problems.append((f"--over {text}", str(error)))
    paths = [axis.path for axis in axes]
    problems += [
        (f"--over {path}", "is given twice; give all its values at once")
        for path in dict.fromkeys(paths)
        if paths.count(path) > 1
    ]
    if not axes and not problems:
        problems.append(("--over", f"is missing; {FORMS}"))
    problems += [found for axis in axes for found in _forbidden(axis, scene)]
    if problems:
        raise SceneError(problems, source="the command")
    return tuple(axes)


def _parse(text: str, scene: Scene) -> Axis:
    path, equals, rest = (part.strip() for part in text.partition("="))
    if not equals or not path:
        raise TargetError(f"must be a path and its values; {FORMS}")
    path = current_path(Scene, path)
    _, unit = value_at(scene, path)
    whole = is_whole(scene, path)
    if not rest:
        raise TargetError(f"has no values [{unit}]; {FORMS}")
    if ":" in rest:
        return _range(path, unit, rest, whole=whole)
    values = tuple(_number(part, unit) for part in rest.split(","))
    if len(set(values)) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise TargetError(f"names {twice:g} {unit} twice; leave one out")
    return Axis(path, unit, values=values, whole=whole)


def _range(path: str, unit: str, text: str, *, whole: bool) -> Axis:
    log = text.startswith(LOG)
    parts = text.removeprefix(LOG).split(":")
    if len(parts) not in (2, 3):
        raise TargetError(f"must have two ends and a count (got '{text}'); {FORMS}")
    low, high = (_number(part, unit) for part in parts[:2])
    if low >= high:
        raise TargetError(f"LOW must be < HIGH (got {low:g} and {high:g} {unit}); swap them, or write a list: VALUE,VALUE,...")
    if log and low <= 0.0:
        raise TargetError(f"LOW must be > 0 {unit} for even steps of the logarithm (got {low:g}); raise it, or leave out 'log:'")
    return Axis(path, unit, low=low, high=high, count=_count(parts[2]) if len(parts) == 3 else None, log=log, whole=whole)


def _number(text: str, unit: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = _refused(text.strip(), unit)
    return value if isfinite(value) else _refused(value, unit)


def _refused(value: object, unit: str) -> float:
    """The sentence about what is no number is the one that scenes get."""
    try:
        return Quantity(unit or "1").check(value)
    except PydanticCustomError as error:
        raise TargetError(error.message()) from None


def _count(text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 2:
        raise TargetError(f"COUNT must be a whole number >= 2 (got '{text}'); {FORMS}")
    return int(text)


def _forbidden(axis: Axis, scene: Scene) -> list[tuple[str, str]]:
    """What the field itself says against values; what only other fields have against them is seen when they are run together."""
    data, found = scene_data(scene), dict[str, None]()
    shown = axis.ends if axis.count is None else axis.steps
    if axis.whole and (broken := [value for value in shown if value != round(value)]):
        return [(f"--over {axis.path}", f"must have whole numbers only (got {broken[0]:g}); change the values, or COUNT")]
    for value in axis.ends:
        try:
            with_values(data, {axis.path: value})
        except SceneError as error:
            found |= {what: None for place, what in error.problems if _is_own(place, axis.path)}
    return [(f"--over {axis.path}", what) for what in found]


def _is_own(place: str, path: str) -> bool:
    """Whether it is said about this number, or about the list of numbers that it stands in."""
    return path == place or (path.startswith(f"{place}.") and path.removeprefix(f"{place}.").replace(".", "").isdigit())
