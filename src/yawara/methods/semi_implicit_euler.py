"""Semi-implicit (symplectic) Euler: v += a dt from the old state, then x += v dt with the new velocity.

Order 1. An undamped vibration of angular frequency w keeps its energy for dt < 2/w.
"""

from yawara.core.stages import SEMI_IMPLICIT
from yawara.methods.scheme import Scheme

SCHEME = Scheme("semi_implicit_euler", 1, ((SEMI_IMPLICIT, 0.0, 1.0, 1.0, 1.0),))
