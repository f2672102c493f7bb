"""The largest stable step of a model, for each explicit scheme.

A vibration of a body is one of its force laws with a mass of its own: x'' = -s f(x, x', internal variables), where s [1/kg] runs up to the
largest eigenvalue of M^-1 B, B being the tangent of unit coefficients. Several force terms act side by side, each with its own largest
eigenvalue, found by power iteration at rest. The step is then the largest under which no such vibration, of these s or a fraction of
them, grows.

Where regions of a body have different laws, each law is looked at as if the whole vibration were its own. An element's strength is then
what its spring and its damper do together in a step of about the right size: so neither a stiff region nor a viscous one hides the other,
and what the springs of one and the dampers of another could do is not added up.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from yawara.core.contribution import Contribution, Kinds, Vibration
from yawara.core.model import Model
from yawara.core.response import Response, voigt_response
from yawara.core.stages import SEMI_IMPLICIT
from yawara.core.state import State
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Floats
from yawara.methods import SCHEMES
from yawara.methods.operator import Operator
from yawara.methods.scheme import Scheme

SAFETY = 0.8  # for what happens between two looks at the deforming body
POWER_STEPS = 40
MARGIN = 1.05  # the iteration approaches the eigenvalue from below
MODES = np.logspace(0, -4, 9)  # fractions of the highest mode
LARGEST = 1e6  # [s] nothing limits the step
ONE_SECOND = 1.0  # [s]
GROWTH = (1.0 + 1e-9) ** 2  # of squares, that is rounding
DROPPED_BITS = 14  # of 52, where numbers are compared
PRECISION = 1e-4  # of a limit: a fifth of it is given away for safety
FAR = 1.6  # times further, or less far, than a guess: then it was none
SMALLEST_FRACTION = 1e-3  # of the shortest time constant: a scheme that needs smaller steps is of no use


def vibrations_at_rest(model: Model, operator: Operator) -> tuple[list[Vibration], Floats]:
    """The highest modes of every body; bodies share no points. OverflowError if one cannot be told from 0 or infinity."""
    steps, found = reference_steps(model, operator.body_count), list[tuple[tuple[Kinds, ...], Floats]]()
    mode = np.zeros(4 * model.point_count)
    for term in operator.terms:
        contributions = term.contributions(steps)
        for number, contribution in enumerate(contributions or ()):
            if any(kinds for kinds in contribution.kinds):
                value, u = _of_contribution(operator, term, number, contribution)
                found.append((contribution.kinds, value))
                mode += u
        if contributions is None:
            found.append((from_tangent(operator, term), np.ones(operator.body_count)))
    vibrations = [
        Vibration(parts)
        for body in range(operator.body_count)
        for parts in _combinations([(kinds[body], float(value[body])) for kinds, value in found])
    ]
    return vibrations, mode.reshape(-1, 4)


def _of_contribution(operator: Operator, term: ForceTerm, number: int, contribution: Contribution) -> tuple[Floats, Floats]:
    """Largest eigenvalue of each body, and modes. Tangents that differ by a factor have the same modes: found once."""
    largest = max(float(np.abs(values).max(initial=0.0)) for values in contribution.tangent.values())
    if not 0.0 < largest < np.inf:
        raise OverflowError
    shape = {name: rounded(values / largest) for name, values in contribution.tangent.items()}

    def find() -> tuple[Floats, Floats]:
        # of about the right size, so that nothing overflows; powers of 2 leave all digits alone
        size = 2.0 ** math.frexp(largest)[1]
        operator.assume(_at_rest(operator.model), term, {name: size * values for name, values in shape.items()})
        value, mode = largest_eigenvalues(operator)
        return value / size, operator.unit(mode)

    value, mode = operator.remembered((term.name, number), [*shape.values(), operator.mass], find)
    value = largest * value
    if any(kinds and not 0.0 < one < np.inf for kinds, one in zip(contribution.kinds, value, strict=True)):
        raise OverflowError
    return value, mode


def rounded(values: Floats) -> Floats:
    """To 2e-12 of each: what was scaled and scaled back is the same again."""
    bits = np.ascontiguousarray(values).view(np.int64)
    return ((bits + (1 << DROPPED_BITS - 1)) >> DROPPED_BITS << DROPPED_BITS).view(np.float64)


def _at_rest(model: Model) -> State:
    return State.at_rest(model, np.zeros((model.point_count, 4)))


def from_tangent(operator: Operator, term: ForceTerm) -> tuple[Kinds, ...]:
    """Of a term that has no responses to tell: a spring and a damper by the largest eigenvalues of its tangent at rest."""
    state = _at_rest(operator.model)
    operator.linearise(state, 0.0)
    operator.keep_only(term)
    viscosity, _ = largest_eigenvalues(operator)
    operator.linearise(state, ONE_SECOND)
    operator.keep_only(term)
    both, _ = largest_eigenvalues(operator)
    pairs = zip(np.maximum(both - viscosity, 0.0) / ONE_SECOND, viscosity, strict=True)
    return tuple(((1.0, voigt_response(float(k), float(c))),) if k > 0.0 or c > 0.0 else () for k, c in pairs)


def reference_steps(model: Model, bodies: int) -> list[float]:
    """[s], of each body: the least of what terms say."""
    found = [steps for term in model.terms if (steps := term.reference_steps(model.point.inverse_mass)) is not None]
    return [min((steps[body] for steps in found), default=math.inf) for body in range(bodies)]


def largest_eigenvalues(operator: Operator, u: Floats | None = None, steps: int = POWER_STEPS) -> tuple[Floats, Floats]:
    """Of M^-1 times the tangent, for each body [1/s^2 for stiffnesses, 1/s for viscosities], and the modes."""
    mode, value = operator.iterate(operator.noise(0) if u is None else u, steps)
    return MARGIN * value, mode


def _combinations(terms: list[tuple[Kinds, float]]) -> Iterator[tuple[tuple[Response, float], ...]]:
    """Every kind of each contribution, with every kind of the others."""
    yield from product(*([(response, value / strength) for strength, response in kinds] for kinds, value in terms if kinds))


class StableSteps(Mapping[str, float]):
    """Largest stable step [s] by integrator name; found when it is asked for, as a run asks for one only."""

    def __init__(self, vibrations: Sequence[Vibration]) -> None:
        self.take(vibrations)

    def take(self, vibrations: Sequence[Vibration], part_of_stages: float = 1.0) -> None:
        """Others from now on; schemes with several stages take a part of the step."""
        self._vibrations, self._part, self._found = tuple(vibrations), part_of_stages, dict[str, float]()

    def __getitem__(self, name: str) -> float:
        if name not in self._found:
            scheme = SCHEMES[name]
            self._found[name] = stable_step(scheme, self._vibrations) * (self._part if len(scheme.stages) > 1 else 1.0)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SCHEMES)

    def __len__(self) -> int:
        return len(SCHEMES)


def stable_step(scheme: Scheme, vibrations: Sequence[Vibration]) -> float:
    """Largest step [s] under which nothing grows, with a margin for large deformations; 0 if there is none."""
    if scheme.is_implicit or not vibrations:
        return LARGEST
    limit = LARGEST
    for vibration in vibrations:
        A = vibration.matrix(1.0)
        if len(A) == 2 and scheme.stages[0][0] == SEMI_IMPLICIT:
            limit = min(limit, _voigt_limit(A))  # exact, and lower modes allow more
            continue
        matrices = np.repeat(A[None], len(MODES), axis=0)
        matrices[:, 1] *= MODES[:, None]
        if limit == LARGEST:
            limit = _limit(scheme, matrices[0])  # the highest mode of the first nearly always sets it
        for n in np.flatnonzero(~_are_stable(scheme, matrices, limit)):
            limit = min(limit, _limit(scheme, matrices[n]))
    return SAFETY * limit


def _limit(scheme: Scheme, A: Floats) -> float:
    """Largest stable step [s] of one mode, by bisection."""
    bracket = _around(scheme, A)
    if bracket is None:
        quickest = float(np.abs(np.linalg.eigvals(A)).max())
        if quickest == 0.0:
            return LARGEST
        bracket = SMALLEST_FRACTION / quickest, 10.0 / quickest
        if not _is_stable(scheme, A, bracket[0]):
            return 0.0
    low, high = bracket
    while high > (1.0 + PRECISION) * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _is_stable(scheme, A, middle) else (low, middle)
    return low


def _around(scheme: Scheme, A: Floats) -> tuple[float, float] | None:
    """A stable step [s] and one that is not, close together, if they are near where springs and dampers alone would have them."""
    guess = _voigt_limit(A)
    if not 0.0 < guess < LARGEST:
        return None
    stable, near, away = _is_stable(scheme, A, guess), guess, PRECISION
    while away < FAR:
        far = guess * (1.0 + away) if stable else guess / (1.0 + away)
        if _is_stable(scheme, A, far) is not stable:
            return (near, far) if stable else (far, near)
        near, away = far, 5.0 * away
    return None


def _voigt_limit(A: Floats) -> float:
    """[s], with the force -k x - c x' in semi-implicit Euler: k h^2 + 2 c h = 4, where an eigenvalue of the step passes -1."""
    k, c = max(-float(A[1, 0]), 0.0), max(-float(A[1, 1]), 0.0)
    return 4.0 / (c + math.hypot(c, 2.0 * math.sqrt(k))) if k > 0.0 or c > 0.0 else LARGEST


def _is_stable(scheme: Scheme, A: Floats, dt: float) -> bool:
    from scipy.linalg.lapack import dgeev

    real, imaginary, *_ = dgeev(_step(scheme, A, dt), compute_vl=0, compute_vr=0)  # numpy.linalg.eigvals takes twice as long
    return bool((real * real + imaginary * imaginary).max() <= GROWTH)


def _are_stable(scheme: Scheme, A: Floats, dt: float) -> NDArray[np.bool_]:
    """Of several matrices, (count, n, n)."""
    values = np.abs(np.linalg.eigvals(_step(scheme, A, dt))).max(axis=-1)
    return np.asarray(values * values <= GROWTH)


@cache
def _identity(size: int) -> Floats:
    return np.eye(size)


def _step(scheme: Scheme, A: Floats, dt: float) -> Floats:
    """What one step makes of y."""
    power = dt * A
    step: Floats = _identity(A.shape[-1]) + power
    if scheme.stages[0][0] == SEMI_IMPLICIT:
        step[..., 0, :] = dt * step[..., 1, :]  # x moves with the new velocity
        step[..., 0, 0] += 1.0
    for order in range(2, scheme.order + 1):  # order 4: 1 + z + z^2/2 + z^3/6 + z^4/24
        power = power @ (dt * A) / order
        step += power
    return step
