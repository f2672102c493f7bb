"""The comparison of models of Hirai 2005, ch. 3, on a synthetic dough: each model is calibrated on one push and tried on another.

The papers' camera points are lost, and so are depth and course of their pushes. The dough here is therefore synthetic, from a truth that
is none of the models: a finer truss with pressures in its cells. Its pushes are the papers' in kind: two rows across the top, down,
held, let go, 4 s in all; then a second one whose ends touch one after the other, which is not fitted. Both are seen by the
synthetic laboratory: 3600 points with 0.05 cm noise at four times, and the volume in the end.

Printed numbers are for real dough; ours stand beside them without a verdict. What can be compared is the order of the models.

Models, after the papers: 1 the lattice; 2 with centres in its cells ("local"); 3 the lattice with the extra internal forces of the first
papers; G the lattice with one pressure in the whole body ("global", model 3 of the fourth paper); 4 local and global; T the truss; TG the
truss with one pressure. Each has three coefficients K, C1, C2, as in the first papers. An "r" behind the name says that links in the core
have coefficients of their own (the later papers' 8-parameter models), a stroke that links to cell centres have their own, too (their
16-parameter models 2' and 4'). The split ratio a, which they count as well, is left out: it changes nothing.

A model with more coefficients is searched from where the same model with three of them ended (links to centres that have their own begin
with the full values, where those that share them have half).
"""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

from yawara.calibrate.fit import fit_problem
from yawara.calibrate.observation.base import Observation
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.observation.volume import VolumeAt
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.problem import Experiment, Problem
from yawara.calibrate.synth import Bench, Sample, measure_scene
from yawara.calibrate.workers import one_thread_each, usable_cores
from yawara.laws import ThreeElement
from yawara.materials import Material
from yawara.scene.bodies import AnyBody, Lattice, MassSharing, Truss
from yawara.scene.effects import Volume
from yawara.scene.file import scene_data
from yawara.scene.push import Push
from yawara.studies.dough_push import CLOUDS, END, HEIGHT, MASS, PRESSED, RELEASED, ROWS, WIDTH, pushed
from yawara.studies.row import StudyRow

NAME, TITLE = "dough_models", "Hirai 2005, ch. 3: models of dough, calibrated on one push, tried on another (synthetic dough)"

FINE = (16, 16, 10)  # points of the truth
TRUTH = Material(
    density=MASS / (WIDTH * WIDTH * HEIGHT), youngs_modulus=900.0, poisson=0.45, retardation_time=0.25, relaxation_time=2.0
)
LAG = 0.3  # [s], by which the far end of the second push comes later
START = {"k1": 1.0, "c1": 1.0, "c2": 3.0}
BOUNDS = {"k1": (0.05, 10.0), "c1": (0.02, 20.0), "c2": (0.1, 60.0)}  # the papers' ranges, a little wider
WHOLE = 2e4  # [Pa]: "large enough" for one pressure in the whole body
BUDGET = 5000  # evaluations at most: twelve coefficients lead the search through a long flat valley

# S [cm] over N points, and the volume [cm^3] of 72.75, as printed for real dough: first papers' first push; many-voxel and truss papers
PRINTED: dict[tuple[str, int], tuple[float, float]] = {
    ("1", 6): (2097.40 / 15235, 68.49),
    ("2", 6): (2308.62 / 15235, 83.88),
    ("3", 6): (1785.78 / 15235, 69.95),
    ("2r", 6): (2261 / 15372, 69.62),
    ("Gr", 6): (1724 / 15372, 74.97),
    ("4r", 6): (1855 / 15372, 74.49),
    ("2'", 6): (1831 / 15372, 76.30),
    ("4'", 6): (1835 / 15372, 75.94),
    # with eight parameters in print, with three coefficients here
    ("1", 11): (2201 / 15372, 70.56),
    ("2", 11): (1518 / 15372, 71.14),
    ("G", 11): (1663 / 15372, 75.16),
    ("4", 11): (1383 / 15372, 74.58),
    ("T", 11): (2583 / 15372, 69.28),
    ("TG", 11): (1908 / 15372, 74.83),
}


@dataclass(frozen=True)
class Case:
    """A model at a resolution: 6 stands for 6x4x6 points, 11 for 11x7x11."""

    model: str
    across: int

    @property
    def plain(self) -> str:
        """The model with three coefficients."""
        return self.model.rstrip("r'")

    @property
    def sets(self) -> tuple[str, ...]:
        """Regions that have coefficients of their own."""
        return () if self.model == self.plain else ("core",) if self.model.endswith("r") else ("core", "core_in", "surface_in")


@dataclass(frozen=True)
class Found:
    """A calibrated model, on the push it was calibrated on and on the other."""

    case: Case
    distance: tuple[float, float]  # S/N [m]
    beyond: tuple[float, float]  # share of points further away than 0.25 cm
    volume: float  # [m^3], after the first push
    seconds: float  # of one run of 4 s
    evaluations: int
    values: dict[str, float]


PLAIN, IN_REGIONS = ("1", "2", "3", "G", "4", "T", "TG"), ("1r", "2r", "Gr", "4r", "2'", "4'", "Tr", "TGr")
# Coefficients of their own in regions only at 6x4x6: at 11x7x11 each such fit takes some ten minutes.
CASES = [*(Case(model, 11) for model in PLAIN), *(Case(model, 6) for model in (*IN_REGIONS, *PLAIN))]  # the longest first


def rows() -> Iterator[StudyRow]:
    truth, forces = measured_pushes()
    with ProcessPoolExecutor(usable_cores(), get_context("spawn")) as pool:
        with one_thread_each():
            futures = [pool.submit(calibrated, case, truth, forces) for case in CASES]
        for future in futures:
            yield from _rows(future.result())


def _rows(found: Found) -> Iterator[StudyRow]:
    name = f"model {found.case.model}, {found.case.across} points across"
    printed = PRINTED.get((found.case.model, found.case.across))
    yield StudyRow(NAME, f"{name}: S/N, fitted push", "cm", printed and printed[0], 100 * found.distance[0])
    yield StudyRow(NAME, f"{name}: S/N, other push (not fitted)", "cm", None, 100 * found.distance[1])
    yield StudyRow(NAME, f"{name}: beyond 0.25 cm, other push", "%", None, 100 * found.beyond[1])
    yield StudyRow(NAME, f"{name}: volume after the push", "cm^3", printed and printed[1], 1e6 * found.volume)
    yield StudyRow(NAME, f"{name}: time of one run of 4 s", "ms", None, 1e3 * found.seconds)


def measured_pushes() -> tuple[tuple[Sample, Sample], tuple[Any, Any]]:
    """The synthetic dough seen in both pushes, and the tool's force in each: (times [s], force along z [N])."""
    body = Truss(counts=FINE, spacing=WIDTH / (FINE[0] - 1), mass=MASS, material=TRUTH.model_copy(update={"density": 1000.0}))
    samples = tuple(measure_scene(pushed(body, lag=lag), Bench(times=CLOUDS, seed=seed)) for seed, lag in ((1, 0.0), (2, LAG)))
    return samples, tuple(_force(sample) for sample in samples)  # type: ignore[return-value]


def _force(sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Of the whole tool; its noise is 2 %, and the fewest points that keep the shape."""
    curves = [one for one in sample.curves if one.column.endswith("force_z")]
    time = curves[0].time
    total = np.sum([one.values for one in curves], axis=0)
    chosen = np.linspace(0.0, RELEASED, 11)
    return tuple(chosen.tolist()), tuple(np.interp(chosen, time, total).tolist())


def body_of(case: Case) -> AnyBody:
    across = case.across
    counts, spacing = (across, across, {6: 4, 11: 7}[across]), WIDTH / (across - 1)
    law = ThreeElement(**START)
    local, whole, apart = case.plain in ("2", "4"), case.plain in ("G", "4", "TG"), "core_in" in case.sets
    volume = None
    if local or whole:  # links to centres have half of the others' law, unless they have their own
        volume = Volume(
            centres=local, centre_factor=1.0 if apart else 0.5,
            cavity=WHOLE if whole else 0.0, cavity_damping=0.01 * WHOLE if whole else 0.0,
        )  # fmt: skip
    common: dict[str, Any] = {
        "counts": counts, "spacing": spacing, "mass": MASS, "mass_sharing": MassSharing.EQUAL, "law": law, "volume": volume,
    }  # fmt: skip
    if case.sets:
        common["region"] = {name: _region(name, law, apart=apart) for name in case.sets}
    return Truss(**common) if case.plain.startswith("T") else Lattice(**common)


def _region(name: str, law: ThreeElement, *, apart: bool) -> dict[str, Any]:
    depth, _, kind = name.partition("_")
    return {"links": depth, "kind": kind or ("on" if apart else "all"), "law": law}


def problem_of(case: Case, truth: tuple[Sample, Sample], forces: tuple[Any, Any], start: Mapping[str, float]) -> Problem:
    """Fitted on the first push; the second is held out."""
    body = body_of(case)
    experiments = []
    for name, sample, (times, force), lag in zip(("first", "second"), truth, forces, (0.0, LAG), strict=True):
        pushes = []
        if case.plain == "3":  # the driven points move as the tool does: of this push only the extra internal forces act
            push = Push(
                name="squeeze", body="dough", min=(ROWS[0], 0.0), max=(ROWS[1], WIDTH), times=times,
                force=tuple((0.0, 0.0, one) for one in force), interpolation="linear", internal=True, internal_until=PRESSED + lag,
            )  # fmt: skip
            pushes.append(push)
        scene = pushed(body, lag=lag, push=pushes)
        experiments.append(Experiment(name, scene_data(scene), tuple(_observations(sample)), held_out=name == "second"))
    targets = {f"{key}": f"body.dough.law.{key}" for key in START}
    for name in case.sets:
        targets |= {f"{key} {name}": f"body.dough.region.{name}.law.{key}" for key in START}
    parameters = {
        name: Parameter(target=(path,), low=BOUNDS[name[:2]][0], high=BOUNDS[name[:2]][1], log=True)
        for name, path in targets.items()
    }
    return Problem(parameters, {name: start[name[:2]] for name in targets}, tuple(experiments))


def _observations(sample: Sample) -> Iterator[Observation]:
    for number, (moment, points) in enumerate(sample.clouds.items(), 1):
        yield Cloud(f"cloud {number}", points, moment, "dough", sample.bench.noise, 0.0005, 0.0025, "synthetic")
    yield VolumeAt("volume", sample.volume, END, "dough", sample.volume_noise, "synthetic")


def calibrated(case: Case, truth: tuple[Sample, Sample], forces: tuple[Any, Any]) -> Found:
    start: Mapping[str, float] = START
    if case.sets:
        start = fit_problem(problem_of(Case(case.plain, case.across), truth, forces, start), executor="here", intervals=()).values
    problem = problem_of(case, truth, forces, start)
    answer = fit_problem(problem, budget=BUDGET, executor="here", intervals=())
    distance, beyond = [], []
    for compared in answer.compared:
        clouds = [one.metrics for one in compared.comparisons if "S [m]" in one.metrics]
        points = sum(one["points"] for one in clouds)
        distance.append(sum(one["S [m]"] for one in clouds) / points)
        beyond.append(sum(one["beyond"] for one in clouds) / points)
    volume = float(answer.compared[0].comparisons[-1].details["simulated"])
    begun = time.perf_counter()
    problem.compare(answer.free_values, problem.experiments[0])
    seconds = time.perf_counter() - begun
    return Found(case, (distance[0], distance[1]), (beyond[0], beyond[1]), volume, seconds, answer.evaluations, answer.values)
