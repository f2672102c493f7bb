"""Implicit (backward) Euler: order 1, stable for any step, each step a system of equations. For stiff springs and dampers.

See implicit_advance.py for how a step is solved.
"""

from yawara.integrators.scheme import Scheme

SCHEME = Scheme("implicit_euler", 1, ())
