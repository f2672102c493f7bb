"""Stress, strain and residual strain at the points of a model: the one source for colours, probes, reports and files.

Stress is Kirchhoff's, force times length over the volume at rest: a link with the tension f and the length l brings f l n n to the cells
around it, a pressure p in a cell of the volume V brings -p V. Points have the mean over the cells around them. In a body that deforms
evenly, along the axes of its grid, it is the stress of the material.

Strains are tensors fitted to what elements say along their directions at rest: n . eps . n = (l - l0)/l0, by least squares over the lines
of each point and, less, of its neighbours. Residual strain is the same for the length at which an element would be without force as its
internal variables are now: what stays if all load were taken away at once.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from yawara.core.crew import Crew, Needs
from yawara.core.lines import SIX, Lines
from yawara.core.model import Model
from yawara.core.state import State
from yawara.core.table import NOTES
from yawara.kernels.kinds import Floats
from yawara.methods.note import note_all
from yawara.methods.strain_fit import StrainFit
from yawara.methods.tensors import FIELDS

ROW, COLUMN = SIX


@dataclass(frozen=True)
class Field:
    """Numbers at points."""

    name: str
    unit: str
    values: Floats  # (point_count,), zero where there is no body


class Fields:
    """Of states of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @cached_property
    def _crew(self) -> Crew:
        """Only who asks for stresses needs its kernels."""
        return Crew(self.model, [term for term in self.model.terms if not term.by_impulse], Needs(NOTES, account=False))

    def stress(self, state: State) -> Floats:
        """[Pa], (point_count, 3, 3)"""
        crew, total = self._crew, np.zeros((self.model.point_count, 6))
        crew.bind_state(state)
        note_all(crew.contexts[0].address)
        for term, records in zip(crew.terms, crew.records, strict=True):
            found = term.stress(self.model, records[0], state)
            total += 0.0 if found is None else found
        return self._spread(_matrices(total))

    @cached_property
    def _lines(self) -> list[Lines]:
        return [lines for term in self.model.terms if (lines := term.lines(self.model.rest_position)) is not None]

    @cached_property
    def _fit(self) -> StrainFit:
        """From the strains of all lines to every point's tensor."""
        points, directions = (np.concatenate([getattr(one, name) for one in self._lines]) for name in ("points", "direction"))
        return StrainFit(self.model.point_count, points, directions)

    def strain(self, state: State) -> Floats:
        """(point_count, 3, 3), of the whole deformation."""
        return self._fitted(np.concatenate([one.strain(state) for one in self._lines])) if self._lines else self._nothing()

    def residual_strain(self, state: State) -> Floats:
        """(point_count, 3, 3)"""
        return self._fitted(np.concatenate([one.residual(state) for one in self._lines])) if self._lines else self._nothing()

    def _nothing(self) -> Floats:
        return np.zeros((self.model.point_count, 3, 3))

    def _fitted(self, strains: Floats) -> Floats:
        return self._spread(_matrices(self._fit(strains)))

    def _spread(self, values: Floats) -> Floats:
        """Nodes without mass have what those have that carry them."""
        for carriers in self._carriers:
            nodes = np.flatnonzero(np.diff(carriers.indptr))
            values[nodes] = (carriers[nodes] @ values.reshape(len(values), -1)).reshape(-1, *values.shape[1:])
        return values

    @cached_property
    def _carriers(self) -> list[csr_array]:
        count = self.model.point_count
        return [found for term in self.model.terms if (found := term.carriers(count)) is not None]

    def tensor(self, name: str, state: State) -> Floats:
        """(point_count, 3, 3), by its name in TENSORS."""
        find = {"stress": self.stress, "strain": self.strain, "residual_strain": self.residual_strain}
        return find[name](state)

    def of(self, name: str, state: State) -> Field:
        """By its name in FIELDS."""
        shown = FIELDS[name]
        return Field(name, shown.unit, shown.values(self.tensor(shown.tensor, state)))


def _matrices(six: Floats) -> Floats:
    """(n, 3, 3) from (n, 6)."""
    result = np.empty((len(six), 3, 3))
    result[:, ROW, COLUMN] = six
    result[:, COLUMN, ROW] = six
    return result


def fields_of(model: Model) -> Fields:
    """One for each model, as long as it lives."""
    return model.kept_with(Fields)
