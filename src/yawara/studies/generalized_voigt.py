"""Generalised Voigt and internal friction, Hirai 2005, ch. 5: Tables 5.1 to 5.4 and section 5.3.3.

The elements are compressed, held and released. Printed are the converged force of Table 5.3's element (0.3 N), Table 5.4's ln|x| at
160 and 180 s with their slope, and the force while held, with and without friction (the text prints the two the wrong way round).
"""

from collections.abc import Iterator

import numpy as np

from yawara.laws import AnyLaw, GeneralizedVoigt, InternalFriction
from yawara.observe.recorder import History
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Chain
from yawara.scene.scene import IntegratorName, Scene, Time
from yawara.simulate import simulate
from yawara.studies.row import StudyRow, near

NAME, TITLE = "generalized_voigt", "compress, hold, release: Tables 5.1 to 5.4 and internal friction (Hirai 2005)"


def compress(
    law: AnyLaw, *, depth: float, ramp: float, release: float, end: float, mass: float = 0.1, frame: float = 0.5
) -> History:
    """History of a chain of two points; the free one has half the mass [kg]."""
    press = Drive(
        name="press", body="element", points="last", times=(0.0, ramp), displacement=((0, 0, 0), (-depth, 0, 0)), release=release
    )
    scene = Scene(
        time=Time(end=end, frame=frame, step=0.002, integrator=IntegratorName.RK4),
        body={"element": Chain(counts=(2,), spacing=0.06, law=law, mass=mass)},
        fix=(Fix(body="element", points="first"),),
        drive=(press,),
    )
    return simulate(scene).history


def rows() -> Iterator[StudyRow]:
    # Tables 5.1 and 5.2 give coefficients only; the force of a long hold is that of the springs in series.
    for table, k, c in (
        ("5.1 sim. 1", (15, 15), (30, 300)),
        ("5.1 sim. 2", (15, 15), (3, 300)),
        ("5.2 sim. 1", (10, 10, 10), (30, 300, 500)),
        ("5.2 sim. 2", (10, 10, 10), (60, 300, 600)),
    ):
        history = compress(GeneralizedVoigt(k=k, c=c), depth=0.025, ramp=1.0, release=600.0, end=600.0)
        springs = 0.025 / sum(1 / value for value in k)
        ours = -history["press.force_x"][-1]
        yield StudyRow(NAME, f"Table {table}: force of a long hold", "N", None, ours, springs * 0.999, springs * 1.001)
    history = compress(GeneralizedVoigt(k=(10, 20), c=(30, 300)), depth=0.045, ramp=6.1, release=96.5, end=180.0, frame=0.1)
    time, force, x = history["time"], -history["press.force_x"], np.abs(history["press.displacement_x"])
    late, last = (float(np.log(x[np.argmin(np.abs(time - instant))])) for instant in (160.0, 180.0))
    yield near(NAME, "Table 5.3: converged force", "N", 0.3, force[np.argmin(np.abs(time - 96.5))], 0.5e-3)
    yield near(NAME, "Table 5.4: ln|x| at 160 s", "ln(m)", -8.43274, late, 1e-3)
    yield near(NAME, "Table 5.4: ln|x| at 180 s", "ln(m)", -9.76613, last, 1e-3)
    yield near(NAME, "Table 5.4: slope of ln|x|", "1/s", -0.0667, (last - late) / 20.0, 0.5e-4)
    for friction in (2.0, 0.0):
        law = InternalFriction(k=200, c1=100, c2=1000, friction=friction)
        history = compress(law, depth=0.025, ramp=1.0, release=120.0, end=120.0)
        yield near(
            NAME, f"5.3.3: force while held, friction {friction:g} N", "N", friction, -history["press.force_x"][-1], 0.5e-2
        )
