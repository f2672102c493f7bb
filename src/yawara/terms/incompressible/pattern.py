"""Which entries the matrix A of all constraints has: rows are constraints, columns are points, each entry a gradient."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from yawara.kernels.kinds import Floats, Indices, Words
from yawara.terms.incompressible.groups import Group


class Pattern(NamedTuple):
    """What all threads share; see `Arrays` in kernels.py."""

    corner: Indices
    thickness: Floats
    member_first: Indices
    member: Indices
    place: Indices
    row: Indices
    entry_point: Indices
    column: Indices
    column_entry: Indices
    entry_row: Indices

    @property
    def element_count(self) -> int:
        return len(self.thickness)

    @property
    def constraint_count(self) -> int:
        return len(self.row) - 1


def pattern_of(groups: Sequence[Group], point_count: int) -> Pattern:
    corner = np.concatenate([_four(group.corner) for group in groups])
    thickness = np.concatenate([_thickness(group) for group in groups])
    member, member_first = _members(groups)
    owner = _owners(member_first)
    key, place = np.unique((owner[:, None] * point_count + corner[member]).ravel(), return_inverse=True)
    entry_row, entry_point = key // point_count, key % point_count
    column_entry = np.argsort(entry_point, kind="stable")
    column = np.searchsorted(entry_point[column_entry], np.arange(point_count + 1))
    row = np.searchsorted(entry_row, np.arange(len(member_first)))
    return Pattern(
        _small(corner), thickness, _small(member_first), _small(member), _small(place), _small(row), _small(entry_point),
        _small(column), _small(column_entry), _small(entry_row),
    )  # fmt: skip


def _small(numbers: Words) -> Indices:
    return numbers.ravel().astype(np.uint32)


def _four(corner: Words) -> Words:
    """A triangle's last corner stands twice: its second place has no gradient."""
    return corner if corner.shape[1] == 4 else corner[:, [0, 1, 2, 2]]


def _thickness(group: Group) -> Floats:
    """[m], of each element; 0 if it is a tetrahedron."""
    return np.full(len(group.corner), group.thickness if group.corner.shape[1] == 3 else 0.0)


def _members(groups: Sequence[Group]) -> tuple[Words, Words]:
    """Elements of each constraint, and where each one's begin."""
    first = np.cumsum([0, *(group.count for group in groups)])
    owner = np.concatenate([begin + group.of for group, begin in zip(groups, first[:-1], strict=True)])
    order = np.argsort(owner, kind="stable")
    return order, np.searchsorted(owner[order], np.arange(first[-1] + 1))


def rest_volumes(groups: Sequence[Group]) -> Floats:
    """[m^3], of each constraint."""
    return np.concatenate([np.bincount(group.of, group.volume) for group in groups])


def _owners(member_first: Words) -> Words:
    """Constraint of each member."""
    return np.repeat(np.arange(len(member_first) - 1), member_first[1:] - member_first[:-1])
