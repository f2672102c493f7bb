"""Linear finite elements with memory: displacements in the world frame, small strains, forces -V B^T sigma.

Every strain has a stress by the law of its modulus, lambda for the volume and mu for the others (branches.py):

    s = k e + c e' + sum k_i (e - q_i),   q_i' = r_i (e - q_i)

with internal variables q_i, the strains of the arms' dampers. They move by their rates at every stage, as points do. Forces are adjoint to
strains, so what they take from the motion is what the laws store and dissipate.
"""

from typing import NamedTuple

from numba import uint64 as U

from yawara.core.context import DISSIPATED, GIVEN, STORED
from yawara.core.stages import EULER, FREEZE, integrate_range
from yawara.kernels.decay import mean_decay
from yawara.kernels.jit import inlined, inner
from yawara.kernels.kinds import Floats, Indices, Natural
from yawara.terms.linear_elements.mean_rate import by_mean_rate, weight_of
from yawara.terms.linear_elements.shapes import from_rest, spread, spread_diagonal, strains


class Measured(NamedTuple):
    """Of one element."""

    strain: Floats  # (strains,)
    rate: Floats  # [1/s], (strains,)
    stress: Floats  # [Pa], (strains,)
    internal_rate: Floats  # [1/s], (strains * arms,)


class Arrays(NamedTuple):
    """Elements of one kind, sorted by lowest corner."""

    corners: Natural
    strains: Natural  # of each element
    laws: Natural  # of each element
    slots: Natural  # numbers of an element's gradients
    arms: Natural  # internal variables of each strain
    corner: Indices  # (corners * element_count,)
    gradient: Floats  # [1/m], (slots * element_count,)
    volume: Floats  # [m^3]
    spring: Floats  # [Pa], (laws * element_count,)
    damper: Floats  # [Pa s], (laws * element_count,)
    arm: Floats  # [Pa], (laws * arms * element_count,)
    decay: Floats  # [1/s], (laws * arms * element_count,)
    first: Natural  # the thread's own
    last: Natural
    internal: Floats  # internal variables, (element_count * strains * arms,)
    internal_start: Floats
    internal_total: Floats
    measured: Measured
    rates: Floats  # see mean_rate.py; empty if nobody needs it
    slope: Floats  # [Pa s], (laws * element_count,): tangent
    noted: Floats  # [Pa], (strains * element_count,); empty if nobody asks
    tally: Floats


@inlined
def _law_of(laws, n, m):
    """Place of the law of a strain: the first is that of the volume."""
    return laws * n + (U(0) if m == U(0) else U(1))


@inner
def _measure(mine, n, points):
    at, s, corners, strain = mine.corners * n, mine.slots * n, mine.corners, mine.measured.strain
    strains(corners, mine.corner, at, points, U(8), U(0), mine.gradient, s, strain)
    strains(corners, mine.corner, at, points, U(8), U(4), mine.gradient, s, mine.measured.rate)
    from_rest(corners, strain)


@inner
def _respond(mine, n, dt, steady):
    """Stresses, and rates of the internal variables; `dt` [s] is the step of an implicit scheme that they make along.

    There e - q at the end is (e' - q) / (1 + dt r). Steady, it relaxes from e_0 = e' - dt rate - q: exp(-z) e_0 + dt psi rate with z = dt r
    and psi = (1 - exp(-z))/z.
    """
    measured, arms, internal, count = mine.measured, mine.arms, mine.internal, mine.strains
    strain, rates, stress, internal_rate = measured.strain, measured.rate, measured.stress, measured.internal_rate
    spring, damper, arm, decay, laws = mine.spring, mine.damper, mine.arm, mine.decay, mine.laws
    for m in range(count):
        law, q = _law_of(laws, n, m), (count * n + m) * arms
        e, rate = strain[m], rates[m]
        total = spring[law] * e + damper[law] * rate
        for i in range(arms):
            r, held = decay[arms * law + i], e - internal[q + i]
            if steady:
                psi, held = mean_decay(dt * r), held - dt * rate
                moving = r * psi * held + (1.0 - psi) * rate
                held = (1.0 - dt * r * psi) * held + dt * psi * rate
            else:
                held = held / (1.0 + dt * r)
                moving = r * held
            total += arm[arms * law + i] * held
            internal_rate[arms * m + i] = moving
        stress[m] = total


@inner
def _energy(mine, n, dt):
    """Stored energy [J], dissipated power [W], and power [W] that goes in: k e^2/2, c e'^2 and s e' over all strains."""
    measured, arms, internal, count, corners = mine.measured, mine.arms, mine.internal, mine.strains, mine.corners
    strain, rates, stress, internal_rate = measured.strain, measured.rate, measured.stress, measured.internal_rate
    spring, damper, arm, laws, stored, power, given = mine.spring, mine.damper, mine.arm, mine.laws, 0.0, 0.0, 0.0
    for m in range(count):
        law, q, weight, e, rate = _law_of(laws, n, m), (count * n + m) * arms, weight_of(corners, m), strain[m], rates[m]
        stored += 0.5 * weight * spring[law] * e * e
        power += weight * damper[law] * rate * rate
        given += weight * stress[m] * rate
        for i in range(arms):
            moving = internal_rate[arms * m + i]
            held = e - internal[q + i] - dt * moving
            stored += 0.5 * weight * arm[arms * law + i] * held * held
            power += weight * arm[arms * law + i] * held * moving
    volume = mine.volume[n]
    return volume * stored, volume * power, volume * given


@inner
def _add_forces(ctx, mine, stage, dt, steady, account):
    count, measured, tally, stored, power, given = mine.strains * mine.arms, mine.measured, mine.tally, 0.0, 0.0, 0.0
    keeps_rates, is_later = mine.rates.size > 0, ctx.made > 0
    for n in range(mine.first, mine.last):
        _measure(mine, n, ctx.points)
        _respond(mine, n, dt, steady)
        spread(mine.corners, mine.corner, mine.corners * n, mine.gradient, mine.slots * n, -mine.volume[n], measured.stress, ctx.forces,
               ctx.own)  # fmt: skip
        if account:
            s, p, g = _energy(mine, n, dt)
            stored, power, given = stored + s, power + p, given + g
            if keeps_rates:
                power += by_mean_rate(mine, n, is_later)
        if stage != FREEZE:
            integrate_range(stage, mine.internal, mine.internal_start, mine.internal_total, count * n, measured.internal_rate, U(0), count,
                            ctx.step, ctx.weight)  # fmt: skip
    if account:
        tally[STORED] = stored
        tally[DISSIPATED] += ctx.weight * power
        tally[GIVEN] += ctx.weight * given


def add_forces(ctx, mine):
    _add_forces(ctx, mine, ctx.stage, 0.0, False, ctx.account)


def end(ctx, mine):
    """The last step's dissipation, once its points have moved."""
    if not ctx.account or mine.rates.size == 0 or ctx.made == 0:
        return
    power = 0.0
    for n in range(mine.first, mine.last):
        _measure(mine, n, ctx.points)
        power += by_mean_rate(mine, n, True)
    mine.tally[DISSIPATED] += ctx.dt * power


def add_end_forces(ctx, mine):
    """The tangent is exact, and the same everywhere: dt k + c + sum dt k_i / (1 + dt r_i)."""
    dt, arms, steady = ctx.ahead, mine.arms, ctx.steady != 0
    for law in range(mine.laws * mine.first, mine.laws * mine.last):
        total = dt * mine.spring[law] + mine.damper[law]
        for i in range(arms):
            z = dt * mine.decay[arms * law + i]
            total += mine.arm[arms * law + i] * dt * (mean_decay(z) if steady else 1.0 / (1.0 + z))
        mine.slope[law] = total
    _add_forces(ctx, mine, EULER if ctx.finish else FREEZE, dt, steady, ctx.finish)


def add_product(ctx, mine):
    corners, measured, slope = mine.corners, mine.measured, mine.slope
    for n in range(mine.first, mine.last):
        at, s = corners * n, mine.slots * n
        strains(corners, mine.corner, at, ctx.direction, U(4), U(0), mine.gradient, s, measured.strain)
        for m in range(mine.strains):
            measured.stress[m] = slope[_law_of(mine.laws, n, m)] * measured.strain[m]
        spread(corners, mine.corner, at, mine.gradient, s, mine.volume[n], measured.stress, ctx.forces, ctx.own)


def add_diagonal(ctx, mine):
    corners, laws, slope = mine.corners, mine.laws, mine.slope
    for n in range(mine.first, mine.last):
        of_volume = mine.volume[n] * slope[laws * n]
        of_shape = mine.volume[n] * slope[laws * n + U(1)] if laws > U(1) else 0.0
        spread_diagonal(
            corners, mine.corner, corners * n, mine.gradient, mine.slots * n, of_volume, of_shape, ctx.forces, ctx.own
        )


def note(ctx, mine):
    """Stresses of every strain."""
    for n in range(mine.first, mine.last):
        _measure(mine, n, ctx.points)
        _respond(mine, n, 0.0, False)
        for m in range(mine.strains):
            mine.noted[mine.strains * n + m] = mine.measured.stress[m]
