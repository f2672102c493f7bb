"""Elements of all bodies in the arrays that kernels read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yawara.kernels.kinds import Booleans, Floats, Indices, Words
from yawara.terms.linear_elements.constants import Kind
from yawara.terms.linear_elements.groups import Group


class Columns(NamedTuple):
    """Coefficients of all laws; arms that a law has not are 0, and do nothing."""

    spring: Floats  # [Pa], (laws * element_count,)
    damper: Floats  # [Pa s], (laws * element_count,)
    arm: Floats  # [Pa], (laws * arms * element_count,)
    decay: Floats  # [1/s], (laws * arms * element_count,)


@dataclass(frozen=True)
class Packed:
    """Elements of one kind, body after body, sorted by lowest corner."""

    corner: Indices  # (element_count, corners)
    gradient: Floats  # [1/m], (element_count, slots)
    volume: Floats  # [m^3], (element_count,)
    keeps_thickness: Booleans  # (element_count,)
    law: Columns
    arms: int

    @property
    def nbytes(self) -> int:
        return sum(one.nbytes for one in (self.corner, self.gradient, self.volume, *self.law))

    @property
    def lowest(self) -> Words:
        return self.corner.min(axis=1).astype(np.int64)

    def same_elements(self, other: "Packed") -> bool:
        return np.array_equal(self.corner, other.corner) and np.array_equal(self.gradient, other.gradient)

    def take(self, fresh: "Packed") -> None:
        """The numbers of the same elements with other laws."""
        for old, new in zip(
            (self.volume, self.keeps_thickness, *self.law), (fresh.volume, fresh.keeps_thickness, *fresh.law), strict=True
        ):
            old[:] = new


def pack(kind: Kind, groups: Sequence[Group | None]) -> Packed:
    own = [group for group in groups if group is not None]
    arms = max(len(law.arm) for group in own for laws in group.laws for law in laws)
    columns = [_columns(group, arms) for group in own]
    return Packed(
        np.concatenate([group.corner for group in own]).astype(np.uint32),
        np.concatenate([group.gradient for group in own]),
        np.concatenate([group.volume for group in own]),
        np.concatenate([np.full(len(group.corner), group.keeps_thickness) for group in own]),
        Columns(*(np.concatenate(column) for column in zip(*columns, strict=True))),
        arms,
    )


def _columns(group: Group, arms: int) -> Columns:
    """Of one body's elements, by the numbers of their laws."""
    table = np.zeros((len(group.laws), group.kind.laws, 2 + 2 * arms))
    for row, laws in zip(table, group.laws, strict=True):
        for place, law in zip(row, laws, strict=True):
            place[:2] = law.spring, law.damper
            place[2 : 2 + len(law.arm)] = law.arm
            place[2 + arms : 2 + arms + len(law.rate)] = law.rate
    found = table[group.law]
    return Columns(*(found[:, :, part].ravel() for part in (0, 1, slice(2, 2 + arms), slice(2 + arms, None))))
