"""Explicit Euler: x += v dt, v += a dt, memory += rate dt, all from the old state.

Order 1. Pumps energy into undamped vibrations whatever the step: use it only for bodies with damping in every link.
"""

from yawara.integrators.scheme import Scheme
from yawara.stages import EULER

SCHEME = Scheme("euler", 1, ((EULER, 0.0, 1.0, 1.0, 1.0),))
