"""The linear laws that a group of links can follow: what the largest stable step depends on."""

from dataclasses import dataclass

import numpy as np

from yawara.forces.links.constants import FLOW, FORCE_DEPENDENT, PARALLEL, SERIES
from yawara.forces.links.pack import LinkGroup
from yawara.model import Floats

LARGEST_VARIETY = 64  # different laws in one group that are looked at


@dataclass(frozen=True)
class LinearLaw:
    """f = force . y and memory' = memory_rate . y for y = (extension, its rate, memories)."""

    force: Floats  # (2 + parts,): [N/m], [N s/m], [N/m]...
    memory_rate: Floats  # (parts, 2 + parts)

    @property
    def stiffness(self) -> float:
        """[N/m], at fixed memory."""
        return float(self.force[0])

    @property
    def viscosity(self) -> float:
        """[N s/m]"""
        return float(self.force[1])


def stiffnesses(group: LinkGroup) -> Floats:
    """[N/m], (link_count,): df/dl at fixed memory."""
    column = group.coefficient
    return column[1] + column[3::2].sum(axis=0) if group.family == PARALLEL else column[1]


def viscosities(group: LinkGroup) -> Floats:
    """[N s/m], (link_count,): df/d(ldot) at most."""
    return group.coefficient[2]


def linear_laws(group: LinkGroup) -> list[LinearLaw]:
    """Of every different kind of link in the group; several for a link whose damper changes with the force."""
    # Links that differ by a factor only (as many elements side by side) behave alike.
    scale = np.maximum(stiffnesses(group), viscosities(group))
    kinds = {
        tuple(np.round(np.log(column + 1e-300), 6)): n for n, column in enumerate((group.coefficient[1:] / scale).T[:100_000])
    }
    return [law for n in list(kinds.values())[:LARGEST_VARIETY] for law in _laws_of_link(group, group.coefficient[:, n])]


def _laws_of_link(group: LinkGroup, column: Floats) -> list[LinearLaw]:
    if group.family == FLOW:
        return [_series(column[1], column[2], column[3:4], np.zeros(1))]
    if group.family == SERIES:
        return [_series(column[1], column[2], column[3::2], column[4::2])]
    if group.family == PARALLEL:
        return [_parallel(column[1], column[2], column[3::2], column[4::2])]
    if group.family == FORCE_DEPENDENT:
        _, k1, c1, c_max, c_min, _, _ = column
        dampers = [c_max, c_min]
    else:
        _, k1, c1, c2, _ = column
        dampers = [np.inf, c2]  # sticking, slipping
    return [_series(k1 / (1 + c1 / c2), c1 / (1 + c1 / c2), np.array([1 / c2]), np.zeros(1)) for c2 in dampers]


def _series(a: float, b: float, phi: Floats, kappa: Floats) -> LinearLaw:
    """As in series.py: f = a (d - sum e_i) + b (ldot + sum kappa_i e_i), e_i' = phi_i f - kappa_i e_i."""
    force = np.concatenate([[a, b], b * kappa - a])
    own = np.concatenate([np.zeros((len(phi), 2)), np.diag(kappa)], axis=1)
    return LinearLaw(force, np.outer(phi, force) - own)


def _parallel(k: float, c: float, arm: Floats, rate: Floats) -> LinearLaw:
    """As in parallel.py: f = k d + c ldot + sum k_i (d - q_i), q_i' = r_i (d - q_i)."""
    force = np.concatenate([[k + arm.sum(), c], -arm])
    return LinearLaw(force, np.concatenate([rate[:, None], np.zeros((len(rate), 1)), -np.diag(rate)], axis=1))
