"""Implicit (backward) Euler: order 1, stable for any step, each step a system of equations. For stiff springs and dampers.

See implicit.py for how a step is solved.
"""

from yawara.methods.scheme import Scheme

SCHEME = Scheme("implicit_euler", 1, ())
