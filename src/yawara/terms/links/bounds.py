"""What links mean for the stable step: how strong each is, and the linear responses that it can have."""

import math
from collections.abc import Sequence

import numpy as np

from yawara.core.contribution import Contribution, Kinds
from yawara.core.response import Response, joint_strength
from yawara.kernels.kinds import Floats, Words
from yawara.terms.links.pack import LinkGroup, PackedGroup

PackedLinks = Sequence[tuple[LinkGroup, PackedGroup]]  # of one body


def strengths(group: LinkGroup, *, step: float = math.inf) -> Floats:
    """(link_count,): how strong each link is: its largest stiffness [N/m], or viscosity [N s/m] if the law has no springs.

    With a `step` [s], as links of different laws are compared: by what they do in a step of that size [N/m].
    """
    stiffness, viscosity = group.family.instant(group.column)
    if math.isfinite(step):
        return joint_strength(stiffness, viscosity, step)
    return np.broadcast_to(stiffness if np.any(stiffness) else viscosity, len(group.links))


def responses(group: LinkGroup) -> list[tuple[int, Response]]:
    """(link, response) for every different kind of link in the group; several for one whose damper changes with the force."""
    kinds = group.samples or _kinds(group)
    return [(n, one) for n in kinds for one in group.family.responses({name: float(v[n]) for name, v in group.column.items()})]


def _kinds(group: LinkGroup) -> list[int]:
    """One link of each; those that differ by a factor only (as many elements side by side) behave alike."""
    strength, columns = strengths(group), group.columns
    rates = np.array([group.column[one.name] / strength**one.power for one in columns if one.power is not None])
    if (np.abs(rates - rates[:, :1]) <= 1e-6 * rates[:, :1]).all():  # nearly always, and quicker to find out than all kinds
        return [0]
    _, kinds = np.unique(np.round(np.log(rates + 1e-300), 6), axis=1, return_index=True)
    return [int(n) for n in kinds]


def contribution(slot_count: int, bodies: Sequence[PackedLinks], steps: Sequence[float], *, across: bool = False) -> Contribution:
    """The links of each body; `steps` [s] from `reference_step`. Those of no length and no direction are as stiff `across`."""
    slope, transverse = np.zeros(slot_count), np.zeros(slot_count)
    kinds: list[Kinds] = []
    for groups, step in zip(bodies, steps, strict=True):
        found: list[tuple[float, Response]] = []
        for group, place in groups:
            strength = strengths(group, step=step)
            slope[place.slot] = strength
            transverse[place.slot] = strength if across else 0.0
            found += [(float(strength[link]), response) for link, response in responses(group)]
        kinds.append(tuple(found))
    return Contribution({"slope": slope, "transverse": transverse}, tuple(kinds))


def reference_step(groups: Sequence[LinkGroup], inverse_mass: Floats) -> float:
    """[s], about the largest stable step of a body with several laws; infinite with one, where only ratios of strengths count.

    Any value is safe. The nearer it is, the less of the stable step is given away.
    """
    if not any(group.samples for group in groups):
        return math.inf
    ends: Words = np.concatenate([group.links for group in groups])
    sums = []
    for which in (0, 1):
        values = np.concatenate(
            [np.broadcast_to(group.family.instant(group.column)[which], len(group.links)) for group in groups]
        )
        sums.append(inverse_mass * sum(np.bincount(end, values, len(inverse_mass)) for end in ends.T))
    # the largest eigenvalues are about the sums over the links of a point; dt^2 k + 2 dt c = 4 solved for dt
    k, c = sums
    return float(4.0 / (c + np.hypot(c, 2.0 * np.sqrt(k))).max())
