"""What is told of stress and strain at points: components, numbers that do not depend on axes, and the one list of fields.

Colours, probes, reports and files take names, units and components from here; `fields.py` finds the tensors themselves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from yawara.core.lines import SIX
from yawara.kernels.kinds import Floats

Measure = Callable[[Floats], Floats]  # from tensors (point_count, 3, 3) to numbers (point_count,)
SIX_NAMES = ("xx", "yy", "zz", "yz", "zx", "xy")


def trace(tensor: Floats) -> Floats:
    """Of a small strain, the change of volume over the volume."""
    return np.asarray(np.trace(tensor, axis1=1, axis2=2))


def pressure(stress: Floats) -> Floats:
    """[Pa]: minus the mean of the normal stresses."""
    return -trace(stress) / 3.0


def von_mises(stress: Floats) -> Floats:
    """[Pa]: sqrt(3/2 s : s) of the deviator s; in a bar that is pulled, the size of its stress."""
    return np.sqrt(1.5) * _size(_deviator(stress))


def equivalent_strain(strain: Floats) -> Floats:
    """sqrt(2/3 e : e) of the deviator e; in a bar that is pulled and keeps its volume, the size of its strain."""
    return np.sqrt(2.0 / 3.0) * _size(_deviator(strain))


def largest_principal(strain: Floats) -> Floats:
    """The size of the largest principal value; in a bar that is pulled, that of its strain."""
    return np.asarray(np.abs(np.linalg.eigvalsh(strain)).max(axis=1))


def _deviator(tensor: Floats) -> Floats:
    return np.asarray(tensor - trace(tensor)[:, None, None] / 3.0 * np.eye(3))


def _size(tensor: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("nij,nij->n", tensor, tensor)))


def _at(row: int, column: int) -> Measure:
    return lambda tensor: tensor[:, row, column]


_SIX: dict[str, Measure] = {name: _at(*place) for name, *place in zip(SIX_NAMES, *SIX, strict=True)}
STRESS: dict[str, Measure] = {**_SIX, "pressure": pressure, "equivalent": von_mises}
STRAIN: dict[str, Measure] = {**_SIX, "volumetric": trace, "equivalent": equivalent_strain, "largest": largest_principal}


@dataclass(frozen=True)
class Tensor:
    """A kind of tensor that every point has."""

    unit: str
    components: Mapping[str, Measure]


TENSORS = {"stress": Tensor("Pa", STRESS), "strain": Tensor("1", STRAIN), "residual_strain": Tensor("1", STRAIN)}


@dataclass(frozen=True)
class Shown:
    """What is shown as a field: a component of a tensor."""

    tensor: str
    component: str

    @property
    def unit(self) -> str:
        return TENSORS[self.tensor].unit

    def values(self, tensor: Floats) -> Floats:
        """(point_count,)"""
        return TENSORS[self.tensor].components[self.component](tensor)


FIELDS = {
    "residual strain": Shown("residual_strain", "largest"),
    "strain": Shown("strain", "largest"),
    "stress": Shown("stress", "equivalent"),
    "pressure": Shown("stress", "pressure"),
}


def six(tensor: Floats) -> Floats:
    """(point_count, 6): xx yy zz xy yz zx, as ParaView has symmetric tensors."""
    rows, columns = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])
    return tensor[:, rows, columns]
