"""The largest stable step of a model, for each explicit scheme.

A vibration of a body is one of its links' law with a mass of its own: x'' = -s f(x, x', memory), where s [1/kg] runs up to the largest
eigenvalue of M^-1 B, B being the link operator of unit coefficients. That eigenvalue is found by power iteration on the links at
rest. The step is then the largest under which no such vibration, of s or a fraction of it, grows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yawara.forces.links.bounds import LinearLaw, largest_coefficients, linear_laws
from yawara.forces.links.pack import LinkGroup
from yawara.integrators.scheme import Scheme
from yawara.integrators.watch import MARGIN, WatchArrays, apply_links
from yawara.model import Floats, Indices
from yawara.stages import SEMI_IMPLICIT

SAFETY = 0.8  # for what happens between two looks at the deforming body
POWER_STEPS = 40
MODES = np.logspace(-4, 0, 9)  # fractions of the highest mode
LARGEST = 1e6  # [s] nothing limits the step
SMALLEST_FRACTION = 1e-3  # of the quickest time constant: a scheme that needs smaller steps is of no use


def largest_eigenvalue(position: Floats, links: Indices, coefficient: Floats, inverse_mass: Floats) -> tuple[float, Floats]:
    """Of M^-1 times the link operator with these coefficients [1/s^2 for stiffnesses, 1/s for viscosities], and its mode."""
    points = np.zeros((len(position), 8))
    points[:, :3] = position
    start, end = np.ascontiguousarray(links.T, dtype=np.uint32)
    u = np.random.default_rng(0).standard_normal(3 * len(inverse_mass))
    result = np.empty_like(u)
    mass = np.repeat(1.0 / inverse_mass, 3)
    value = 0.0
    for _ in range(POWER_STEPS):
        u /= np.sqrt(np.dot(u * mass, u))  # M-norm: the operator is symmetric in it
        apply_links(start, end, points.reshape(-1), coefficient, inverse_mass, u, result)
        value = float(np.sqrt(np.dot(result * mass, result)))
        u, result = result, u
    return MARGIN * value, u.reshape(-1, 3)


@dataclass(frozen=True)
class Vibration:
    """The quickest vibration of one group of links: y' = A y for y = (x, x', memories), and how A depends on the mode."""

    law: LinearLaw
    scale: float  # [1/kg], s

    def matrix(self, fraction: float) -> Floats:
        """A of the mode with this fraction of s."""
        size = len(self.law.force)
        A = np.zeros((size, size))
        A[0, 1] = 1.0
        A[1] = -fraction * self.scale * self.law.force
        A[2:] = self.law.memory_rate
        return A


@dataclass(frozen=True)
class Quickest:
    """What bounds the steps of a model, and how it is followed while the bodies deform."""

    vibrations: tuple[Vibration, ...]
    watch: WatchArrays


def quickest_vibrations(position: Floats, groups: Sequence[LinkGroup], inverse_mass: Floats) -> Quickest:
    """The quickest of every group and law; groups are bodies, which share no points."""
    found: list[Vibration] = []
    scaled, modes = [], np.zeros_like(position)
    for group in groups:
        coefficient = largest_coefficients(group)
        highest, mode = largest_eigenvalue(position, group.links, coefficient, inverse_mass)
        found += [Vibration(law, highest / coefficient[link]) for link, law in linear_laws(group)]
        scaled.append(coefficient / highest)
        modes += mode  # zero outside the body
    start, end = np.concatenate([group.links for group in groups]).T.astype(np.uint32)
    first = np.array([group.links.min() for group in groups], np.int64)
    watch = WatchArrays(np.ascontiguousarray(start), np.ascontiguousarray(end), np.concatenate(scaled), modes, first)
    return Quickest(tuple(found), watch)


def stable_step(scheme: Scheme, vibrations: Sequence[Vibration]) -> float:
    """Largest step [s] under which nothing grows, with a margin for large deformations; 0 if there is none."""
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
