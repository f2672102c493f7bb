"""From columns of a file to a curve: what was prescribed, where it was let go, what was observed."""

from dataclasses import dataclass

import numpy as np

from yawara.calibrate.extract.course import Course, ramp_and_hold, step, straightened
from yawara.calibrate.extract.curve import Curve, Quantity, estimated_noise, observe
from yawara.calibrate.reading.checks import check_finite, check_times
from yawara.checks import SceneError
from yawara.kernels.kinds import Floats

STRAIGHT = 0.01  # of the span: how far a prescribed course may be off its straight pieces
HELD = 0.99  # of the greatest displacement: above, it is still held
PROTOCOLS = ("relaxation", "creep", "recovery", "press-release")


@dataclass(frozen=True)
class Columns:
    """What a file gives, in SI."""

    name: str
    times: Floats  # [s]
    force: Floats | None = None  # [N] or [Pa]
    displacement: Floats | None = None  # [m] or [1]
    noise: Floats | None = None  # standard deviation of what is observed

    def checked(self) -> "Columns":
        check_times(self.times, self.name, "time")
        for word in ("force", "displacement", "noise"):
            values = getattr(self, word)
            if values is not None:
                check_finite(values, self.name, word, "SI")
        if self.noise is not None and not (self.noise > 0).all():
            raise _error(self.name, "noise", f"must be > 0 (got {self.noise.min():g}); leave the column out if it is not known")
        return self


def relaxation(columns: Columns, *, stretch: float | None = None, ramp_time: float = 0.0) -> Curve:
    """A displacement is prescribed: a column, or `stretch` [m] reached in `ramp_time` [s] from time 0. The force is observed."""
    force = _needed(columns, "force")
    notices: tuple[str, ...] = ()
    if stretch is not None:
        course = _given_stretch(columns, stretch, ramp_time)
    else:
        course, notices = _prescribed_displacement(columns, columns.times, _needed(columns, "displacement"))
    force, turned = _turned(columns, force, float(np.sum(course.at(columns.times) * force)), "force")
    observed = observe(Quantity.FORCE, columns.times, force, columns.noise)
    return Curve(columns.name, Quantity.DISPLACEMENT, course, (observed,), notices=notices + turned)


def creep(columns: Columns, *, load: float | None = None, load_time: float | None = None) -> Curve:
    """A force is prescribed: a column, or `load` [N] from time 0, for `load_time` [s] or to the end. The displacement is observed."""
    displacement = _needed(columns, "displacement")
    notices: tuple[str, ...] = ()
    if load is not None:
        _check_from_zero(columns)
        end = columns.times[-1] if load_time is None else load_time
        course = step(load, 0.0, end)
        if load_time is not None:
            course = Course(np.append(course.times, end), np.append(course.values, 0.0))
    else:
        course, notices = _straight(columns, columns.times, _needed(columns, "force"), "force")
    displacement, turned = _turned(columns, displacement, float(np.sum(displacement) * np.sum(course.values)), "displacement")
    observed = observe(Quantity.DISPLACEMENT, columns.times, displacement, columns.noise)
    return Curve(columns.name, Quantity.FORCE, course, (observed,), notices=notices + turned)


def recovery(columns: Columns, *, load: float, load_time: float) -> Curve:
    """`load` [N] acted for `load_time` [s] and was taken away at time 0; the displacement is observed from there."""
    _check_from_zero(columns)
    course = Course(np.array([-load_time, -load_time, 0.0, 0.0]), np.array([0.0, load, load, 0.0]))
    displacement = _needed(columns, "displacement")
    displacement, turned = _turned(columns, displacement, float(np.sum(displacement)) * load, "displacement")
    observed = observe(Quantity.DISPLACEMENT, columns.times, displacement, columns.noise)
    return Curve(columns.name, Quantity.FORCE, course, (observed,), notices=turned)


def press_release(columns: Columns, *, release: float | None = None) -> Curve:
    """The displacement is prescribed until `release` [s], where the force is observed, and free from there, where it is observed."""
    times, force, displacement = columns.times, _needed(columns, "force"), _needed(columns, "displacement")
    displacement = displacement - displacement[0]
    displacement, turned = _turned(columns, displacement, float(np.sum(force * displacement)), "displacement")
    release = _release(columns, displacement) if release is None else release
    held, free = times <= release, times > release
    if held.sum() < 3 or free.sum() < 3:
        raise _error(
            columns.name, "--release",
            f"must leave 3 rows or more on both sides (got {release:g} s, with {held.sum()} rows until then and {free.sum()} after); "
            "give another time, or use the protocol relaxation for a curve that is never let go",
        )  # fmt: skip
    course, notices = _straight(columns, times[held], displacement[held], "displacement")
    noise = None if columns.noise is None else columns.noise[held]
    observed = (
        observe(Quantity.FORCE, times[held], force[held], noise),
        observe(Quantity.DISPLACEMENT, times[free], displacement[free]),
    )
    found = (f"let go at {release:g} s",)
    return Curve(columns.name, Quantity.DISPLACEMENT, course, observed, release, notices + found + turned)


def _release(columns: Columns, displacement: Floats) -> float:
    """The last time at which it is held; a SceneError if it is held to the end."""
    greatest = np.abs(displacement).max()
    last = int(np.flatnonzero(np.abs(displacement) >= HELD * greatest)[-1])
    if last >= len(displacement) - 3:
        raise _error(
            columns.name, "displacement",
            f"must come back after the press (got {displacement[-1]:.4g} in the last row, {greatest:.4g} at most); "
            "use the protocol relaxation, or give --release",
        )  # fmt: skip
    return float(columns.times[last])


def _given_stretch(columns: Columns, stretch: float, ramp_time: float) -> Course:
    _check_from_zero(columns)
    return ramp_and_hold(stretch, ramp_time, float(columns.times[-1])) if ramp_time else step(stretch, 0.0, columns.times[-1])


def _prescribed_displacement(columns: Columns, times: Floats, displacement: Floats) -> tuple[Course, tuple[str, ...]]:
    """From the first row on; a displacement that never moves was there at once at time 0."""
    if np.ptp(displacement) < STRAIGHT * np.abs(displacement).max():
        _check_from_zero(columns)
        value = float(displacement.mean())
        return step(value, 0.0, times[-1]), (f"the displacement is {value:.4g} in all rows: taken as a step at 0 s",)
    course, notices = _straight(columns, times, displacement - displacement[0], "displacement")
    if abs(displacement[0]) > STRAIGHT * np.ptp(displacement):
        notices += (f"displacement counts from the first row ({displacement[0]:.4g})",)
    return course, notices


def _straight(columns: Columns, times: Floats, values: Floats, what: str) -> tuple[Course, tuple[str, ...]]:
    tolerance = max(STRAIGHT * float(np.ptp(np.append(values, 0.0))), 5.0 * estimated_noise(times, values))
    if tolerance == 0.0:
        raise _error(columns.name, what, "must not be 0 in all rows (got nothing else); without it there is nothing to answer")
    course = straightened(times, values, tolerance)
    if not course.values.any():
        raise _error(
            columns.name, what, f"must move by more than its noise (got nothing beyond {tolerance:.3g} in SI); check the column"
        )
    off = float(np.sqrt(np.mean((course.at(times)[1:] - values[1:]) ** 2)))
    pieces = len(course.times) - 1
    return course, (f"the {what} is taken as {pieces} straight piece{'s' if pieces > 1 else ''}, {off:.2g} rms off the rows",)


def _turned(columns: Columns, values: Floats, product: float, what: str) -> tuple[Floats, tuple[str, ...]]:
    """Force and displacement count in the same direction."""
    if product == 0.0:
        raise _error(columns.name, what, "must not be 0 in all rows (got nothing else); check the columns")
    if product > 0.0:
        return values, ()
    return -values, (f"the {what} has the other sign than what moves it: taken with its sign changed",)


def _check_from_zero(columns: Columns) -> None:
    if columns.times[0] < 0.0:
        raise _error(
            columns.name, "time", f"must be >= 0 s (got {columns.times[0]:g}); it counts from when the load begins or ends"
        )


def _needed(columns: Columns, what: str) -> Floats:
    values = getattr(columns, what)
    if values is None:
        option = {"force": "--force COLUMN (or --load)", "displacement": "--displacement COLUMN (or --stretch)"}[what]
        raise _error(columns.name, what, f"is needed for this protocol (got no column); add {option}")
    return np.asarray(values)


def _error(source: str, place: str, what: str) -> SceneError:
    return SceneError([(place, what)], source=source)
