"""What the outside does to the bodies: time tables, and the piece of them that one stretch of time needs.

Tables have corners and jumps. The loop never steps across one: time is cut at every entry, and for each stretch the kernels get
a cubic polynomial per channel. So an integrator keeps its order, and a jump acts exactly where it is written.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yawara.kernels.kinds import Booleans, Floats, Indices

FREE = -1
SAME_TIME = 1e-9  # of a frame: times closer than this to each other fall together
WHOLE = np.ones(1)  # a single point gets all of a force
KEPT = 100  # entries of a hand's path, at least


class Interpolation(StrEnum):
    LINEAR = "linear"
    SMOOTH = "smooth"  # rest to rest, 3s^2 - 2s^3
    STEP = "step"  # each value holds until the next time


@dataclass(frozen=True)
class TimeTable:
    """Vector values over time; the first value holds before, the last one after."""

    times: Floats  # [s], (entry_count,), increasing
    values: Floats  # (entry_count, 3)
    interpolation: Interpolation = Interpolation.LINEAR

    def polynomial(self, begin: float, end: float) -> Floats:
        """Coefficients (3, 4) in powers of (time - begin), valid from begin to end, which lie between two entries."""
        result = np.zeros((3, 4))
        entry = int(np.searchsorted(self.times, 0.5 * (begin + end), side="right")) - 1
        result[:, 0] = self.values[max(entry, 0)]
        if 0 <= entry < len(self.times) - 1 and self.interpolation is not Interpolation.STEP:
            width, change = self.times[entry + 1] - self.times[entry], self.values[entry + 1] - self.values[entry]
            s = (begin - self.times[entry]) / width
            if self.interpolation is Interpolation.LINEAR:
                shape = np.array([s, 1.0 / width, 0.0, 0.0])
            else:  # 3s^2 - 2s^3, expanded about s
                shape = np.array([s * s * (3 - 2 * s), 6 * s * (1 - s) / width, (3 - 6 * s) / width**2, -2.0 / width**3])
            result += np.outer(change, shape)
        return result


@dataclass(frozen=True)
class Drive:
    """Points that are held or moved along some axes, from `begin` until `end`."""

    name: str
    place: str  # in the scene, such as "fix.0"
    points: Indices
    axes: NDArray[np.bool_]  # (3,)
    table: "TimeTable | Hand"  # displacement [m] from where the points were caught
    begin: float = 0.0  # [s]
    end: float = np.inf  # [s]

    def active(self, time: float) -> bool:
        """Whether it holds its points; a hand that pushes lets them go."""
        return self.begin <= time < self.end and not (isinstance(self.table, Hand) and self.table.pushes)


@dataclass(frozen=True)
class PointForce:
    """A force [N] on each of some points; none before its table begins, none from `end` on."""

    name: str
    points: Indices
    table: TimeTable
    end: float = np.inf  # [s]

    def polynomial(self, begin: float, end: float) -> Floats:
        acts = self.table.times[0] <= 0.5 * (begin + end) < self.end
        return self.table.polynomial(begin, end) if acts else np.zeros((3, 4))


HeldAxes = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int32]]  # points, axes, drives


class ControlArrays(NamedTuple):
    """One stretch of time as the kernels see it; polynomials in the time since its beginning."""

    drive: Annotated[Floats, 3]  # [m], (drive_count, 3, 4)
    axis_drive: Annotated[NDArray[np.int32], 2]  # (point_count, 3): drive that holds this axis, or FREE
    held: Indices  # points with some axis held, increasing
    force: Annotated[Floats, 3]  # [N], (force_count, 3, 4)
    force_point: Indices  # (entry_count,)
    force_channel: Indices  # (entry_count,)
    force_weight: Floats  # (entry_count,): share of the channel's force that the point gets
    turn: Annotated[Floats, 2]  # [rad], (tool_count, 4): angle of each tool
    turn_held: Booleans  # (tool_count,): whether it is prescribed; else the tool turns freely
    waits: Booleans  # (tool_count,): a tool that waits touches nothing


class Hand:
    """What moves a tool while time runs: a mouse, a haptic device, or a program. It leads the tool along a path, or pushes it.

    `move` says where the tool will be at a time; from now until then it goes there in a straight line, and then it stays. `push` lets the
    tool go where its mass, what it touches and this force bring it, until it is placed again.
    """

    interpolation = Interpolation.LINEAR
    waits = False  # in the drawer: it touches nothing

    def __init__(self, mass: float = 0.0) -> None:
        """Of a tool with this mass [kg], or none."""
        self.mass, self.pushes, self.force = mass, False, np.zeros(3)  # [kg], [N]
        self._times: list[float] = [0.0]
        self._values: list[Floats] = [np.zeros(3)]
        self._promised = 0.0  # [s], until when the run knows its path
        self._at_rest = np.zeros((3, 4))  # the polynomial after its last time

    @property
    def times(self) -> Floats:
        """[s]"""
        return np.array(self._times)

    def corners(self, begin: float, end: float) -> list[float]:
        """Its times [s] from begin to end."""
        return self._times[bisect_left(self._times, begin) : bisect_right(self._times, end)]

    def place(self, displacement: Sequence[float], time: float) -> None:
        """Be there [m] at once, from this time [s] on: as if another tool had been taken. The path so far is forgotten."""
        self.pushes = False
        self._times, self._values, self._promised = [float(time)], [_displacement(displacement)], float(time)
        self._at_rest[:, 0] = self._values[-1]

    def move(self, time: float, displacement: Sequence[float]) -> None:
        """Be displaced by this [m] from the start at this time [s], which must be later than all others so far."""
        if self.pushes:
            raise ValueError("a tool must be placed before it is moved along a path again (got one that is pushed); call place()")
        last = max(self._times[-1], self._promised)
        if not time > last:
            raise ValueError(
                f"time must be > {last:g} s, until when its path is known (got {time:g} s); the past cannot be changed"
            )
        value = _displacement(displacement)
        if self._times[-1] < self._promised < time:  # it has waited
            self._times.append(self._promised)
            self._values.append(self._values[-1])
        self._times.append(float(time))
        self._values.append(value)
        self._at_rest[:, 0] = value
        if len(self._times) > 2 * KEPT:  # the past is over
            self._times, self._values = self._times[-KEPT:], self._values[-KEPT:]

    def push(self, force: Floats) -> None:
        """With this force [N], (3,), until another one is given or the tool is placed."""
        if not self.mass > 0.0:
            raise ValueError(f"mass must be > 0 kg of a tool that is pushed (got {self.mass}); give the tool a mass")
        self.pushes, self.force = True, force

    def polynomial(self, begin: float, end: float) -> Floats:
        self._promised, middle = max(self._promised, end), 0.5 * (begin + end)
        if middle >= self._times[-1]:  # most hands rest
            return self._at_rest.copy()
        entry, result = bisect_right(self._times, middle), np.zeros((3, 4))
        if entry > 0:  # on its way; as in a table, but a hand is asked every tick
            width, change = self._times[entry] - self._times[entry - 1], self._values[entry] - self._values[entry - 1]
            result[:, 0] = self._values[entry - 1] + (begin - self._times[entry - 1]) / width * change
            result[:, 1] = change / width
        else:
            result[:, 0] = self._values[0]
        return result


def _displacement(given: Sequence[float]) -> Floats:
    value = np.asarray(given, float)
    if value.shape != (3,) or not np.isfinite(value).all():
        raise ValueError(f"displacement must be three finite numbers [m] (got {given!r}); write for example (0, 0, -0.01)")
    return value


class Grip:
    """A force that somebody gives while time runs, shared by weights among some points: a hand that pulls at a body."""

    def __init__(self) -> None:
        self.let_go()

    def hold(self, points: Indices, weights: Floats) -> None:
        """Take hold of these points; the weights say what share of the force each of them gets."""
        self.points, self.weights, self.force = np.asarray(points, np.uint32), np.asarray(weights, float), np.zeros(3)

    def let_go(self) -> None:
        self.hold(np.zeros(0, np.uint32), np.zeros(0))


@dataclass(frozen=True)
class Turn:
    """How a tool turns about its axis: freely, or at a constant speed plus the angles of a table (in its first column)."""

    speed: float = 0.0  # [rad/s]
    table: TimeTable | None = None  # [rad]
    free: bool = False

    def polynomial(self, begin: float, end: float) -> Floats:
        result = self.table.polynomial(begin, end)[0] if self.table is not None else np.zeros(4)
        return result + np.array([self.speed * begin, self.speed, 0.0, 0.0])


@dataclass(frozen=True)
class Control:
    """All drives and point forces of a scene, and how they act at a given time."""

    point_count: int
    drives: tuple[Drive, ...] = ()
    forces: tuple[PointForce, ...] = ()
    turns: tuple[Turn, ...] = ()  # of the tools
    grip: Grip = field(default_factory=Grip)

    def hand(self, tool: str) -> Hand:
        """The path of a tool that is moved by hand."""
        for drive in self.drives:
            if drive.place == f"tool.{tool}" and isinstance(drive.table, Hand):
                return drive.table
        raise LookupError(f"no tool '{tool}' is moved by hand; give it motion = {{ type = \"hand\" }}")

    def corners(self, begin: float = -np.inf, end: float = np.inf) -> list[float]:
        """All times [s] from begin to end at which a table bends or a drive catches or releases."""
        fixed = self._fixed_corners
        found = fixed[bisect_left(fixed, begin) : bisect_right(fixed, end)]
        for hand in self._hands:  # they may have written new ones
            found = found + hand.corners(begin, end)
        return sorted(set(found))

    @cached_property
    def _hand_drives(self) -> list[Drive]:
        return [drive for drive in self.drives if isinstance(drive.table, Hand)]

    @cached_property
    def _hands(self) -> list[Hand]:
        return [drive.table for drive in self.drives if isinstance(drive.table, Hand)]

    @cached_property
    def _fixed_corners(self) -> list[float]:
        tables = [*(drive.table for drive in self.drives), *(force.table for force in self.forces)]
        tables += [turn.table for turn in self.turns if turn.table is not None]
        times = [entry for table in tables if not isinstance(table, Hand) for entry in table.times]
        times += [time for drive in self.drives for time in (drive.begin, drive.end) if np.isfinite(time)]
        times += [force.end for force in self.forces if np.isfinite(force.end)]
        return sorted({float(time) for time in times})

    def stretch(self, begin: float, end: float) -> ControlArrays:
        """The polynomials from `begin` to `end`, between which there is no corner."""
        middle = 0.5 * (begin + end)
        axis_drive, held = self._axes(tuple(drive.active(middle) for drive in self.drives))
        force_point, force_channel, force_weight = self._force_entries
        forces = [force.polynomial(begin, end) for force in self.forces]
        for points, weights, force in self._pushes():
            constant = np.zeros((3, 4))
            constant[:, 0] = force
            force_point = np.concatenate([force_point, points])
            force_channel = np.concatenate([force_channel, np.full(len(points), len(forces), np.uint32)])
            force_weight = np.concatenate([force_weight, weights])
            forces.append(constant)
        drives = self._still_drives.copy()
        for index in self._moving_drives:
            drives[index] = self.drives[index].table.polynomial(begin, end)
        return ControlArrays(
            drives,
            axis_drive,
            held,
            _stack(forces),
            force_point,
            force_channel,
            force_weight,
            self._still_turns if self._still_turns is not None else self._turn_polynomials(begin, end),
            self._turn_held,
            self._waits(tuple(hand.waits for hand in self._hands)),
        )

    def _pushes(self) -> Iterator[tuple[Indices, Floats, Floats]]:
        """Points, weights and force [N] of each hand that pulls at a body or pushes a tool."""
        if len(self.grip.points):
            yield self.grip.points, self.grip.weights, self.grip.force
        for drive in self._hand_drives:
            if isinstance(drive.table, Hand) and drive.table.pushes:
                yield drive.points, WHOLE, drive.table.force

    @cached_property
    def _moving_drives(self) -> list[int]:
        """Those whose polynomials must be asked for again."""
        return [n for n, drive in enumerate(self.drives) if isinstance(drive.table, Hand) or len(drive.table.times) > 1]

    @cached_property
    def _still_drives(self) -> Floats:
        return _stack([drive.table.polynomial(0.0, 0.0) for drive in self.drives])

    @cached_property
    def _still_turns(self) -> Floats | None:
        """Of all tools, if none turns by itself."""
        moves = any(turn.table is not None or turn.speed for turn in self.turns)
        return None if moves else np.zeros((len(self.turns), 4))

    def _turn_polynomials(self, begin: float, end: float) -> Floats:
        return np.array([turn.polynomial(begin, end) for turn in self.turns]).reshape(-1, 4)

    @cached_property
    def _turn_held(self) -> NDArray[np.bool_]:
        return np.array([not turn.free for turn in self.turns], bool)

    @cached_property
    def _waits_of(self) -> dict[tuple[bool, ...], NDArray[np.bool_]]:
        return {}

    def _waits(self, hands: tuple[bool, ...]) -> NDArray[np.bool_]:
        """(tool_count,), of which hands' tools wait; the same array for the same hands, which then need not be looked at again."""
        if hands not in self._waits_of:
            found = np.zeros(len(self.turns), bool)
            tools = [int(drive.points[0]) for drive in self._hand_drives]
            found[[point - (self.point_count - len(self.turns)) for point, waits in zip(tools, hands, strict=True) if waits]] = (
                True
            )
            self._waits_of[hands] = found
        return self._waits_of[hands]

    @cached_property
    def _held_axes_of(self) -> dict[tuple[int, bool], HeldAxes]:
        return {}

    def held_axes(self, axis_drive: NDArray[np.int32], *, moving: bool = False) -> HeldAxes:
        """Points and axes that are held, and by which drive, of a stretch's `axis_drive`; by those that are `moving`, only."""
        key = id(axis_drive), moving  # they are kept in `_axes_of`
        if key not in self._held_axes_of:
            held = np.isin(axis_drive, self._moving_drives) if moving else axis_drive != FREE
            points, axes = np.nonzero(held)
            self._held_axes_of[key] = points, axes, axis_drive[points, axes]
        return self._held_axes_of[key]

    @cached_property
    def _force_entries(self) -> tuple[Indices, Indices, Floats]:
        points = np.concatenate([np.zeros(0, np.uint32), *(force.points for force in self.forces)])
        channels = np.repeat(np.arange(len(self.forces)), [len(force.points) for force in self.forces])
        order = np.argsort(points, kind="stable")
        return points[order].astype(np.uint32), channels[order].astype(np.uint32), np.ones(len(points))

    @cached_property
    def _axes_of(self) -> dict[tuple[bool, ...], tuple[NDArray[np.int32], Indices]]:
        return {}

    def _axes(self, active: tuple[bool, ...]) -> tuple[NDArray[np.int32], Indices]:
        if active not in self._axes_of:
            axis_drive = np.full((self.point_count, 3), FREE, np.int32)
            for index, drive in enumerate(self.drives):
                if active[index]:
                    axis_drive[np.ix_(drive.points, np.flatnonzero(drive.axes))] = index
            self._axes_of[active] = axis_drive, np.flatnonzero((axis_drive != FREE).any(axis=1)).astype(np.uint32)
        return self._axes_of[active]


def _stack(polynomials: list[Floats]) -> Floats:
    return np.array(polynomials) if polynomials else np.zeros((0, 3, 4))
