"""What linear elements mean for the stable step: how strong each is, and the linear responses that it can have.

Where lambda and mu follow the same law in time, as those of a material do, an element has one response. Elsewhere the two are taken as if
their highest modes fell together, which errs to the safe side.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from yawara.core.contribution import Contribution, Kinds
from yawara.core.response import joint_strength, parallel_response
from yawara.kernels.kinds import Floats
from yawara.terms.linear_elements.branches import Branches
from yawara.terms.linear_elements.groups import Group, Laws

Groups = Sequence[Group | None]  # one for each body
Shares = Callable[
    [Laws], tuple[tuple[float, ...], Branches] | None
]  # shares of an element's laws in a response, and that response


def contributions(groups: Groups, steps: Sequence[float]) -> list[Contribution]:
    """Of all bodies; `steps` [s] are those of reference."""
    found = [_contribution(groups, steps, one) for one in (_together, _of_volume, _of_shape)]
    return [one for one in found if any(one.kinds)]


def _together(laws: Laws) -> tuple[tuple[float, ...], Branches] | None:
    ratio = laws[0].ratio_to(laws[-1])
    if ratio is None:
        return None
    return ((ratio, 1.0) if len(laws) > 1 else (1.0,)), laws[-1]


def _of_volume(laws: Laws) -> tuple[tuple[float, ...], Branches] | None:
    return None if _together(laws) is not None else ((1.0, 0.0), laws[0])


def _of_shape(laws: Laws) -> tuple[tuple[float, ...], Branches] | None:
    return None if _together(laws) is not None else ((0.0, 1.0), laws[-1])


def _contribution(groups: Groups, steps: Sequence[float], shares: Shares) -> Contribution:
    slopes, kinds = [np.zeros(0)], list[Kinds]()
    for group, step in zip(groups, steps, strict=True):
        if group is None:
            kinds.append(())
            continue
        slope, own = np.zeros((len(group.laws), group.kind.laws)), []
        for n, laws in enumerate(group.laws):
            found = shares(laws) if n in group.law else None
            if found is not None and (strength := strength_of(found[1], step)) > 0.0:
                slope[n] = np.array(found[0]) * strength
                own.append((strength, found[1]))
        kinds.append(_responses(own))
        slopes.append(slope[group.law].ravel())
    return Contribution({"slope": np.concatenate(slopes)}, tuple(kinds))


def _responses(laws: Sequence[tuple[float, Branches]]) -> Kinds:
    return tuple(
        (strength, parallel_response(law.spring, law.damper, np.array(law.arm), np.array(law.rate)))
        for strength, law in dict.fromkeys(laws)
    )


def strength_of(law: Branches, step: float) -> float:
    """Its largest modulus [Pa], or viscosity [Pa s] if it has no spring; with a finite step what both do in it."""
    if math.isfinite(step):
        return float(joint_strength(np.array(law.at_once), np.array(law.damper), step))
    return law.at_once if law.at_once > 0.0 else law.damper


def reference_step(group: Group | None, inverse_mass: Floats) -> float:
    """[s], about the largest stable step of a body with several laws; infinite with one, where only ratios of strengths count.

    Any value is safe. The nearer it is, the less of the stable step is given away.
    """
    if group is None or len(np.unique(group.law)) < 2:
        return math.inf
    k, c = (_on_points(group, np.array([_longitudinal(laws, name) for laws in group.laws]), inverse_mass) for name in NAMES)
    # the largest eigenvalues are about the sums over the elements of a point; dt^2 k + 2 dt c = 4 solved for dt
    return float(4.0 / (c + np.hypot(c, 2.0 * np.sqrt(k))).max())


NAMES = ("at_once", "damper")


def _longitudinal(laws: Laws, name: str) -> float:
    """lambda + 2 mu; in a row of points Young's modulus."""
    values = [float(getattr(law, name)) for law in laws]
    return values[0] + 2.0 * sum(values[1:])


def _on_points(group: Group, modulus: Floats, inverse_mass: Floats) -> Floats:
    """Stiffness over mass [1/s^2], or viscosity over mass, that the elements around each point have: V M |gradient|^2."""
    corners = group.kind.corners
    rows = group.gradient.reshape(len(group.corner), corners - 1, -1)
    gradients = np.concatenate([-rows.sum(axis=1, keepdims=True), rows], axis=1)
    values = (group.volume * modulus[group.law])[:, None] * (gradients**2).sum(axis=2)
    return inverse_mass * np.bincount(group.corner.ravel(), values.ravel(), minlength=len(inverse_mass))
