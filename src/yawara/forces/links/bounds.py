"""How stiff, how viscous and how quick a link can be at most: what the largest stable step depends on."""

from dataclasses import dataclass

import numpy as np

from yawara.forces.links.constants import FLOW, FORCE_DEPENDENT, PARALLEL, SERIES
from yawara.forces.links.pack import LinkGroup
from yawara.model import Floats


@dataclass(frozen=True)
class LinkBounds:
    """Largest values that a link's law takes, whatever its state."""

    stiffness: Floats  # [N/m], (link_count,): df/dl at fixed memory
    viscosity: Floats  # [N s/m], (link_count,): df/d(ldot)
    slowest: Floats  # [1/s], (link_count,): smallest rate at which the memory follows
    quickest: Floats  # [1/s], (link_count,): largest


def link_bounds(group: LinkGroup) -> LinkBounds:
    """From the columns of the group's family."""
    column = group.coefficient
    if group.family == FLOW:
        rate = column[1] * column[3]
        return LinkBounds(column[1], column[2], rate, rate)
    if group.family == SERIES:
        rates = column[3::2] * column[1] + column[4::2]
        return LinkBounds(column[1], column[2], rates.min(axis=0), rates.sum(axis=0))
    if group.family == PARALLEL:
        return LinkBounds(column[1] + column[3::2].sum(axis=0), column[2], column[4::2].min(axis=0), column[4::2].max(axis=0))
    if group.family == FORCE_DEPENDENT:
        _, k1, c1, c_max, c_min, _, _ = column
        return LinkBounds(k1, c1, k1 / (c1 + c_max), k1 / (c1 + c_min))
    _, k, c1, c2, _ = column
    return LinkBounds(k, c1, np.zeros_like(k), k / (c1 + c2))
