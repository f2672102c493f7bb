"""The tangent of all force terms as an operator on velocities, M^-1 B u, and the modes that it stretches most."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from yawara.core.model import Model
from yawara.core.state import State
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Floats, Words
from yawara.methods.products import Products

NOISES = 61  # a prime, so that looks at regular times see all of them


class Operator:
    """How products with the tangent stretch each body's part of a vector; vectors have four entries for each point."""

    def __init__(self, model: Model, first_point: Words) -> None:
        """`first_point` (body_count,), of each body; bodies share no points."""
        self.model, self.body_count = model, len(first_point)
        self._first = np.append(4 * first_point, 4 * model.point_count).astype(np.int64)
        # what may touch at any time is in the vibrations from the start, and not looked at again
        self.terms = [term for term in model.terms if not term.by_impulse]
        self._products = Products(model, self.terms, everyone=True)
        self._noises: dict[int, Floats] = {}
        self._remembered: dict[tuple[str, int], tuple[bytes, tuple[Floats, Floats]]] = {}
        self.take_masses()

    def take_masses(self) -> None:
        """As they are in the model now."""
        point = self.model.point
        self.mass, self._inverse_mass = (np.repeat(values, 4) for values in (point.mass, point.inverse_mass))

    def remembered(
        self, name: tuple[str, int], arrays: Sequence[Floats], find: Callable[[], tuple[Floats, Floats]]
    ) -> tuple[Floats, Floats]:
        """What was found last under this name for the same numbers; it must follow from them alone."""
        key = b"".join(array.tobytes() for array in arrays)
        if name not in self._remembered or self._remembered[name][0] != key:
            self._remembered[name] = key, find()
        return self._remembered[name][1]

    def products(self, u: Floats, v: Floats) -> Floats:
        """Of each body's parts, in the norm in which the operator is symmetric."""
        with np.errstate(over="ignore", invalid="ignore"):  # noticed by those who use them
            return np.add.reduceat(self.mass * u * v, self._first[:-1])

    def unit(self, u: Floats) -> Floats:
        """With each body's part of length 1 in that norm."""
        return u / np.repeat(np.sqrt(self.products(u, u)) + 1e-300, np.diff(self._first))

    def noise(self, seed: int) -> Floats:
        """One of a few vectors that look into all directions."""
        seed %= NOISES
        if seed not in self._noises:
            noise = np.random.default_rng(seed).standard_normal((self.model.point_count, 4))
            noise[:, 3] = 0.0
            self._noises[seed] = noise.reshape(-1)
        return self._noises[seed]

    def linearise(self, state: State, ahead: float) -> None:
        """Take the tangent of the state as it is, of a step of `ahead` [s]."""
        self._products.linearise(state, ahead)

    @property
    def stiffenings(self) -> Floats:
        """(term_count,), of all terms of the model, see `products.py`."""
        found = dict(zip(map(id, self.terms), self._products.stiffenings, strict=True))
        return np.array([found.get(id(term), 0.0) for term in self.model.terms])

    def assume(self, state: State, term: ForceTerm, tangent: Mapping[str, Floats]) -> None:
        """Take these arrays for the tangent of one term, and nothing of all others."""
        self._products.bind(state)
        self.keep_only(term)
        for name, values in tangent.items():
            self._products.record_of(term).values[name][:] = values

    def keep_only(self, term: ForceTerm) -> None:
        """Of the tangent that was taken last."""
        for other in self.terms:
            if other is not term:
                for name in other.tangent:
                    self._products.record_of(other).values[name][:] = 0.0

    def iterate(self, u: Floats, steps: int = 1, noise: Floats | None = None, share: float = 0.0) -> tuple[Floats, Floats]:
        """What `steps` of a power iteration make of a vector, and by how much the last one lengthened each body's part.

        Of one step without a share of noise: M^-1 B times each body's part, made one long.
        """
        found = u.reshape(-1).copy()
        growth = self._products.iterate(
            self.mass, self._inverse_mass, self._first, found, found if noise is None else noise, share, steps
        )
        return found, growth
