"""What all force terms give at one instant."""

from dataclasses import dataclass

import numpy as np

from yawara.core.context import DISSIPATED, STORED, TAKEN
from yawara.core.control import ControlArrays
from yawara.core.crew import Crew, Needs
from yawara.core.model import Model
from yawara.core.state import State
from yawara.core.table import FORCES
from yawara.kernels.kinds import Floats
from yawara.methods.evaluate import act_from_outside, add_forces


@dataclass(frozen=True)
class Evaluation:
    force: Floats  # [N], (point_count, 3): all force terms and point forces, without gravity and without what holds points
    stored: float  # [J]
    touching: float  # [J], of it in terms that are booked by their impulses
    dissipation: float  # [W]
    taken: float  # [W], that terms with an account of their own take from the motion
    storing: float  # [W], with which bodies store energy


class Evaluator:
    """Evaluates states of one model, in one thread."""

    def __init__(self, model: Model) -> None:
        self.model = model
        # terms that only hand forces on serve both
        groups = ([term for term in model.terms if term.by_impulse is wanted or term.hands_on] for wanted in (False, True))
        self._bodies, self._touching = (Crew(model, terms, Needs(FORCES)) for terms in groups)

    def evaluate(self, state: State, control: ControlArrays, since: float) -> Evaluation:
        """`since` [s], of the control's stretch."""
        given, bodies = self._add(self._bodies, state, control)
        force = self._bodies.forces.copy()
        _, touching = self._add(self._touching, state, control)
        act_from_outside(self._touching.contexts[0].address, since)
        force += self._touching.forces
        dissipation, taken = bodies[DISSIPATED] + touching[DISSIPATED], bodies[TAKEN]
        stored = bodies[STORED] + touching[STORED]
        storing = -given - bodies[DISSIPATED] - bodies[TAKEN]
        return Evaluation(force.reshape(-1, 4)[:, :3], stored, touching[STORED], dissipation, taken, storing)

    def _add(self, crew: Crew, state: State, control: ControlArrays) -> tuple[float, Floats]:
        """Power [W] that the crew's forces give, and what its terms tell."""
        crew.bind_state(state)
        crew.bind_control(control)
        crew.begin_call()
        crew.forces[:] = 0.0
        for term, records in zip(crew.terms, crew.records, strict=True):
            term.prepare(state, records)
        return float(add_forces(crew.contexts[0].address)), np.asarray(crew.tallies.sum(axis=(0, 1)))


def evaluator_of(model: Model) -> Evaluator:
    """One for each model, as long as it lives."""
    return model.kept_with(Evaluator)
