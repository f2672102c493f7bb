"""A block of dough that is pushed in, what would be measured of it, and the question what it is made of."""

from dataclasses import replace

import numpy as np

from yawara.calibrate.observation.base import Observation
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.observation.markers import Marker
from yawara.calibrate.observation.volume import VolumeAt
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.problem import Experiment, Objective, Problem, show
from yawara.calibrate.synth import points_on
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene, scene_data
from yawara.scene.scene import Scene

NASTY = "<b>k1 & 'c'</b>"
LAW = {"type": "three_element", "k1": 60.0, "c1": 1.0, "c2": 30.0}
PUSHED = {
    "name": "pushed",
    "time": {"end": 0.2, "frame": 0.01, "step": 0.01, "integrator": "implicit_euler"},
    "body": {"dough": {"shape": "lattice", "counts": [3, 3, 3], "spacing": 0.01, "density": 1000.0, "law": LAW}},
    "fix": [{"body": "dough", "points": "bottom"}],
    "drive": [
        {
            "name": "push", "body": "dough", "points": {"min": [0.009, 0.0, 0.02], "max": [0.011, 0.02, 0.02]}, "times": [0.0, 0.1],
            "displacement": [[0, 0, 0], [0, 0, -0.004]],
        },
    ],
}  # fmt: skip
NOISE, FORCE_NOISE = 0.0004, 0.005  # [m], [N]


def measured(scene: Scene, *, times: tuple[float, ...] = (0.1, 0.2)) -> tuple[Observation, ...]:
    """Two clouds, a curve, a marker and a volume of this scene, with noise."""
    rng = np.random.default_rng(1)
    body = compile_scene(scene).model.bodies[0]
    rest = compile_scene(scene).model.rest_position
    frames, marks = np.linspace(0.0, 0.2, 41), np.array([0.05, 0.1, 0.15, 0.2])
    blank = Curve("curve 1", "push.force_z", frames, np.zeros(41), FORCE_NOISE, "force.csv", "N")
    marker = Marker("marker 1", marks, np.zeros((4, 3)), "dough", rest[-1], NOISE, "marker.csv")
    volume = VolumeAt("volume 1", 8e-6, 0.2, "dough", 4e-8, "volume 1")
    clouds = [Cloud(f"cloud {n}", np.zeros((1, 3)), t, "dough", NOISE, NOISE, 0.0025, "c.ply") for n, t in enumerate(times, 1)]
    seen = show(scene, (*clouds, blank, marker, volume))
    shot = [
        replace(one, points=points_on(seen.positions[one.time], body.closed, 150, rng) + rng.normal(0.0, NOISE, (150, 3)))
        for one in clouds
    ]
    force = np.interp(frames, seen.history["time"], seen.history["push.force_z"]) + rng.normal(0.0, FORCE_NOISE, 41)
    place = marker.compare(seen).details["simulated"] + rng.normal(0.0, NOISE, (4, 3))
    value = volume.compare(seen).details["simulated"]
    return *shot, replace(blank, values=force), replace(marker, place=place), replace(volume, value=value + 1e-8)


def a_problem(*, held_out: bool = True) -> Problem:
    scene = read_scene(PUSHED)
    deeper = read_scene({**PUSHED, "drive": [{**PUSHED["drive"][0], "displacement": [[0, 0, 0], [0, 0, -0.006]]}]})
    experiments = [Experiment("bench", scene_data(scene), measured(scene))]
    if held_out:
        experiments.append(Experiment("deeper", scene_data(deeper), measured(deeper), held_out=True))
    path = "body.dough.law"
    parameters = {
        NASTY: Parameter(target=f"{path}.k1", low=10.0, high=400.0),
        "c2": Parameter(target=f"{path}.c2", low=5.0, high=100.0, log=False),
        "kept": Parameter(target=f"{path}.c1", fixed=True),
    }
    start, units = {NASTY: 120.0, "c2": 60.0, "kept": 1.0}, {NASTY: "N/m", "c2": "N s/m", "kept": "N s/m"}
    return Problem(parameters, start, tuple(experiments), Objective.LEAST_SQUARES, units)
