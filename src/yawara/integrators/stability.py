"""The largest stable step of a model, for each explicit scheme.

A vibration of a body is one of its force laws with a mass of its own: x'' = -s f(x, x', memory), where s [1/kg] runs up to the largest
eigenvalue of M^-1 B, B being the operator of unit coefficients. Several force terms (links, ties, pressures, guards) act side by side,
each with its own largest eigenvalue, found by power iteration at rest. The step is then the largest under which no such vibration, of
these s or a fraction of them, grows.

Where regions of a body have different laws, each law is looked at as if the whole vibration were its own. A link's strength is then what
its spring and its damper do together in a step of about the right size: so neither a stiff region nor a viscous one hides the other, and
what the springs of one and the dampers of another could do is not added up.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from yawara.contact.response import coefficients
from yawara.contact.work import contacts_of_a_point
from yawara.forces.links.bounds import LinearLaw, largest_coefficients, linear_laws, stiffnesses
from yawara.forces.links.constants import TIE
from yawara.forces.links.pack import LinkGroup, PackedLinks
from yawara.forces.operator import Slopes, no_slopes
from yawara.held import hold
from yawara.integrators.scheme import Scheme
from yawara.integrators.watch import MARGIN, PowerIteration, Watch
from yawara.model import Floats, KernelArrays
from yawara.stages import SEMI_IMPLICIT

SAFETY = 0.8  # for what happens between two looks at the deforming body
POWER_STEPS = 40
MODES = np.logspace(-4, 0, 9)  # fractions of the highest mode
LARGEST = 1e6  # [s] nothing limits the step
SMALLEST_FRACTION = 1e-3  # of the quickest time constant: a scheme that needs smaller steps is of no use


@dataclass(frozen=True)
class Term:
    """One force term of all bodies: how strong each element is, and the linear laws that a body's elements can follow."""

    slopes: Slopes  # the strength: stiffness, or viscosity if there is no spring
    laws: tuple[tuple[tuple[float, LinearLaw], ...], ...]  # for each body (strength, law) of every kind of element


@dataclass(frozen=True)
class Vibration:
    """The quickest vibration of one body: y' = A y for y = (x, x', memories of every law), and how A depends on the mode."""

    parts: tuple[tuple[LinearLaw, float], ...]  # laws side by side, each with its own s [1/kg]

    def matrix(self, fraction: float) -> Floats:
        """A of the mode with this fraction of s."""
        memories = [len(law.memory_rate) for law, _ in self.parts]
        A = np.zeros((2 + sum(memories),) * 2)
        A[0, 1] = 1.0
        place = 2
        for (law, scale), count in zip(self.parts, memories, strict=True):
            own = [0, 1, *range(place, place + count)]
            A[1, own] -= fraction * scale * law.force
            A[place : place + count, own] = law.memory_rate
            place += count
        return A


@dataclass(frozen=True)
class Quickest:
    """What bounds the steps of a model, and how it is followed while the bodies deform."""

    vibrations: tuple[Vibration, ...]
    watch: Watch


def quickest_vibrations(arrays: KernelArrays, points: Floats, first_point: np.ndarray, terms: Sequence[Term]) -> Quickest:
    """The quickest of every body; bodies share no points. OverflowError if one cannot be told from 0 or infinity."""
    iteration = PowerIteration(arrays, first_point)
    found = [largest_eigenvalues(iteration, points, term.slopes) for term in terms]
    for term, (value, _) in zip(terms, found, strict=True):
        if any(laws and not 0.0 < one < np.inf for laws, one in zip(term.laws, value, strict=True)):
            raise OverflowError
    vibrations = [
        Vibration(parts)
        for body in range(len(first_point))
        for parts in _combinations([(term.laws[body], float(value[body])) for term, (value, _) in zip(terms, found, strict=True)])
    ]
    total = np.sum([value for value, _ in found], axis=0)
    mode = np.sum([mode for _, mode in found], axis=0)
    watch = Watch(iteration, hold(_scaled(arrays, terms, 1.0 / total, first_point)), mode.reshape(-1, 4))
    return Quickest(tuple(vibrations), watch)


def largest_eigenvalues(iteration: PowerIteration, points: Floats, slopes: Slopes) -> tuple[Floats, Floats]:
    """Of M^-1 times the operator, for each body [1/s^2 for stiffnesses, 1/s for viscosities], and the modes."""
    u, operator = iteration.noise(0), hold(slopes)
    value: Floats = np.zeros(len(iteration.first))
    if not any(values.any() for values in slopes):  # a term that no body has
        return value, np.zeros_like(u)
    for _ in range(POWER_STEPS):
        u, value = iteration.turn(points, operator, iteration.unit(u))
    return MARGIN * value, u


def _combinations(
    terms: list[tuple[tuple[tuple[float, LinearLaw], ...], float]],
) -> Iterator[tuple[tuple[LinearLaw, float], ...]]:
    """Every kind of each term, with every kind of the others."""
    yield from product(*([(law, value / strength) for strength, law in laws] for laws, value in terms if laws))


def _scaled(arrays: KernelArrays, terms: Sequence[Term], factor: Floats, first_point: np.ndarray) -> Slopes:
    """The sum of all terms, each body's elements times its factor."""
    body_of = np.searchsorted(first_point, np.arange(len(arrays.point.mass)), side="right") - 1
    by_point = factor[body_of]
    total = [_sum(parts) for parts in zip(*(term.slopes for term in terms), strict=True)]
    leaders = (
        arrays.link.start,
        arrays.link.start[: len(total[1])],
        *(arrays.tetrahedron.corner[::4],) * 2,
        *(arrays.triangle.corner[::3],) * 2,
        arrays.surface.corner[3 * arrays.surface.face[:-1].astype(int)],
        *(
            cells.corner[corners * cells.block_cell[:-1].astype(int)]
            for cells, corners in ((arrays.tetrahedron, 4), (arrays.triangle, 3))
        ),
    )
    return Slopes(*(values * by_point[point] for values, point in zip(total, leaders, strict=True)))


def _sum(parts: Sequence[Floats]) -> Floats:
    """Of arrays that are all of one size, or empty."""
    return sum((part for part in parts if part.size), np.zeros(max(part.size for part in parts)))


def with_contact(vibrations: Sequence[Vibration], arrays: KernelArrays) -> tuple[Vibration, ...]:
    """Each vibration with contacts on its points; and tools that are moved by force, against half of all points at once."""
    contact = arrays.contact
    if not len(contact.node) or contact.bounce.size:
        return tuple(vibrations)
    mass = 0.5 / float(contact.inverse_mass.max())  # what two of the lightest points have to move against each other
    # The integral sets no bound on the step: it is slow, and its own condition of stability is one on the coefficients.
    k, c, _ = (value / mass for value in coefficients(contact.law, mass, 1.0))
    law = LinearLaw(np.array([k, c]), np.zeros((0, 2)))
    crowd = contacts_of_a_point(arrays)
    tool_mass = arrays.point.mass[arrays.tool.point]
    pushed = tool_mass[tool_mass > 0.0]
    share = [0.5 * float((1.0 / contact.inverse_mass).sum()) / float(pushed.min())] if len(pushed) else []
    return (*(Vibration((*one.parts, (law, crowd))) for one in vibrations), *(Vibration(((law, one),)) for one in share))


def link_term(arrays: KernelArrays, bodies: Sequence[PackedLinks], steps: Sequence[float]) -> Term:
    """The links of each body; `steps` [s] from `reference_step`."""
    slopes = no_slopes(arrays)
    laws: list[tuple[tuple[float, LinearLaw], ...]] = []
    for groups, step in zip(bodies, steps, strict=True):
        kinds: list[tuple[float, LinearLaw]] = []
        for group, place in groups:
            strength = largest_coefficients(group, step=step)
            slopes.link[place.slot] = strength
            if group.family == TIE:  # of no length and no direction: as stiff across
                slopes = slopes._replace(transverse=slopes.transverse if slopes.transverse.size else np.zeros_like(slopes.link))
                slopes.transverse[place.slot] = strength
            kinds += [(float(strength[link]), law) for link, law in linear_laws(group)]
        laws.append(tuple(kinds))
    return Term(slopes, tuple(laws))


def reference_step(groups: Sequence[LinkGroup], inverse_mass: Floats) -> float:
    """[s], about the largest stable step of a body with several laws; infinite with one, where only ratios of strengths count.

    Any value is safe. The nearer it is, the less of the stable step is given away.
    """
    if not any(group.samples for group in groups):
        return math.inf
    ends, values = np.concatenate([group.links for group in groups]), []
    for column in (
        np.concatenate([stiffnesses(group.family, group.coefficient) for group in groups]),
        np.concatenate([group.coefficient[2] for group in groups]),
    ):
        values.append(inverse_mass * sum(np.bincount(end, column, len(inverse_mass)) for end in ends.T))
    # the largest eigenvalues are about the sums over the links of a point; dt^2 k + 2 dt c = 4 solved for dt
    k, c = values
    return float(4.0 / (c + np.hypot(c, 2.0 * np.sqrt(k))).max())


def stable_step(scheme: Scheme, vibrations: Sequence[Vibration]) -> float:
    """Largest step [s] under which nothing grows, with a margin for large deformations; 0 if there is none."""
    if scheme.is_implicit:
        return LARGEST
    return SAFETY * min(_limit(scheme, vibration.matrix(mode)) for vibration in vibrations for mode in MODES)


def _limit(scheme: Scheme, A: Floats) -> float:
    """Largest stable step [s] of one mode, by bisection on its logarithm."""
    quickest = float(np.abs(np.linalg.eigvals(A)).max())
    if quickest == 0.0:
        return LARGEST
    low, high = np.log(SMALLEST_FRACTION / quickest), np.log(10.0 / quickest)
    if not _is_stable(scheme, A, np.exp(low)):
        return 0.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _is_stable(scheme, A, np.exp(middle)) else (low, middle)
    return float(np.exp(low))


def _is_stable(scheme: Scheme, A: Floats, dt: float) -> bool:
    step = np.eye(len(A)) + dt * A
    if scheme.stages[0][0] == SEMI_IMPLICIT:
        step[0] = np.eye(len(A))[0] + dt * step[1]  # x moves with the new velocity
    power = dt * A
    for order in range(2, scheme.order + 1):  # order 4: 1 + z + z^2/2 + z^3/6 + z^4/24
        power = power @ (dt * A) / order
        step += power
    return bool(np.abs(np.linalg.eigvals(step)).max() <= 1.0 + 1e-9)
