"""Explicit Euler: x += v dt, v += a dt, q += qdot dt for internal variables q, all from the old state.

Order 1. Pumps energy into undamped vibrations whatever the step: use it only for bodies with damping in every link.
"""

from yawara.core.stages import EULER
from yawara.methods.scheme import Scheme

SCHEME = Scheme("euler", 1, ((EULER, 0.0, 1.0, 1.0, 1.0),))
