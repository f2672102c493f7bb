"""Quasi-static steps: equilibrium at the end of each, for tests that are so slow that inertia does not matter.

Each step begins at rest: what is left of inertia, M v'/dt, keeps free bodies from drifting off, and vanishes beside their stiffness as
steps grow. Laws with memory are integrated over the step with the rate that it has, exactly where the law is linear. Steps are chosen by
how much velocities change from one to the next.
"""

from yawara.methods.scheme import Scheme

SCHEME = Scheme("quasi_static", 1, (), has_inertia=False)
