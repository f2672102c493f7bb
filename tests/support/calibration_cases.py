"""Small bodies with a known truth, what a bench would measure of them, and a problem that is linear."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from yawara.calibrate.observation.base import Comparison
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.problem import Experiment, Problem, show
from yawara.calibrate.synth import points_on
from yawara.kernels.kinds import Floats
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene, scene_data

TRUTH = {"k1": 2.0, "c1": 0.3, "c2": 1.0}  # [N/m], [N s/m], [N s/m]
TIMES = (0.2, 0.5, 1.0)  # [s]: early under the load, at its end, and recovered in part
SIDE = 0.02  # [m], of the cube


def loaded_scene(**law):
    """A cube of 27 points on a table, its top pressed by 0.03 N for 0.5 s: 15 ms to run."""
    return read_scene({
        "name": "small cube",
        "time": {"end": 1.0, "frame": 0.1, "step": 0.05, "integrator": "implicit_euler"},
        "body": {"dough": {"shape": "lattice", "counts": [3, 3, 3], "spacing": SIDE / 2, "mass": 0.01,
                           "law": {"type": "three_element", **TRUTH, **law}}},
        "fix": [{"body": "dough", "points": "bottom"}],
        "force": [{"body": "dough", "points": "top", "times": [0.0, 0.5], "force": [[0.0, 0.0, -0.03], [0.0, 0.0, 0.0]]}],
    })  # fmt: skip


def driven_scene():
    """The same cube, its top pressed by 2 mm and held: the history has a force."""
    data = scene_data(loaded_scene())
    del data["force"]
    data["drive"] = [{"name": "push", "body": "dough", "points": "top", "times": [0.0, 0.2],
                      "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, -0.002]], "interpolation": "linear"}]  # fmt: skip
    return read_scene(data)


def still_cube():
    """The compiled cube of 2 cm from the origin on, at rest."""
    return compile_scene(loaded_scene())


def parameters(names=("k1", "c1", "c2"), *, off=(1.6, 0.6, 1.5), truth=TRUTH, low=0.1, high=10.0):
    """From a tenth of the truth to ten times; the start is off by given factors."""
    factors = dict(zip(names, off, strict=False))
    return {
        name: Parameter(
            target=f"body.dough.law.{name}", low=low * truth[name], high=high * truth[name], start=factors[name] * truth[name]
        )
        for name in names
    }


def clouds_of(scene, *, points=40, noise=0.0, said=None, seed=0, times=TIMES):
    """Points on the whole surface with noise [m] in every coordinate."""
    rng = np.random.default_rng(seed)
    showing = show(scene, [_asking_for(times)])
    triangles = showing.compiled.model.body("dough").closed
    return tuple(
        Cloud(
            f"cloud {n}", points_on(showing.positions[time], triangles, points, rng) + rng.normal(0.0, noise, (points, 3)), time,
            "dough", said or noise or 1e-4, 0.0005, 0.0025, "made up",
        )
        for n, time in enumerate(times, 1)
    )  # fmt: skip


def height_of(scene, *, noise=0.0, seed=0):
    """The height of the cube over time, ten readings."""
    rng = np.random.default_rng(seed)
    curve = Curve("curve 1", "dough.height", np.linspace(0.1, 1.0, 10), np.zeros(10), noise or 1e-4, "made up", "m")
    simulated = curve.compare(show(scene, [curve])).details["simulated"]
    return replace(curve, values=simulated + rng.normal(0.0, noise, 10))


def _asking_for(times):
    cloud = Cloud("all", np.zeros((1, 3)), times[-1], "dough", 1.0, 0.0, 1.0, "")
    return _AtTimes(**vars(cloud), wanted=times)


@dataclass(frozen=True)
class _AtTimes(Cloud):
    wanted: tuple[float, ...] = ()

    @property
    def times(self):
        return self.wanted


def problem_of(*experiments, parts=None):
    """With the truth's bounds and start."""
    parts = parts or parameters()
    return Problem(parts, {name: one.start for name, one in parts.items()}, experiments)


def experiment_of(scene, *observations, name="bench", **options):
    return Experiment(name, scene_data(scene), observations, **options)


def small_problem(*, noise=0.0, seed=0, points=40, parts=None):
    """Clouds of the loaded cube at three times."""
    scene = loaded_scene()
    return problem_of(experiment_of(scene, *clouds_of(scene, points=points, noise=noise, seed=seed)), parts=parts)


@dataclass(frozen=True)
class LinearProblem(Problem):
    """Readings that are a matrix times the parameters, plus noise; nothing is simulated."""

    matrix: Floats = None
    readings: Floats = None
    sigma: float = 1.0

    def compare(self, free, experiment):
        away = (self.matrix @ np.asarray(free, float) - self.readings) / self.sigma
        ends = np.cumsum([one.count for one in experiment.observations])[:-1]
        return [Comparison(part) for part in np.split(away, ends)]


def linear_problem(matrix, readings, *, sigma, low, high, start, counts=None):
    """Observations of `counts` readings each; all of them one if left out."""
    matrix, readings = np.asarray(matrix, float), np.asarray(readings, float)
    names = [f"p{n}" for n in range(matrix.shape[1])]
    parts = {
        name: Parameter(target=name, low=a, high=b, start=c, log=False)
        for name, a, b, c in zip(names, low, high, start, strict=True)
    }
    observations = tuple(
        Curve(f"curve {n}", "y", np.arange(1.0, len(part) + 1.0), part, sigma, "made up", "1")
        for n, part in enumerate(np.split(readings, np.cumsum(counts or [len(readings)])[:-1]), 1)
    )
    experiment = Experiment("line", {}, observations)
    return LinearProblem(
        parts, dict(zip(names, start, strict=True)), (experiment,), matrix=matrix, readings=readings, sigma=sigma
    )


def write(path, text):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def table_text(header, *columns):
    rows = [",".join(repr(float(cell)) for cell in row) for row in zip(*columns, strict=True)]
    return "\n".join([header, *rows]) + "\n"
