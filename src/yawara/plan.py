"""How large the steps of a run are, on how many threads, and why."""

import os
from dataclasses import dataclass
from math import ceil

import numpy as np

from yawara.checks import SceneError
from yawara.core.control import Interpolation, TimeTable
from yawara.methods import SCHEMES
from yawara.scene.build import STEPS_PER_FRAME
from yawara.scene.compile import Compiled
from yawara.scene.scene import LARGEST_STEP_COUNT

COST_PER_THREAD = 10_000.0  # [ns], of an evaluation: below, meeting costs more than a second thread gains
COST_OF_MEETING = 3_000.0  # [ns], that a term must have to do for each more
SMALL_PART = 0.25  # of what is thin, that a step may take
IMPLICIT_COST = 500.0  # explicit steps that an implicit one costs at most: 70 to 110 were measured at 27 points, 215 at 1000


@dataclass(frozen=True)
class StepPlan:
    """How time is stepped, and why."""

    integrator: str
    largest_step: float  # [s], used
    stable_step: float  # [s], estimated
    wished_step: float | None  # [s], the user's
    threads: int
    duration: float  # [s], of the run
    frame: float  # [s]

    @property
    def is_split(self) -> bool:
        return self.wished_step is not None and self.wished_step > self.stable_step

    def step_at(self, pace: float) -> float:
        """[s], when the highest mode is `pace` times as quick as at rest, or implicit steps must be that much smaller."""
        if SCHEMES[self.integrator].is_implicit:
            return self.largest_step / pace
        return min(self.largest_step, self.stable_step / pace)

    @property
    def is_stiff(self) -> bool:
        """Ten implicit steps per frame cost less than the explicit ones."""
        return not SCHEMES[self.integrator].is_implicit and self.steps_per_frame > STEPS_PER_FRAME * IMPLICIT_COST

    @property
    def steps_per_frame(self) -> float:
        return self.frame / self.largest_step

    def notice(self) -> str:
        """What the user is told."""
        hint = (
            f" That is {self.steps_per_frame:,.0f} steps per frame, more than {STEPS_PER_FRAME:g} implicit steps cost (up to "
            f'{IMPLICIT_COST:g} explicit ones each): take integrator = "quasi_static" for a slow test, or "implicit_euler".'
            if self.is_stiff
            else ""
        )
        return self._choice() + hint

    def _choice(self) -> str:
        if self.is_split and self.wished_step is not None:
            parts = ceil(self.wished_step / self.stable_step)
            return (
                f"The step of {self.wished_step:.3g} s is above the largest stable step of {self.stable_step:.3g} s "
                f"({self.integrator}): each is split into {parts}."
            )
        chosen = (
            "as asked"
            if self.wished_step is not None
            else "the largest stable one"
            if self.largest_step == self.stable_step
            else "a tenth of a frame"
        )
        count = self.duration / self.largest_step
        return f"Step {self.largest_step:.3g} s ({self.integrator}), {chosen}: about {float(f'{count:.2g}'):,.0f} steps."


def _refuse_endless(compiled: Compiled, thinnest: float) -> None:
    """Things that are so fast from the start, or on their paths, that the steps in which they are caught would never end."""
    scene = compiled.scene
    tables = [drive.table for drive in compiled.control.drives if isinstance(drive.table, TimeTable)]
    ways = [
        table for table in tables if len(table.times) > 1 and table.interpolation is not Interpolation.STEP
    ]  # a jump has no speed
    speeds = [np.abs(np.diff(way.values, axis=0)).max(axis=1) / np.diff(way.times) for way in ways]
    start = compiled.start.velocity if compiled.start else [body.velocity for body in scene.body.values()]
    from_start = [float(np.abs(start).max(initial=0.0))]
    fastest = max(*from_start, *(float(speed.max()) for speed in speeds), 0.0)
    if np.isfinite(thinnest) and fastest * scene.time.end > LARGEST_STEP_COUNT * SMALL_PART * thinnest:
        what = (
            f"must leave fewer than {LARGEST_STEP_COUNT:g} steps in which nothing passes through what is {thinnest:.3g} m thick at "
            f"{fastest:.3g} m/s (got {scene.time.end:g} s); end earlier, or let things move more slowly"
        )
        raise SceneError([("time.end", what)])


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def plan_steps(compiled: Compiled) -> StepPlan:
    """The user's step, or a whole fraction of it that is stable; else the stable one, but ten per frame at least."""
    time, stable = compiled.scene.time, compiled.model.stable_step[compiled.scene.time.integrator]
    largest = min(stable, time.frame_time / STEPS_PER_FRAME)
    if time.step is not None:
        largest = time.step / ceil(time.step / stable)
    _refuse_endless(compiled, min((term.finest for term in compiled.model.terms), default=np.inf))
    worth = COST_PER_THREAD + COST_OF_MEETING * sum(term.meetings for term in compiled.model.terms)
    threads = time.threads or max(1, min(processors(), int(compiled.model.cost.sum() / worth)))
    return StepPlan(time.integrator, largest, stable, time.step, threads, time.end, time.frame_time)
