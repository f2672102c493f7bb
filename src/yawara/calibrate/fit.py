"""A fit from its beginning to its end: what can be found at all, the search, how sure the answer is, and how well it does."""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from yawara.calibrate.asker import Asker, Progress
from yawara.calibrate.executors import PROCESSES, workers_for
from yawara.calibrate.identifiability import Identifiability, identifiability
from yawara.calibrate.intervals import (
    Best,
    Interval,
    IntervalMethod,
    best_at,
    bootstrap_intervals,
    linear_intervals,
    profile_intervals,
)
from yawara.calibrate.journal import Journal
from yawara.calibrate.observation.base import Comparison
from yawara.calibrate.outcome import Outcome
from yawara.calibrate.problem import Experiment, Objective, Problem
from yawara.calibrate.search import Search, default_search
from yawara.calibrate.search.base import Ask, BudgetSpent
from yawara.calibrate.search.differences import jacobian
from yawara.calibrate.space import Space
from yawara.checks import SceneError
from yawara.kernels.kinds import Floats

DIFFERENCE = 1e-3  # of a parameter's range, for derivatives
AT_BOUND = 1e-3  # of a range: an answer this near to a bound was stopped by it
METHODS = (IntervalMethod.LINEAR, IntervalMethod.BOOTSTRAP)


@dataclass(frozen=True)
class Estimate:
    """One parameter and what is known of it."""

    name: str
    value: float
    unit: str
    low: float | None
    high: float | None
    start: float
    intervals: dict[IntervalMethod, Interval] = field(default_factory=dict)  # none if it was kept
    sensitivity: float = 0.0  # [1]: see identifiability.py
    kept: str = ""  # why it was not looked for

    @property
    def interval(self) -> Interval | None:
        """The one to quote: by profile if there is one, else by linearisation."""
        wanted = (IntervalMethod.PROFILE, IntervalMethod.LINEAR, IntervalMethod.BOOTSTRAP)
        return next((self.intervals[method] for method in wanted if method in self.intervals), None)


@dataclass(frozen=True)
class Compared:
    """An experiment beside its run with the fitted values."""

    experiment: Experiment
    comparisons: list[Comparison]
    before: list[Comparison] | None  # the same with the values of the start, if they could be run


@dataclass(frozen=True)
class Fit:
    """The answer."""

    problem: Problem
    search: Search
    estimates: dict[str, Estimate]
    outcome: Outcome
    start_outcome: Outcome
    correlation: Floats  # (free_count, free_count), of the estimates that were looked for
    free_names: tuple[str, ...]
    at_start: Identifiability | None
    at_end: Identifiability | None
    scatter: float  # [1]: readings over their noise
    trace: list[tuple[Floats, Outcome]]
    compared: list[Compared]
    stopped: str
    warnings: tuple[str, ...]
    seconds: float  # wall time of the search, in this process
    total_seconds: float  # with everything else
    evaluations: int
    rate: float  # [1/s]

    @property
    def values(self) -> dict[str, float]:
        return {name: one.value for name, one in self.estimates.items()}

    @property
    def free_values(self) -> Floats:
        return np.array([self.estimates[name].value for name in self.problem.free])


def fit_problem(
    problem: Problem,
    *,
    search: Search | None = None,
    budget: int | None = None,
    seed: int = 0,
    intervals: tuple[IntervalMethod, ...] = METHODS,
    executor: str | Executor = PROCESSES,
    workers: int | None = None,
    journal: Path | None = None,
    progress: Progress | None = None,
    notify: Callable[[str], None] | None = None,
) -> Fit:
    """Find the values that explain the measurements. With the `journal` of an interrupted fit, goes on and ends with the same answer."""
    search = search or default_search(len(problem.free), squares=problem.objective is Objective.LEAST_SQUARES)
    begun = time.perf_counter()
    with (
        workers_for(problem, executor, workers) as team,
        closing(Journal(journal, problem.misfit)) as kept,
    ):
        asker = Asker(team, kept, budget, progress, search.rated)
        return _Run(problem, search, asker, seed, intervals, notify or _quiet, begun).finish()


def _quiet(words: str) -> None: ...


@dataclass
class _Run:
    problem: Problem
    search: Search
    asker: Asker
    seed: int
    methods: tuple[IntervalMethod, ...]
    notify: Callable[[str], None]
    begun: float

    def finish(self) -> Fit:
        whole = self.problem.space
        start, at_start = self._look_at_start(whole)
        doubts = self.problem.doubts(start)
        for words in (*doubts, *(at_start.warnings() if at_start else ())):
            self.notify(words)
        frozen = set(at_start.without_effect) if at_start else set()
        if len(frozen) == whole.size:
            raise SceneError(
                [("parameter", "none of the free ones changes anything in what was measured; free others")], source="the fit"
            )
        space = whole.without(frozen)
        ask = _filling(self.asker, whole, space)
        self.asker.keep_residuals = self.search.needs_residuals
        stopped = self._search(ask, space)
        seconds, evaluations = time.perf_counter() - self.begun, len(self.asker.trace)
        rate = self.asker.fresh / seconds if seconds > 0.0 else 0.0
        values, outcome = self._best(start)
        self.asker.budget, self.asker.keep_residuals = None, True
        best, at_end = self._look_at_best(space, values, ask)
        found = self._intervals(space, best, ask) if best else {}
        estimates = self._estimates(values, found, at_end, frozen)
        compared, missing = self._compare_all(values)
        warnings = (
            *doubts, *_identifiability_warnings(at_start, at_end), *_bound_warnings(estimates, self.problem.space), *missing,
        )  # fmt: skip
        size = space.size
        return Fit(
            self.problem, self.search, estimates, outcome, start,
            at_end.correlation if at_end else np.eye(size), space.names, at_start, at_end,
            best.scatter if best else float("nan"), self.asker.trace[:evaluations], compared, stopped, warnings,
            seconds, time.perf_counter() - self.begun, evaluations, rate,
        )  # fmt: skip

    def _look_at_start(self, space: Space) -> tuple[Outcome, Identifiability | None]:
        """How well the first guess does, and what can be found from there; nothing of it if it cannot be run."""
        try:
            start = self.asker(space.start[None])[0]
            if start.failed:
                self.notify(f"the start cannot be run: {start.failure}")
                return start, None
            slopes = jacobian(self.asker, space, space.to_unit(space.start), start.residual, DIFFERENCE)
        except BudgetSpent:
            return self.asker.trace[0][1], None
        if not np.isfinite(slopes).all():
            self.notify("next to the start some runs fail, so that what can be found is not known in advance")
            return start, None
        return start, identifiability(space, slopes)

    def _search(self, ask: Ask, space: Space) -> str:
        try:
            self.search.run(ask, space, np.random.default_rng(self.seed))
        except BudgetSpent:
            return "budget spent"
        return "converged"

    def _best(self, start: Outcome) -> tuple[Floats, Outcome]:
        if self.asker.best is None or self.asker.best[1].failed:
            reason = start.failure or "no evaluation succeeded"
            what = f"no set of values could be run ({reason}); narrow the bounds, or lower the scene's time.step"
            raise SceneError([("parameter", what)], source="the fit")
        return self.asker.best

    def _look_at_best(self, space: Space, values: Floats, ask: Ask) -> tuple[Best | None, Identifiability | None]:
        unit = space.to_unit(_part(values, self.problem.space, space))
        residual = self.asker(values[None])[0].residual
        parts = [one.count for experiment in self.problem.fitted for one in experiment.observations]
        best = best_at(space, unit, residual, ask, parts, DIFFERENCE)
        if not np.isfinite(best.jacobian).all():
            self.notify("next to the answer some runs fail, so that its uncertainty is not known")
            return None, None
        return best, identifiability(space, best.jacobian)

    def _intervals(self, space: Space, best: Best, ask: Ask) -> dict[IntervalMethod, dict[str, Interval]]:
        how: dict[IntervalMethod, Callable[[], list[Interval]]] = {
            IntervalMethod.LINEAR: lambda: linear_intervals(space, best),
            IntervalMethod.BOOTSTRAP: lambda: bootstrap_intervals(space, best, np.random.default_rng([self.seed, 1])),
            IntervalMethod.PROFILE: lambda: profile_intervals(space, best, ask),
        }
        return {method: dict(zip(space.names, how[method](), strict=True)) for method in self.methods}

    def _estimates(
        self, values: Floats, found: dict[IntervalMethod, dict[str, Interval]], at_end: Identifiability | None, frozen: set[str]
    ) -> dict[str, Estimate]:
        everything = self.problem.all_values(values)
        estimates = {}
        for name, one in self.problem.parameters.items():
            why = "fixed" if one.fixed else "changes nothing in what was measured" if name in frozen else ""
            sensitivity = 0.0
            if at_end and name in at_end.names:
                sensitivity = float(at_end.sensitivity[at_end.names.index(name)])
            mine = {} if why else {method: many[name] for method, many in found.items()}
            estimates[name] = Estimate(
                name, everything[name], self.problem.units.get(name, ""), one.low, one.high, self.problem.start[name], mine,
                sensitivity, why,
            )  # fmt: skip
        return estimates

    def _compare_all(self, values: Floats) -> tuple[list[Compared], list[str]]:
        """Those that can be run, and why others cannot: one that was held out may need what no fitted one does."""
        compared, missing = list[Compared](), list[str]()
        for one in self.problem.experiments:
            try:
                compared.append(self._compare(one, values))
            except (SceneError, RuntimeError) as error:
                missing.append(f"{one.name} cannot be run with the fitted values and is not compared: {error}")
        return compared, missing

    def _compare(self, experiment: Experiment, values: Floats) -> Compared:
        try:
            before = self.problem.compare(self.problem.space.start, experiment)
        except (SceneError, RuntimeError):
            before = None
        return Compared(experiment, self.problem.compare(values, experiment), before)


def _filling(ask: Ask, whole: Space, space: Space) -> Ask:
    if space.size == whole.size:
        return ask
    return lambda values: ask(whole.filled(values, space))


def _part(values: Floats, whole: Space, space: Space) -> Floats:
    return np.array([values[whole.names.index(name)] for name in space.names])


def _identifiability_warnings(at_start: Identifiability | None, at_end: Identifiability | None) -> list[str]:
    """What was kept is known from the start; what the others can be told by, from the answer if its surroundings are known."""
    if at_end is None:
        return at_start.warnings() if at_start else []
    return [*(at_start.effect_warnings() if at_start else ()), *at_end.doubts()]


def _bound_warnings(estimates: dict[str, Estimate], space: Space) -> list[str]:
    """Answers that a bound has stopped are no answers of the data."""
    places = space.to_unit(np.array([estimates[name].value for name in space.names]))
    found = []
    for name, place, low, high in zip(space.names, places, space.low, space.high, strict=True):
        one = estimates[name]
        for away, bound, word in ((place, low, "lower"), (1.0 - place, high, "upper")):
            if not one.kept and away < AT_BOUND:
                found.append(f"{name} is at its {word} bound {bound:g} {one.unit}: the data may want it beyond; widen the range")
    return found
