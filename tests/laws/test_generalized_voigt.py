"""Tables 5.1 to 5.3 and the internal-friction case of the report, run through the core, against the six-digit reference numbers.

The element is a chain of two points; compression is negative here, so forces change sign against the spec.
"""

import numpy as np
import pytest

from yawara import GeneralizedVoigt, InternalFriction
from yawara.studies.generalized_voigt import compress

SIX_DIGITS = 2e-6


def press(law, *, hold_until, end, depth=0.025, ramp=1.0, mass=0.1, frame=0.5):
    """Press by `depth` in `ramp` seconds, hold, release: times, force of the press, displacement of the end point."""
    history = compress(law, depth=depth, ramp=ramp, release=hold_until, end=end, mass=mass, frame=frame)
    return history["time"], -history["press.force_x"], history["press.displacement_x"]


def at(time, values, instant):
    return float(values[np.argmin(np.abs(time - instant))])


# table -> k, c, hold until, {time: force}; the value at a corner is the one before it
TABLES = {
    "5.1 sim 1": ((15, 15), (30, 300), 100.0, {1.0: 0.989298, 6.0: 0.263656, 21.0: 0.206975, 100.0: 0.187515}),
    "5.1 sim 2": ((15, 15), (3, 300), 100.0, {1.0: 0.433274, 6.0: 0.292046, 21.0: 0.211176, 100.0: 0.187509}),
    "5.2 sim 1": ((10, 10, 10), (30, 300, 500), 200.0, {1.0: 0.831374, 200.0: 0.083387}),
    "5.2 sim 2": ((10, 10, 10), (60, 300, 600), 200.0, {1.0: 1.307226, 200.0: 0.083496}),
}


@pytest.mark.parametrize("table", TABLES)
def test_press_and_hold(table):
    k, c, hold_until, forces = TABLES[table]
    law = GeneralizedVoigt(k=k, c=c)
    time, force, _ = press(law, hold_until=hold_until, end=hold_until)
    for instant, expected in forces.items():
        assert at(time, force, instant) == pytest.approx(expected, abs=SIX_DIGITS)


# extension after the release: the reference is without mass; what 0.025 kg at the end add to it is below 1e-5
RECOVERIES = {
    "5.1 sim 1": ((15, 15), (30, 300), 100.0, 110.0, -7.665134e-3),
    "5.1 sim 2": ((15, 15), (3, 300), 100.0, 110.0, -7.581242e-3),
    "5.2 sim 1": ((10, 10, 10), (30, 300, 500), 200.0, 220.0, -9.868099e-3),
    "5.2 sim 2": ((10, 10, 10), (60, 300, 600), 200.0, 220.0, -1.052533e-2),
}


@pytest.mark.parametrize("table", RECOVERIES)
def test_recovery(table):
    k, c, hold_until, instant, expected = RECOVERIES[table]
    law = GeneralizedVoigt(k=k, c=c)
    time, _, x = press(law, hold_until=hold_until, end=instant, mass=0.05)
    assert at(time, x, instant) == pytest.approx(expected, rel=1e-4)


def test_table_5_3():
    """k 10, 20; c 30, 300; 0.045 m in 6.1 s, held until 96.5 s, end mass 0.05 kg."""
    law = GeneralizedVoigt(k=(10, 20), c=(30, 300))
    time, force, x = press(law, depth=0.045, ramp=6.1, hold_until=96.5, end=180.0, frame=0.1)
    for instant, expected in {6.1: 0.562092, 16.1: 0.324536, 36.1: 0.303983, 96.5: 0.300016}.items():
        assert at(time, force, instant) == pytest.approx(expected, abs=SIX_DIGITS)
    # ln|x| with the end mass, computed apart for 160 s and 180 s
    assert np.log(-at(time, x, 160.0)) == pytest.approx(-8.433280, abs=2e-6)
    assert np.log(-at(time, x, 180.0)) == pytest.approx(-9.766629, abs=2e-6)


@pytest.mark.parametrize(
    ("friction", "forces"),
    [
        (2.0, {1.0: 6.535156, 2.0: 3.886306, 5.0: 3.093262, 10.0: 2.440465, 20.0: 2.071497}),
        (0.0, {1.0: 6.051070, 2.0: 3.150204, 5.0: 1.825790, 10.0: 0.735593, 20.0: 0.119402}),
        (3.0, {20.0: 3.047434}),  # sticks for the first 0.1 s
    ],
)
def test_internal_friction(friction, forces):
    law = InternalFriction(k=200, c1=100, c2=1000, friction=friction)
    time, force, _ = press(law, hold_until=20.0, end=20.0)
    for instant, expected in forces.items():
        assert at(time, force, instant) == pytest.approx(expected, abs=SIX_DIGITS)


@pytest.mark.parametrize(("friction", "limit"), [(2.0, 2.0), (0.0, 0.0)])
def test_held_force_tends_to_the_friction(friction, limit):
    law = InternalFriction(k=200, c1=100, c2=1000, friction=friction)
    _, force, _ = press(law, hold_until=121.0, end=121.0)
    assert force[-1] == pytest.approx(limit, abs=1e-7)


@pytest.mark.parametrize(("friction", "residual"), [(2.0, -0.01460677), (0.0, -0.02434329)])
def test_residual_after_release(friction, residual):
    law = InternalFriction(k=200, c1=100, c2=1000, friction=friction)
    _, _, x = press(law, hold_until=20.0, end=40.0, mass=0.005)
    assert x[-1] == pytest.approx(residual, rel=1e-4)
