"""Dough pressed by a plate to a tenth of its height, and let go: what tools feel has no step in it, and the body comes through."""

import numpy as np
import pytest

from yawara import Lattice, Material, Scene, Time, Truss, simulate
from yawara.observe.energies import balance_error
from yawara.scene.effects import InversionBarrier, Volume
from yawara.scene.tools import Floor, Plate

DOUGH = Material(youngs_modulus=2e4, density=1200.0, poisson=0.4, retardation_time=1e-3, relaxation_time=0.3)
HEIGHT, SPACING = 0.03, 0.01


def pressed(shape, step=None):
    body = shape(
        counts=[5, 5, 4], spacing=SPACING, material=DOUGH, inversion_barrier=InversionBarrier(), volume=Volume(cavity=2e5)
    )
    down = 0.0005 - (1.0 - 0.1) * HEIGHT - 0.001  # it waits half a millimetre above
    way = [(0, 0, 0), (0, 0, down), (0, 0, down), (0, 0, 0.01)]
    plate = Plate(
        size=(0.3, 0.3, 0.02), origin=(0.02, 0.02, HEIGHT + 0.0005), friction=0.1,
        motion={"type": "path", "times": [0.0, 0.8, 0.85, 1.1], "displacement": way, "interpolation": "smooth"},
    )  # fmt: skip
    tools = {"table": Floor(friction=0.1), "plate": plate}
    return simulate(Scene(gravity=(0, 0, -9.81), time=Time(end=1.2, frame=0.02, step=step), body={"dough": body}, tool=tools))


@pytest.mark.filterwarnings("ignore:Body 'dough'")
@pytest.mark.parametrize("shape", [Truss, Lattice])
def test_what_a_plate_feels_is_the_same_at_half_the_step(shape):
    first = pressed(shape)
    second = pressed(shape, 0.5 * first.plan.largest_step)
    peaks = [np.abs(run.history["plate.force_z"]).max() for run in (first, second)]
    assert peaks[0] == pytest.approx(peaks[1], rel=0.02)
    for run in (first, second):
        history = run.history
        left = HEIGHT + 0.0005 + 0.0005 - 0.9 * HEIGHT - 0.001
        assert history["dough.height"].min() == pytest.approx(left, rel=0.01)
        assert history["contact.penetration"].max() < 0.01 * SPACING
        assert balance_error(history) < 0.01
        assert history["dough.inverted"][-1] == 0.0
        assert history["dough.inverted"].any() == any("inside out" in doubt for doubt in run.doubts)
