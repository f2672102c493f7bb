"""Products of the tangent of some force terms with vectors, in one thread: what the watch on the stable step and matrices are made of."""

from collections.abc import Sequence

import numpy as np

from yawara.core.context import STIFFENED
from yawara.core.crew import Crew, Needs
from yawara.core.model import Model
from yawara.core.state import State
from yawara.core.table import TANGENT
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Floats, Words
from yawara.kernels.records import Bound
from yawara.methods.implicit import linearise, multiply
from yawara.methods.power import iterate


class Products:
    """Of the tangent that was taken last, of these terms together."""

    def __init__(self, model: Model, terms: Sequence[ForceTerm], *, everyone: bool = False) -> None:
        """With `everyone`, elements that may begin to act count as acting."""
        self._crew = Crew(model, terms, Needs(TANGENT, needs_tangent=True, account=False))
        self._context = self._crew.contexts[0]
        self._context.put("everyone", int(everyone))

    def bind(self, state: State) -> None:
        self._crew.bind_state(state)

    def linearise(self, state: State, ahead: float) -> None:
        """Take the tangent of the state as it is, of a step of `ahead` [s]."""
        self.bind(state)
        for term, records in zip(self._crew.terms, self._crew.records, strict=True):
            term.prepare(state, records)
        self._context.put("ahead", ahead)
        self._crew.tallies[:, :, STIFFENED] = 0.0
        linearise(self._context.address)

    @property
    def stiffenings(self) -> Floats:
        """(term_count,): largest stiffness of an element over that at rest, where the tangent was taken; 0 if a term does not note it."""
        return self._crew.tallies[:, 0, STIFFENED].copy()

    def record_of(self, term: ForceTerm) -> Bound:
        """What the term's kernels see; its tangent is in there."""
        return self._crew.records[self._crew.terms.index(term)][0]

    def of(self, u: Floats) -> Floats:
        """(point_count, 3) [N], of velocities (point_count, 3) [m/s]; nothing for nodes without mass, as their hosts have their part."""
        self._crew.direction.reshape(-1, 4)[:, :3] = u
        multiply(self._context.address)
        massive = self._crew.model.point.mass[:, None] > 0.0
        return np.where(massive, self._crew.forces.reshape(-1, 4)[:, :3], 0.0)

    def iterate(
        self, mass: Floats, inverse_mass: Floats, first: Words, u: Floats, noise: Floats, share: float, steps: int
    ) -> Floats:
        """Steps of a power iteration, in place; returns the growth of each body's part in the last one. See `power.py`."""
        growth = np.zeros(len(first) - 1)
        iterate(self._context.address, mass, inverse_mass, first, u, noise, share, steps, growth)
        return growth
