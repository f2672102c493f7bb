"""The classical Runge-Kutta scheme: four evaluations, order 4, also for internal variables.

Stable on the real axis to 2.785/dt, on the imaginary axis to 2.828/dt.
"""

from yawara.core.stages import RK_FIRST, RK_LAST, RK_MIDDLE
from yawara.methods.scheme import Scheme

SCHEME = Scheme(
    "rk4",
    4,
    (
        (RK_FIRST, 0.0, 0.5, 0.5, 1 / 6),
        (RK_MIDDLE, 0.5, 0.5, 0.5, 1 / 3),
        (RK_MIDDLE, 0.5, 1.0, 1.0, 1 / 3),
        (RK_LAST, 1.0, 1.0, 0.0, 1 / 6),
    ),
)
