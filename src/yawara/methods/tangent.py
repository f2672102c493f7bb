"""The tangent of a model at the present state as a sparse matrix, for solvers that factorise.

Every kind of element is known by its products alone: what a matrix does to vectors that are 1 at some points and 0 at all others, points so
far apart that no row sees two of them, tells all its entries (Curtis, Powell and Reid 1974). So a room that has a product has a matrix,
and they cannot differ. Terms whose elements reach all points at once (a pressure in a whole body) would fill it; they are kept apart as a
few columns: B = S + V V^T.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array, eye_array

from yawara.core.model import Model
from yawara.core.state import State
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Floats, Words
from yawara.methods.products import Products

NOTHING = 1e-14  # of the largest: eigenvalues of the few columns that are rounding


@dataclass(frozen=True)
class Assembled:
    """B = S + V V^T [N s/m]: three rows for every point; those of nodes without mass are empty, as their hosts have their part."""

    sparse: csr_array  # S, (3 point_count, 3 point_count)
    columns: Floats  # V, (3 point_count, few)

    def dense(self) -> Floats:
        return np.asarray(self.sparse.todense() + self.columns @ self.columns.T)

    def factorised(self, diagonal: Floats) -> Callable[[Floats], Floats]:
        """What solves (D + B) x = b, D (3 point_count,) being positive; columns by the formula of Sherman, Morrison and Woodbury."""
        from scipy.sparse.linalg import splu

        inner, V = splu((diags_array(diagonal) + self.sparse).tocsc()).solve, self.columns
        if not V.shape[1]:
            return inner
        through = inner(V)
        small = np.eye(V.shape[1]) + V.T @ through
        return lambda b: inner(b) - through @ np.linalg.solve(small, V.T @ inner(b))


class Tangent:
    """Assembles the tangent of states of one model: all that bodies do; contacts come and go, and are not in it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        terms = [term for term in model.terms if not term.by_impulse]
        self._near = [term for term in terms if not term.rank]
        self._far = [term for term in terms if term.rank or term.hands_on]
        self._near_products, self._far_products = Products(model, self._near), Products(model, self._far)

    def at(self, state: State, ahead: float) -> Assembled:
        """Of the state as it is, for a step of `ahead` [s]: ahead times the stiffness, plus the viscosity."""
        self._near_products.linearise(state, ahead)
        self._far_products.linearise(state, ahead)
        return Assembled(self._sparse(), self._columns())

    def _sparse(self) -> csr_array:
        size, axes = 3 * self.model.point_count, np.arange(3)
        rows, columns, values = ([np.zeros(0, kind)] for kind in (np.int64, np.int64, np.float64))
        for members, row, column in self._groups:
            for axis in range(3):
                direction = np.zeros((self.model.point_count, 3))
                direction[members, axis] = 1.0
                found = self._near_products.of(direction)
                rows.append((3 * row[:, None] + axes).ravel())
                columns.append(np.repeat(3 * column + axis, 3))
                values.append(found[row].ravel())
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return csr_array(coo_array(entries, shape=(size, size)))

    @cached_property
    def _groups(self) -> list[tuple[Words, Words, Words]]:
        """(points, rows, columns): points that are probed together, and the pairs of points that such a probe tells of."""
        pairs = coupling(self.model, self._near)
        colour = colours(pairs)
        row, column = pairs.nonzero()
        order = np.argsort(colour[column], kind="stable")
        cuts = np.searchsorted(colour[column][order], np.arange(1, colour.max(initial=-1) + 1))
        return [(np.unique(column[part]), row[part], column[part]) for part in np.split(order, cuts) if len(part)]

    def _columns(self) -> Floats:
        """V by as many products as there are columns: with W = B U, B = W (U^T W)^-1 W^T if no more than that is in it."""
        rank, size = sum(term.rank for term in self._far), 3 * self.model.point_count
        if not rank:
            return np.zeros((size, 0))
        probes = np.random.default_rng(0).standard_normal((rank, self.model.point_count, 3))
        W = np.stack([self._far_products.of(probe).ravel() for probe in probes], axis=1)
        value, vector = np.linalg.eigh(probes.reshape(rank, size) @ W)
        kept = value > NOTHING * value.max(initial=0.0)
        return np.asarray(W @ vector[:, kept] / np.sqrt(value[kept]))


def coupling(model: Model, terms: Sequence[ForceTerm]) -> csr_array:
    """(point_count, point_count): pairs of points with mass that elements join; those without are replaced by their hosts."""
    count = model.point_count
    elements = [np.asarray(one, np.int64) for term in terms for one in term.stencils(count)]
    rows = np.cumsum([0, *(len(one) for one in elements)])
    row = [np.repeat(np.arange(first, first + len(one)), one.shape[1]) for first, one in zip(rows[:-1], elements, strict=True)]
    column = np.concatenate([np.zeros(0, np.int64), *(one.ravel() for one in elements)])
    joined = csr_array(
        coo_array((np.ones(len(column)), (np.concatenate([np.zeros(0, np.int64), *row]), column)), (rows[-1], count))
    )
    for carriers in _carriers(model, terms):
        joined = joined @ abs(carriers)
    pairs = (joined.T @ joined).tocsr()
    has_mass = diags_array((model.point.mass > 0.0).astype(float))
    return csr_array(has_mass @ pairs @ has_mass)


def _carriers(model: Model, terms: Sequence[ForceTerm]) -> Iterator[csr_array]:
    for term in terms:
        if (found := term.carriers(model.point_count)) is not None:
            carried = np.bincount(found.nonzero()[0], minlength=model.point_count) > 0
            yield csr_array(found + eye_array(model.point_count) - diags_array(carried.astype(float)))


def colours(pairs: csr_array) -> Words:
    """A number for each point, so that no row sees two points of the same one; greedily."""
    conflicts = csr_array(pairs.T @ pairs)
    found = np.full(pairs.shape[0], -1, np.int64)
    for point in range(len(found)):
        near = conflicts.indices[conflicts.indptr[point] : conflicts.indptr[point + 1]]
        if len(near):
            taken = np.bincount(found[near] + 1, minlength=2)[1:]  # those without a number yet do not count
            free = np.flatnonzero(taken == 0)
            found[point] = free[0] if len(free) else len(taken)
    return found
