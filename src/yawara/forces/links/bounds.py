"""The linear laws that a group of links can follow: what the largest stable step depends on."""

import math
from dataclasses import dataclass

import numpy as np

from yawara.forces.links.constants import FLOW, FORCE_DEPENDENT, LIMITED, PARALLEL, SERIES, TIE
from yawara.forces.links.pack import LinkGroup
from yawara.model import Floats


@dataclass(frozen=True)
class LinearLaw:
    """f = force . y and memory' = memory_rate . y for y = (extension, its rate, memories)."""

    force: Floats  # (2 + parts,): [N/m], [N s/m], [N/m]...
    memory_rate: Floats  # (parts, 2 + parts)


def stiffnesses(family: int, column: Floats) -> Floats:
    """(link_count,): each link's largest stiffness [N/m], 0 without springs, from the columns of its family."""
    stiffness: Floats = column[1] + column[3::2].sum(axis=0) if family == PARALLEL else column[1]
    return stiffness


def largest_coefficients(group: LinkGroup, *, step: float = math.inf) -> Floats:
    """(link_count,): how strong each link is: its largest stiffness [N/m], or viscosity [N s/m] if the law has no springs.

    With a `step` [s], as links of different laws are compared: by what they do in a step of that size [N/m].
    """
    stiffness = stiffnesses(group.family, group.coefficient)
    if math.isfinite(step):
        return joint_strength(stiffness, group.coefficient[2], step)
    return stiffness if stiffness.any() else group.coefficient[2]


def joint_strength(k: Floats, c: Floats, step: float | Floats) -> Floats:
    """[N/m], of springs [N/m] and dampers [N s/m] together: semi-implicit Euler is stable as long as dt^2 k/m + 2 dt c/m <= 4."""
    with np.errstate(over="ignore"):  # refused by those who use it
        strength: Floats = k + 2.0 * c / step
    return strength


def linear_laws(group: LinkGroup) -> list[tuple[int, LinearLaw]]:
    """(link, law) for every different kind of link in the group; several for one whose damper changes with the force."""
    if group.samples:
        return [(n, law) for n in group.samples for law in _laws_of_link(group, group.coefficient[:, n])]
    # Links that differ by a factor only (as many elements side by side) behave alike.
    rates = _per_strength(group)
    if (np.abs(rates - rates[:, :1]) <= 1e-6 * rates[:, :1]).all():  # nearly always, and quicker to find out than all kinds
        kinds = np.zeros(1, np.int64)
    else:
        _, kinds = np.unique(np.round(np.log(rates + 1e-300), 6), axis=1, return_index=True)
    return [(int(n), law) for n in kinds for law in _laws_of_link(group, group.coefficient[:, n])]


def _per_strength(group: LinkGroup) -> Floats:
    """Coefficients that are the same for links that differ by a factor: over their strength, or times it, or as they are."""
    strength, family = largest_coefficients(group), group.family
    columns = group.coefficient[1:4] if family == LIMITED else group.coefficient[1:]  # limits do not matter, see below
    rates = columns / strength
    if family in (
        FLOW,
        SERIES,
    ):  # a, b, phi_i, kappa_i: how fast it flows under a force falls with the factor, a rate does not change
        rates[2::2] = columns[2::2] * strength
        rates[3::2] = columns[3::2]
    elif family == PARALLEL:  # k, c, k_i, r_i
        rates[3::2] = columns[3::2]
    return rates


def _laws_of_link(group: LinkGroup, column: Floats) -> list[LinearLaw]:
    if group.family == FLOW:
        return [_series(column[1], column[2], column[3:4], np.zeros(1))]
    if group.family == TIE:
        return [_series(column[1], column[2], np.zeros(1), np.zeros(1))]
    if group.family == SERIES:
        return [_series(column[1], column[2], column[3::2], column[4::2])]
    if group.family == PARALLEL:
        return [_parallel(column[1], column[2], column[3::2], column[4::2])]
    if group.family == FORCE_DEPENDENT:
        _, k1, c1, c_max, c_min, f1, f2 = column
        # Where the damper softens, its rate f/c2(f) rises more steeply than f/c2: at f2 by 1 + B f2.
        steepest = c_min / (1.0 + np.log(c_max / c_min) / (f2 - f1) * f2)
        dampers = [c_max, c_min, steepest]
    else:
        # Sticking or stopped, slipping or free. A damper that slides along a limit leaves a share of the stopped law's force and
        # viscosity, as a slower mode does.
        _, k1, c1, c2 = column[:4]
        dampers = [np.inf, c2]
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
