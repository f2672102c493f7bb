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
    share: Floats
    row: Indices
    entry_point: Indices
    column: Indices
    column_entry: Indices
    entry_row: Indices

    @property
    def element_count(self) -> int:
        return len(self.thickness)

    @property
    def count(self) -> int:
        """Of constraints."""
        return len(self.share)


def pattern_of(groups: Sequence[Group], point_count: int) -> Pattern:
    corner = np.concatenate([_four(group.corner) for group in groups])
    thickness = np.concatenate([_thickness(group) for group in groups])
    member, member_first, share = _members(groups)
    owner = np.repeat(np.arange(len(share)), np.diff(member_first))
    key, place = np.unique((owner[:, None] * point_count + corner[member]).ravel(), return_inverse=True)
    entry_row, entry_point = key // point_count, key % point_count
    column_entry = np.argsort(entry_point, kind="stable")
    column = np.searchsorted(entry_point[column_entry], np.arange(point_count + 1))
    row = np.searchsorted(entry_row, np.arange(len(share) + 1))
    small = (corner.ravel(), member_first, member, place, row, entry_point, column, column_entry, entry_row)
    corner, member_first, member, place, row, entry_point, column, column_entry, entry_row = (
        np.ascontiguousarray(one, np.uint32) for one in small
    )
    return Pattern(
        corner, thickness, member_first, member, place.ravel(), share, row, entry_point, column, column_entry, entry_row
    )


def _four(corner: Words) -> Words:
    """A triangle's last corner stands twice: its second place has no gradient."""
    return corner if corner.shape[1] == 4 else corner[:, [0, 1, 2, 2]]


def _thickness(group: Group) -> Floats:
    """[m], of each element; 0 if it is a tetrahedron."""
    return np.full(len(group.corner), group.thickness if group.corner.shape[1] == 3 else 0.0)


def _members(groups: Sequence[Group]) -> tuple[Words, Words, Floats]:
    """Elements of each constraint, where each one's begin, and how much of an element counts."""
    elements = np.cumsum([0, *(len(group.of) for group in groups)])
    constraints = np.cumsum([0, *(group.count for group in groups)])
    element = np.concatenate(
        [first + np.repeat(np.arange(len(group.of)), group.of.shape[1]) for group, first in zip(groups, elements[:-1], strict=True)]
    )
    owner = np.concatenate([first + group.of.ravel() for group, first in zip(groups, constraints[:-1], strict=True)])
    order = np.argsort(owner, kind="stable")
    member_first = np.searchsorted(owner[order], np.arange(constraints[-1] + 1))
    share = np.concatenate([np.full(group.count, 1.0 / group.of.shape[1]) for group in groups])
    return element[order], member_first, share


def rest_volumes(groups: Sequence[Group], pattern: Pattern) -> Floats:
    """[m^3], of each constraint."""
    volume = np.concatenate([group.volume for group in groups])[pattern.member]
    owner = np.repeat(np.arange(pattern.count), np.diff(pattern.member_first.astype(np.int64)))
    return pattern.share * np.bincount(owner, volume, minlength=pattern.count)
