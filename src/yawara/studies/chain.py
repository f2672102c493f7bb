"""The four-particle chain of Hirai 2005 (particle-based modelling), Figs. 2.5, 2.7 and 2.10.

m = 1, P0 fixed, force 1 on P3 during 0-20 s. The text states the limits: Voigt 0.5, 1, 1.5; Maxwell rates 0.025, 0.05, 0.075;
three-element 0.5 residual per element.
"""

from collections.abc import Iterator

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.laws import AnyLaw, Maxwell, ThreeElement, Voigt
from yawara.scene.actions import Fix, Force
from yawara.scene.bodies import Chain, MassSharing
from yawara.scene.probes import DisplacementProbe
from yawara.scene.scene import IntegratorName, Scene, Time
from yawara.simulate import simulate
from yawara.studies.row import StudyRow, near

NAME, TITLE = "chain", "four-particle chain: Voigt, Maxwell and three-element limits (Figs. 2.5, 2.7, 2.10)"
LIMIT_TIME = 1200.0  # [s]: the second Maxwell chain rings for minutes
ROUNDING = 0.5e-3  # half a unit of the last printed digit


def displacements(law: AnyLaw, *, end: float, load_end: float) -> tuple[Floats, Floats]:
    """Times [s] and displacements [m] of P1, P2, P3, (3, frame_count)."""
    scene = Scene(
        time=Time(end=end, frame=1.0, step=0.002, integrator=IntegratorName.RK4),
        body={"chain": Chain(counts=(4,), spacing=10.0, law=law, mass=4.0, mass_sharing=MassSharing.EQUAL)},
        fix=(Fix(body="chain", points="first"),),
        force=(Force(body="chain", points="last", times=(0.0, load_end), force=((1, 0, 0), (0, 0, 0))),),
        probe={f"u{n}": DisplacementProbe(body="chain", points=(n,)) for n in (1, 2, 3)},
    )
    history = simulate(scene).history
    return history["time"], np.stack([history[f"u{n}.displacement_x"] for n in (1, 2, 3)])


def rows() -> Iterator[StudyRow]:
    for k, b in ((2, 6), (2, 2)):
        _, u = displacements(Voigt(k=k, c=b), end=200.0, load_end=200.0)
        for n, printed in enumerate((0.5, 1.0, 1.5)):
            yield near(NAME, f"Voigt b={b} k={k}: limit of u{n + 1}", "m", printed, u[n, -1], ROUNDING)
    for k, b in ((60, 40), (10, 40)):
        time, u = displacements(Maxwell(k=k, c=b), end=LIMIT_TIME, load_end=LIMIT_TIME)
        rates = (u[:, -1] - u[:, time == LIMIT_TIME - 100].ravel()) / 100.0
        for n, printed in enumerate((0.025, 0.050, 0.075)):
            yield near(NAME, f"Maxwell b={b} k={k}: rate of u{n + 1}", "m/s", printed, rates[n], ROUNDING)
    for k, b in ((2, 8), (2, 2)):
        _, u = displacements(ThreeElement(k1=k, c1=b, c2=40.0), end=200.0, load_end=20.0)
        for n, printed in enumerate((0.5, 1.0, 1.5)):
            yield near(NAME, f"three-element b={b} k={k} b'=40: residual u{n + 1}", "m", printed, u[n, -1], ROUNDING)
