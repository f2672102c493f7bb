"""Single phases of an implicit step, as tests look at them."""

import numpy as np

from yawara.core.context import open_context
from yawara.core.crew import Crew, Needs
from yawara.core.stages import FREEZE
from yawara.core.table import IMPLICIT, Phase, run
from yawara.kernels.entries import kernel
from yawara.kernels.kinds import INT


@kernel(INT, INT)
def run_phase(context, phase):
    run(open_context(context), phase)


class EndOfStep:
    """Of a step of `ahead` [s] that ends at the state as it is; nothing moves."""

    def __init__(self, model, state, ahead, *, steady=False):
        self.crew = Crew(model, model.terms, Needs(IMPLICIT, needs_tangent=True, keeps_start=True, account=False))
        self.crew.bind_state(state)
        self.context = self.crew.contexts[0]
        for name, value in (("ahead", ahead), ("stage", FREEZE), ("finish", 0), ("exact", 1), ("steady", int(steady))):
            self.context.put(name, value)
        self.force = self._after(Phase.ADD_END_FORCES)

    def _after(self, phase):
        self.crew.forces[:] = 0.0
        run_phase(self.context.address, int(phase))
        return self.crew.forces.reshape(-1, 4)[:, :3].copy()

    def product(self, vector):
        self.crew.direction.reshape(-1, 4)[:, :3] = vector
        return self._after(Phase.ADD_PRODUCT)

    def diagonal(self):
        return self._after(Phase.ADD_DIAGONAL)


def slope_of_force(model, state, vector, ahead, *, steady=False):
    """By a difference: from velocities at the end of a step to minus the forces there, which are linear in them."""
    ends = []
    for part in (0.0, 1.0):
        other = state.copy()
        other.position[:] += part * ahead * vector
        other.velocity[:] += part * vector
        ends.append(EndOfStep(model, other, ahead, steady=steady).force)
    return np.asarray(ends[0] - ends[1])
