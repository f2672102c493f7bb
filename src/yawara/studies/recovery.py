"""Calibration on a known truth: the papers' three coefficients from the papers' kind of data, with all searches.

The truth is model 1 of the first papers with its printed result, K = 1990, C1 = 510, C2 = 3470, and the data are synthetic: 3600 points
at four times, without noise and with the camera's 0.05 cm; and the tool's force, without noise and with 2 % of the largest. Ranges, the
start and the length of a move are the papers'. They gave one run of 30 h each, and no spread.

The papers used points alone. In so slow a push by a given distance the shape depends on C1/K and C2/K, and on K itself only by the body's
inertia: too little to be seen through the camera's noise. Intervals for all three then reach from bound to bound, and hold any truth. So
intervals are tried with the force, and what a search finds from points alone is told by the ratios.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from yawara.calibrate.fit import Fit, fit_problem
from yawara.calibrate.intervals import IntervalMethod
from yawara.calibrate.observation.base import Observation
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.problem import Experiment, Objective, Problem
from yawara.calibrate.search import (
    CmaEs,
    Efficient,
    Genetic,
    GlobalLocal,
    GlobalRandom,
    LeastSquares,
    LocalRandom,
    ModifiedRandom,
    Search,
    SteepestDescent,
)
from yawara.calibrate.synth import Bench, Sample, measure_scene
from yawara.calibrate.workers import one_thread_each, usable_cores
from yawara.laws import ThreeElement
from yawara.scene.bodies import Lattice, MassSharing
from yawara.scene.file import scene_data
from yawara.studies.dough_push import CLOUDS, MASS, PAPERS_UNIT, pushed
from yawara.studies.row import StudyRow, near

NAME, TITLE = "recovery", "Hirai 2005, ch. 3: three coefficients found again, by all searches (synthetic data)"

TRUTH = {"k1": 1990 * PAPERS_UNIT, "c1": 510 * PAPERS_UNIT, "c2": 3470 * PAPERS_UNIT}
START = {"k1": 400 * PAPERS_UNIT, "c1": 2000 * PAPERS_UNIT, "c2": 2000 * PAPERS_UNIT}
RANGES = {"k1": (100, 3000), "c1": (500, 10_000), "c2": (500, 20_000)}  # as printed
DELTA, WALK, BUDGET = 10 * PAPERS_UNIT, 100, 2700
SEEDS, LEVEL = 50, 0.9
EQUAL_BUDGET, REPEATS = 200, 5
CAMERA, FORCE_NOISE = 0.0005, 0.02  # [m]; of the largest force

SEARCHES: dict[str, Search] = {
    "least squares": LeastSquares(),
    "global, then least squares": GlobalLocal(),
    "CMA-ES": CmaEs(),
    "genetic algorithm": Genetic(),
    "modified randomised": ModifiedRandom(delta=DELTA, walk=WALK),
    "efficient (global, then local)": Efficient(delta=DELTA, walk=WALK),
    "global randomised": GlobalRandom(delta=DELTA),
    "local randomised": LocalRandom(delta=DELTA, walk=WALK),
    "steepest descent": SteepestDescent(delta=DELTA),
}


@dataclass(frozen=True)
class Tried:
    """One search, once, on points alone."""

    distance_sum: float  # S [m]
    error: float  # of C1/K and C2/K the larger one, over the truth
    seconds: float
    evaluations: int


def sample(noise: float, seed: int) -> Sample:
    body = Lattice(counts=(6, 6, 4), spacing=0.01, mass=MASS, mass_sharing=MassSharing.EQUAL, law=ThreeElement(**TRUTH))
    bench = Bench(times=CLOUDS, noise=noise, force_noise=FORCE_NOISE * noise / CAMERA, volume_noise=0.0, seed=seed)
    return measure_scene(pushed(body), bench)


def problem(
    seen: Sample,
    start: dict[str, float] | None = None,
    objective: Objective = Objective.LEAST_SQUARES,
    *,
    log: bool = True,
    force: bool = False,
) -> Problem:
    """From points, and with the `force` as well."""
    observations: list[Observation] = [
        Cloud(f"cloud {number}", points, moment, "dough", CAMERA, CAMERA, 0.0025, "synthetic")
        for number, (moment, points) in enumerate(seen.clouds.items(), 1)
    ]
    if force:
        (one,) = seen.curves
        noise = FORCE_NOISE * float(np.abs(one.values).max())
        observations.append(Curve("force", one.column, one.time, one.values, noise, "synthetic", one.unit))
    parameters = {
        name: Parameter(target=(f"body.dough.law.{name}",), low=low * PAPERS_UNIT, high=high * PAPERS_UNIT, log=log)
        for name, (low, high) in RANGES.items()
    }
    units = {"k1": "N/m", "c1": "N s/m", "c2": "N s/m"}
    return Problem(
        parameters, start or START, (Experiment("push", scene_data(seen.scene), tuple(observations)),), objective, units
    )


def rows() -> Iterator[StudyRow]:
    yield from _exact()
    yield from _quick()
    with ProcessPoolExecutor(usable_cores(), get_context("spawn")) as pool:
        with one_thread_each():  # the first questions start the processes
            modified = pool.submit(tried, "modified randomised", 0, BUDGET)
            seeds = pool.map(covered, range(1, SEEDS + 1))
        yield from _covered(list(seeds))
        jobs = [(name, seed) for name in SEARCHES for seed in range(REPEATS)]
        futures = {job: pool.submit(tried, *job, EQUAL_BUDGET) for job in jobs}
        yield from _modified(modified.result())
        for name in SEARCHES:
            yield from _spread(name, [futures[name, seed].result() for seed in range(REPEATS)])


def _exact() -> Iterator[StudyRow]:
    found = fit_problem(problem(sample(0.0, 1)), intervals=())  # from points alone: without noise, the inertia is enough
    for name, truth in TRUTH.items():
        unit = found.problem.units[name]
        yield near(NAME, f"{name}, no noise, found from K = 400, C1 = C2 = 2000", unit, truth, found.values[name], 0.01 * truth)


def _quick() -> Iterator[StudyRow]:
    """With everything that a fit takes, from the start of its workers to its intervals."""
    seen = sample(CAMERA, 1)
    begun = time.perf_counter()
    found = fit_problem(problem(seen, force=True))
    yield StudyRow(
        NAME, "the whole fit, 0.05 cm noise (the papers: 30 h)", "s", 108_000.0, time.perf_counter() - begun, high=60.0
    )
    yield StudyRow(NAME, "its evaluations (the papers: about 2700)", "1", 2700.0, found.evaluations)
    yield StudyRow(NAME, "evaluations per second, search alone", "1/s", 2700 / 108_000, found.rate)


def covered(seed: int) -> list[tuple[float, float]]:
    """The 95 % interval of each coefficient, over the truth."""
    found = fit_problem(problem(sample(CAMERA, seed), force=True), executor="here", intervals=(IntervalMethod.LINEAR,))
    return [_over_truth(found, name) for name in TRUTH]


def _over_truth(found: Fit, name: str) -> tuple[float, float]:
    interval = found.estimates[name].interval
    return (interval.low / TRUTH[name], interval.high / TRUTH[name]) if interval else (np.nan, np.nan)


def _covered(answers: list[list[tuple[float, float]]]) -> Iterator[StudyRow]:
    low, high = np.moveaxis(np.array(answers), -1, 0)
    share, width = np.mean((low <= 1.0) & (high >= 1.0), axis=0), np.median(high - low, axis=0)
    for name, one, wide in zip(TRUTH, share.tolist(), width.tolist(), strict=True):
        yield StudyRow(
            NAME, f"{name}: 95 % intervals that hold the truth, {SEEDS} seeds, points and force", "1", None, one, low=LEVEL
        )
        yield StudyRow(NAME, f"{name}: their width, median", "%", None, 100 * wide)


def tried(name: str, seed: int, budget: int) -> Tried:
    """A search on the noisy data of one seed; those that begin at a start begin at one drawn by the search's own seed."""
    search, rng = SEARCHES[name], np.random.default_rng([seed, 7])
    start = {key: float(rng.uniform(*ends)) * PAPERS_UNIT for key, ends in RANGES.items()}
    squares = search.needs_residuals
    objective = Objective.LEAST_SQUARES if squares else Objective.DISTANCE_SUM
    posed = problem(sample(CAMERA, 1), start, objective, log=squares or isinstance(search, CmaEs))
    begun = time.perf_counter()
    found = fit_problem(posed, search=search, budget=budget, seed=seed, executor="here", intervals=())
    seconds = time.perf_counter() - begun
    distance = sum(one.metrics["S [m]"] for one in found.compared[0].comparisons)
    error = max(abs(found.values[key] / found.values["k1"] * TRUTH["k1"] / TRUTH[key] - 1.0) for key in ("c1", "c2"))
    return Tried(distance, error, seconds, found.evaluations)


def _modified(one: Tried) -> Iterator[StudyRow]:
    yield StudyRow(NAME, "modified randomised, 2700 evaluations, one process: time", "s", 108_000.0, one.seconds)
    yield StudyRow(
        NAME, "modified randomised, 2700 evaluations: S (printed for real dough)", "cm", 2097.40, 100 * one.distance_sum
    )
    yield StudyRow(NAME, "modified randomised, 2700 evaluations: larger error of C1/K and C2/K", "%", None, 100 * one.error)


def _spread(name: str, many: list[Tried]) -> Iterator[StudyRow]:
    budget = f"{name}, {EQUAL_BUDGET} evaluations at most, {REPEATS} starts"
    sums = [100 * one.distance_sum for one in many]
    errors = [100 * one.error for one in many]
    yield StudyRow(NAME, f"{budget}: S, median", "cm", None, float(np.median(sums)))
    yield StudyRow(NAME, f"{budget}: S, worst less best", "cm", None, float(np.ptp(sums)))
    yield StudyRow(NAME, f"{budget}: larger error of C1/K and C2/K, median", "%", None, float(np.median(errors)))
    yield StudyRow(NAME, f"{budget}: larger error of C1/K and C2/K, worst", "%", None, float(np.max(errors)))
    yield StudyRow(NAME, f"{budget}: evaluations made, mean", "1", None, float(np.mean([one.evaluations for one in many])))
