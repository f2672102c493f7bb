"""Shear and volume elements: each has a few strains, each strain a stress by a series of Voigt elements, each stress a push at its corners.

    tau = a (g - sum e_i) + b (g' + sum kappa_i e_i),   e_i' = phi_i tau - kappa_i e_i       Hirai 2005, eqs. (2.5)-(2.9), stress for force

with the internal variables e_i of all parts but the first, as in laws/families/series.py; a damper alone has kappa = 0. They are strains
in the element's own frame. Forces are -tau h. A law stores and loses energy by its strains, exactly; but h is not the strain's gradient
J times a size, unless the form has a potential. What forces take from the motion beyond that is booked on the term's own account.
"""

import math
from typing import NamedTuple

from numba import uint64 as U

from yawara.core.context import DISSIPATED, GIVEN, STIFFENED, STORED, TAKEN
from yawara.core.stages import EULER, FREEZE, integrate_range
from yawara.core.threads import ask_to_stop
from yawara.kernels.jit import inner
from yawara.kernels.kinds import Floats, Indices, Natural
from yawara.terms.shear_volume.constants import (
    AREA_3,
    AREA_4,
    COT,
    DEVIATORIC_2D,
    DEVIATORIC_3D,
    PRINTED_2D,
    PRINTED_3D,
    SHAPE,
    TINY,
)
from yawara.terms.shear_volume.flat import corner_shear, deviatoric_triangle, square_area, triangle_area
from yawara.terms.shear_volume.solid import corner_shears, deviatoric_tetrahedron, volume


class Measured(NamedTuple):
    """Of one element: its strains, and scratch."""

    strain: Floats  # (measures,)
    rate: Floats  # [1/s]
    along: Floats  # [1/m], gradient J, (measures * corners * 3,)
    push: Floats  # [m^2], h: the force is minus the stress times it
    stress: Floats  # [Pa], (measures,)
    internal_rate: Floats  # [1/s], (measures * parts,)
    F: Floats
    R: Floats
    U: Floats
    A: Floats
    edge: Floats
    side: Floats


class Arrays(NamedTuple):
    """Elements of one kind, sorted by lowest corner."""

    code: int  # see constants.py
    corners: Natural
    measures: Natural
    parts: Natural  # internal variables of each strain
    thirds: int  # whether reactions of printed corners in space are shared out in thirds
    corner: Indices  # (corners * element_count,)
    shape: Floats  # (SHAPE * element_count,): inverse of the edges at rest, or size at rest
    natural: Floats  # (measures * element_count,): strains at rest
    factor: Floats  # [m] or 1, of the push: thickness, or volume and weight of a corner
    content: Floats  # [m^3], over which a strain stores energy, if the form had a potential
    a: Floats  # [Pa]
    b: Floats  # [Pa s]
    phi: Floats  # [1/(Pa s)], (parts * element_count,)
    kappa: Floats  # [1/s], (parts * element_count,)
    first: Natural  # the thread's own
    last: Natural
    internal: Floats  # internal variables, (element_count * measures * parts,)
    internal_start: Floats
    internal_total: Floats
    measured: Measured
    slope: Floats  # [Pa s], (element_count,): tangent
    noted: Floats  # [J], (6 * element_count,): virial xx yy zz yz zx xy; empty if nobody asks
    tally: Floats


@inner
def _measure(mine, n, points):
    """Strains from those at rest, rates, gradients and pushes of one element; returns how much flatter it is than at rest."""
    code, at, s, measured, thin = mine.code, mine.corners * n, U(SHAPE) * n, mine.measured, 1.0
    rest, factor = mine.shape[s], mine.factor[n]
    if code == DEVIATORIC_2D:
        deviatoric_triangle(mine.corner, at, points, mine.shape, s, factor, measured)
    elif code == DEVIATORIC_3D:
        deviatoric_tetrahedron(mine.corner, at, points, mine.shape, s, factor, measured)
    elif code in (PRINTED_2D, COT):
        thin = corner_shear(code, mine.corner, at, points, rest, factor, measured)
    elif code == PRINTED_3D:
        thin = corner_shears(mine.corner, at, points, rest, mine.thirds != 0, measured)
    elif code == AREA_3:
        triangle_area(mine.corner, at, points, rest, factor, measured)
    elif code == AREA_4:
        square_area(mine.corner, at, points, rest, factor, measured)
    else:
        volume(mine.corner, at, points, rest, factor, measured)
    for m in range(mine.measures):
        measured.strain[m] -= mine.natural[mine.measures * n + m]
    return thin


@inner
def _weight(code, m):
    """A shear of a tensor counts twice, and tau is 2 G e."""
    if code == DEVIATORIC_2D:
        return 4.0 if m == U(2) else 2.0
    if code == DEVIATORIC_3D:
        return 4.0 if m >= U(3) else 2.0
    return 1.0


@inner
def _stresses(mine, n, ahead):
    """tau and the rates of the internal variables; `ahead` [s] is the step of an implicit scheme, that they make along."""
    measured, parts = mine.measured, mine.parts
    a, b, phi, kappa, internal = mine.a[n], mine.b[n], mine.phi, mine.kappa, mine.internal
    for m in range(mine.measures):
        tau, stiff, q = a * measured.strain[m] + b * measured.rate[m], 1.0, (mine.measures * n + m) * parts
        for i in range(parts):
            k, f = kappa[parts * n + i], phi[parts * n + i]
            share = (a - b * k) / (1.0 + ahead * k)
            tau -= share * internal[q + i]
            stiff += share * ahead * f
        tau /= stiff
        measured.stress[m] = tau
        for i in range(parts):
            k, f = kappa[parts * n + i], phi[parts * n + i]
            measured.internal_rate[m * parts + i] = (f * tau - k * internal[q + i]) / (1.0 + ahead * k)


@inner
def _energy(mine, n, ahead):
    """Stored energy [J], dissipated power [W] and power [W] that goes in by the strains: k_i e_i^2/2, c_i e_i'^2 and tau g'."""
    measured, parts, stored, power, given = mine.measured, mine.parts, 0.0, 0.0, 0.0
    for m in range(mine.measures):
        weight, e, rate, sum_phi = mine.content[n] * _weight(mine.code, m), measured.strain[m], measured.rate[m], 0.0
        for i in range(parts):
            phi, kappa = mine.phi[parts * n + i], mine.kappa[parts * n + i]
            if phi > 0.0:
                rate_i = measured.internal_rate[m * parts + i]
                e_i = mine.internal[(mine.measures * n + m) * parts + i] + ahead * rate_i
                e, rate, sum_phi = e - e_i, rate - rate_i, sum_phi + phi
                stored += 0.5 * weight * kappa / phi * e_i * e_i
                power += weight * rate_i * rate_i / phi
        widening = 1.0 / (1.0 - mine.b[n] * sum_phi)  # = 1 + c_1 sum phi
        stored += 0.5 * weight * mine.a[n] * widening * e * e
        power += weight * mine.b[n] * widening * rate * rate
        given += weight * measured.stress[m] * measured.rate[m]
    return stored, power, given


@inner
def _push(mine, n, ctx):
    """Add the forces of one element; returns the power [W] that they take from the motion."""
    measured, corners, power = mine.measured, mine.corners, 0.0
    push, stress, points, forces = measured.push, measured.stress, ctx.points, ctx.forces
    for a in range(corners):
        p = U(mine.corner[corners * n + a])
        for axis in range(U(3)):
            f = 0.0
            for m in range(mine.measures):
                f += stress[m] * push[(m * corners + a) * U(3) + axis]
            forces[ctx.own + U(4) * p + axis] -= f
            power += f * points[U(8) * p + U(4) + axis]
    return power


@inner
def _add_forces(ctx, mine, stage, ahead, account):
    count, measured, tally = mine.measures * mine.parts, mine.measured, mine.tally
    stored, power, given, taken, thin = 0.0, 0.0, 0.0, 0.0, 1.0
    for n in range(mine.first, mine.last):
        thin = max(thin, _measure(mine, n, ctx.points))
        _stresses(mine, n, ahead)
        work = _push(mine, n, ctx)
        if account:
            s, p, g = _energy(mine, n, ahead)
            stored, power, given, taken = stored + s, power + p, given + g, taken + work - g
        if stage != FREEZE:
            integrate_range(stage, mine.internal, mine.internal_start, mine.internal_total, count * n, measured.internal_rate, U(0), count,
                            ctx.step, ctx.weight)  # fmt: skip
    tally[STIFFENED] = thin * thin
    if account:
        tally[STORED] = stored
        tally[DISSIPATED] += ctx.weight * power
        tally[GIVEN] += ctx.weight * given
        tally[TAKEN] += ctx.weight * taken


def add_forces(ctx, mine):
    _add_forces(ctx, mine, ctx.stage, 0.0, ctx.account)


def look_around(ctx, mine):
    if mine.tally[STIFFENED] > ctx.allowed:
        ask_to_stop(ctx)


def add_end_forces(ctx, mine):
    dt, parts = ctx.ahead, mine.parts
    for n in range(mine.first, mine.last):
        a, b, stiff = mine.a[n], mine.b[n], 1.0
        for i in range(parts):
            k, f = mine.kappa[parts * n + i], mine.phi[parts * n + i]
            stiff += (a - b * k) / (1.0 + dt * k) * dt * f
        mine.slope[n] = (a * dt + b) / stiff
    _add_forces(ctx, mine, EULER if ctx.finish else FREEZE, dt, ctx.finish)


@inner
def _ratio(mine, m):
    """|J|/|h| of a strain."""
    J, h, size = mine.measured.along, mine.measured.push, mine.corners * U(3)
    one, two = 0.0, 0.0
    for k in range(size):
        one += J[m * size + k] ** 2
        two += h[m * size + k] ** 2
    return math.sqrt(one / (two + TINY))


def add_product(ctx, mine):
    """slope (s h h^T + J J^T / s) / 2 with s = |J|/|h|: symmetric, never negative, and no less than the tangent h J^T, which it is at rest.

    What corners of an obtuse triangle take away in the form `cot` (where h = -size J) is left out.
    """
    corners, size, u, y, own = mine.corners, mine.corners * U(3), ctx.direction, ctx.forces, ctx.own
    J, h = mine.measured.along, mine.measured.push
    for n in range(mine.first, mine.last):
        if mine.factor[n] <= 0.0:
            continue
        _measure(mine, n, ctx.points)
        for m in range(mine.measures):
            by_push, by_strain = 0.0, 0.0
            for k in range(size):
                at = U(4) * U(mine.corner[corners * n + k // U(3)]) + k % U(3)
                by_push += h[m * size + k] * u[at]
                by_strain += J[m * size + k] * u[at]
            s = _ratio(mine, m)
            by_push, by_strain = 0.5 * mine.slope[n] * s * by_push, 0.5 * mine.slope[n] / (s + TINY) * by_strain
            for k in range(size):
                at = U(4) * U(mine.corner[corners * n + k // U(3)]) + k % U(3)
                y[own + at] += by_push * h[m * size + k] + by_strain * J[m * size + k]


def add_diagonal(ctx, mine):
    corners, size, y, own = mine.corners, mine.corners * U(3), ctx.forces, ctx.own
    J, h = mine.measured.along, mine.measured.push
    for n in range(mine.first, mine.last):
        if mine.factor[n] <= 0.0:
            continue
        _measure(mine, n, ctx.points)
        for m in range(mine.measures):
            s = _ratio(mine, m)
            for k in range(size):
                at = U(4) * U(mine.corner[corners * n + k // U(3)]) + k % U(3)
                y[own + at] += 0.5 * mine.slope[n] * (s * h[m * size + k] ** 2 + J[m * size + k] ** 2 / (s + TINY))


def note(ctx, mine):
    """The virial of every element, sum of tau h x: over its volume at rest, Kirchhoff's stress."""
    corners, measured, points, noted = mine.corners, mine.measured, ctx.points, mine.noted
    for n in range(mine.first, mine.last):
        _measure(mine, n, points)
        _stresses(mine, n, 0.0)
        for k in range(U(6)):
            noted[U(6) * n + k] = 0.0
        for a in range(corners):
            at = U(8) * U(mine.corner[corners * n + a])
            for m in range(mine.measures):
                k, tau = (m * corners + a) * U(3), measured.stress[m]
                x, y, z = tau * measured.push[k], tau * measured.push[k + U(1)], tau * measured.push[k + U(2)]
                noted[U(6) * n] += x * points[at]
                noted[U(6) * n + U(1)] += y * points[at + U(1)]
                noted[U(6) * n + U(2)] += z * points[at + U(2)]
                noted[U(6) * n + U(3)] += 0.5 * (y * points[at + U(2)] + z * points[at + U(1)])
                noted[U(6) * n + U(4)] += 0.5 * (z * points[at] + x * points[at + U(2)])
                noted[U(6) * n + U(5)] += 0.5 * (x * points[at + U(1)] + y * points[at])
