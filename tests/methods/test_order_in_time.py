"""Schemes keep their order where the outside changes in time: every stage looks at its own time, and moves held points to their own.

What acts is a cubic polynomial of time, and elements are damped and remember: the exact answer is a matrix exponential, the powers of time
being states of their own.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import reference
from analytic import observed_order
from yawara import Chain, Drive, Fix, Force, Scene, Time, simulate
from yawara.laws import ThreeElement
from yawara.methods import SCHEMES

STEPS = {1: (1 / 1600, 1 / 3200, 1 / 6400), 4: (1 / 20, 1 / 40, 1 / 80)}  # asymptotic, and far above rounding
TOLERANCE = 0.1
LAW, MASS, REST, END = ThreeElement(k1=4.0, c1=1.0, c2=5.0), 0.5, 10.0, 1.0
CUBIC = np.array([0.0, 0.0, 3.0, -2.0])  # a smooth table from 0 to 1 in 1 s, in powers of time [1/s^n]


def moved(times, *, force=0.0, drive=0.0):
    """Displacement [m] of a mass between two elements in a row; the far end is driven, the mass is pulled, each times the cubic.

    States: displacement, speed, what both dampers remember, and 1, t, t^2, t^3.
    """

    def rates(y):
        powers = y[4:]
        end, end_speed = drive * CUBIC @ powers, drive * (CUBIC[1:] * (1, 2, 3)) @ powers[:3]
        left, (left_rate,), _, _ = reference.respond(LAW, y[0], y[1], [y[2]], rest=REST)
        right, (right_rate,), _, _ = reference.respond(LAW, end - y[0], end_speed - y[1], [y[3]], rest=REST)
        pull = force * CUBIC @ powers
        return np.array([y[1], (pull - left + right) / MASS, left_rate, right_rate, 0.0, *(powers[:3] * (1, 2, 3))])

    A = np.stack([rates(unit) for unit in np.eye(8)], axis=1)  # rates are linear
    start = np.eye(8)[4]
    return np.array([(expm(A * t) @ start)[0] for t in times])


def error(scheme, step, *, force=0.0, drive=0.0):
    """Largest error [m] of where the mass is."""
    table = {"body": "row", "times": [0.0, END], "interpolation": "smooth"}
    scene = Scene(
        time=Time(end=END, frame=0.25, step=step, integrator=scheme),
        body={"row": Chain(counts=[3], spacing=REST, law=LAW, mass=3 * MASS, mass_sharing="equal")},
        fix=[Fix(body="row", points="first")],
        drive=[Drive(points="last", displacement=[(0, 0, 0), (drive, 0, 0)], **table)],
        force=[Force(points=[1], force=[(0, 0, 0), (force, 0, 0)], **table)],
        probe={"mass": {"type": "displacement", "body": "row", "points": [1]}},
    )
    history = simulate(scene).history
    return np.abs(history["mass.displacement_x"] - moved(history["time"], force=force, drive=drive)).max()


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "quasi_static"])  # which has no inertia
@pytest.mark.parametrize("acts", [{"force": 1.0}, {"drive": 0.6}, {"force": 1.0, "drive": 0.6}], ids=" and ".join)
def test_what_changes_in_time_keeps_the_order(acts, scheme):
    order = SCHEMES[scheme].order
    errors = [error(scheme, step, **acts) for step in STEPS[order]]
    assert observed_order(errors, STEPS[order]) == pytest.approx(order, abs=TOLERANCE), errors


@pytest.mark.filterwarnings("ignore:The energies do not add up")  # the way itself is that of the table, not of the steps
@pytest.mark.parametrize("scheme", [name for name, scheme in SCHEMES.items() if len(scheme.stages) == 1])
@pytest.mark.parametrize("steps", [10, 40])
def test_with_one_stage_a_drive_gives_exactly_what_the_masses_have(scheme, steps):
    """Work by the mean velocity and the change of momentum of each step is the change of kinetic energy, however coarse the step.

    A whole row is moved up against gravity, so that no link is stretched; its weight costs m g times the mean velocity of each step.
    """
    way, gravity, step = 0.5, 3.0, END / steps
    lift = Drive(body="row", points="all", times=[0.0, END], displacement=[(0, 0, 0), (0, 0, way)], interpolation="smooth")
    scene = Scene(
        gravity=(0.0, 0.0, -gravity), time=Time(end=END, frame=0.1, step=step, integrator=scheme), drive=[lift],
        body={"row": Chain(counts=[3], spacing=REST, law=LAW, mass=3 * MASS)},
    )  # fmt: skip
    history = simulate(scene).history
    t = np.arange(steps + 1) * step
    speed = way * (6.0 * t - 6.0 * t**2)
    lifted = 3 * MASS * gravity * np.concatenate([[0.0], np.cumsum(0.5 * step * (speed[1:] + speed[:-1]))])
    work = 0.5 * 3 * MASS * speed**2 + lifted
    every = steps // 10
    assert history["energy.work_of_drives"] == pytest.approx(work[::every], abs=1e-13)
