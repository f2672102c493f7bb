"""The tangent of all force terms as an operator on velocities: M^-1 B u, in one thread."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from yawara.core.crew import Crew, Needs
from yawara.core.model import Model
from yawara.core.state import State
from yawara.core.table import TANGENT
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Floats, Words
from yawara.methods.implicit import linearise, multiply

NOISES = 61  # a prime, so that looks at regular times see all of them


class Operator:
    """Products with the tangent, and how they stretch each body's part of a vector."""

    def __init__(self, model: Model, first_point: Words) -> None:
        """`first_point` (body_count,), of each body; bodies share no points."""
        self.model, self.first = model, 4 * first_point
        # what may touch at any time is in the vibrations from the start, and not looked at again
        self.terms = [term for term in model.terms if not term.by_impulse]
        self._crew = Crew(model, self.terms, Needs(TANGENT, needs_tangent=True, account=False))
        self._context = self._crew.contexts[0]
        self._context.put("everyone", 1)
        self.count = np.diff(np.append(self.first, 4 * model.point_count))
        self._noises: dict[int, Floats] = {}
        self._remembered: dict[tuple[str, int], tuple[bytes, tuple[Floats, Floats]]] = {}
        self.take_masses()

    def take_masses(self) -> None:
        """As they are in the model now."""
        self._noises.clear()
        self.mass, self._inverse_mass = (
            np.repeat(values, 4) for values in (self.model.point.mass, self.model.point.inverse_mass)
        )

    def remembered(
        self, name: tuple[str, int], arrays: Sequence[Floats], find: Callable[[], tuple[Floats, Floats]]
    ) -> tuple[Floats, Floats]:
        """What was found last under this name for the same numbers; it must follow from them alone."""
        key = b"".join(array.tobytes() for array in arrays)
        if name not in self._remembered or self._remembered[name][0] != key:
            self._remembered[name] = key, find()
        return self._remembered[name][1]

    def norms(self, u: Floats) -> Floats:
        """Of each body's part, in the norm in which the operator is symmetric."""
        with np.errstate(over="ignore", invalid="ignore"):  # noticed by those who use them
            return np.sqrt(self.products(u, u))

    def products(self, u: Floats, v: Floats) -> Floats:
        """Of each body's parts, in the same norm."""
        with np.errstate(over="ignore", invalid="ignore"):
            if len(self.first) == 1:  # nearly always, and quicker: this is called while hands wait
                return np.array([np.sum(self.mass * u * v)])
            return np.add.reduceat(self.mass * u * v, self.first)

    def unit(self, u: Floats) -> Floats:
        norms = self.norms(u) + 1e-300
        return u / (norms if len(norms) == 1 else np.repeat(norms, self.count))

    def noise(self, seed: int) -> Floats:
        """One of a few unit vectors that look into all directions."""
        seed %= NOISES
        if seed not in self._noises:
            noise = np.random.default_rng(seed).standard_normal((self.model.point_count, 4))
            noise[:, 3] = 0.0
            self._noises[seed] = self.unit(noise.reshape(-1))
        return self._noises[seed]

    def linearise(self, state: State, ahead: float) -> None:
        """Take the tangent of the state as it is, of a step of `ahead` [s]."""
        self._crew.bind_state(state)
        for term, records in zip(self._crew.terms, self._crew.records, strict=True):
            term.prepare(state, records)
        self._context.put("ahead", ahead)
        linearise(self._context.address)

    def assume(self, state: State, term: ForceTerm, tangent: Mapping[str, Floats]) -> None:
        """Take these arrays for the tangent of one term, and nothing of all others."""
        self._crew.bind_state(state)
        self.keep_only(term)
        records = self._crew.records[self.terms.index(term)]
        for name, values in tangent.items():
            records[0].values[name][:] = values

    def keep_only(self, term: ForceTerm) -> None:
        """Of the tangent that was taken last."""
        for other, records in zip(self.terms, self._crew.records, strict=True):
            if other is not term:
                for name in other.tangent:
                    records[0].values[name][:] = 0.0

    def turn(self, u: Floats) -> tuple[Floats, Floats]:
        """M^-1 B u, and by how much it lengthened each body's part."""
        crew, before = self._crew, self.norms(u)
        crew.direction[:] = u
        multiply(self._context.address)
        result = crew.forces * self._inverse_mass
        crew.forces[:] = 0.0
        return result, self.norms(result) / (before + 1e-300)
