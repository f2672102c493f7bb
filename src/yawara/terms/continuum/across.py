"""How thick a sheet is whose law has an energy: under plane stress, F_zz = s is what leaves no stress across,

    tau_zz + K (J - 1) J = 0,    J = s J2,

with the area J2 and Kirchhoff's stress as energy, memory and flow leave it. It is found anew in every evaluation, from a sheet that keeps
its volume on: by the secant method in ln s. A sheet is at most THICKEST times as thick as at rest, or as thin: beyond, its thickness
stays, and does no work.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.bearing import NUDGE, bear, begin_step, short_while
from yawara.terms.continuum.constants import (
    ACROSS,
    AT_ONCE,
    BORNE,
    FIRST_SHARE,
    FROZEN,
    LANES,
    MEAN,
    RATIO,
    RESISTING,
    SHRINK,
    STEADY,
    STRETCH,
    STRETCHING,
    VOLUME,
)
from yawara.terms.continuum.energies import drive
from yawara.terms.continuum.measures import measure
from yawara.terms.continuum.prony import remember
from yawara.terms.continuum.symmetric import contraction, put_six, six
from yawara.terms.continuum.thinness import appearing, thinness

L = U(LANES)
THICKEST = 4.0
FARTHEST = math.log(THICKEST)
BEFORE, PULL, SLOPE, BEGAN = (
    ACROSS,
    ACROSS + 1,
    ACROSS + 2,
    ACROSS + 3,
)  # ln s and the stress of the pass before, slope, s a step before
PASSES, NEAR_ENOUGH = 16, 1e-12  # of ln s; the secant method is much nearer by then
LONGEST, SHALLOWEST = 0.5, 0.05  # pass, in ln s; slope, over K + 4/3 mu


@inlined
def _stress_across(w, mu, K, t, later):
    """s P_zz [Pa], Kirchhoff's, of the stretch some time [s] later."""
    u, v, tau, J = six(w, STRETCH, t), six(w, STRETCHING, t), six(w, BORNE, t), w[U(RATIO) * L + t]
    x, y, z, xy = u[0] + later * v[0], u[1] + later * v[1], u[2] + later * v[2], u[5] + later * v[5]
    area = x * y - xy * xy
    _, c, part = thinness(J, w[U(SHRINK) * L + t])
    h, slope = appearing(J)
    e = x - 1.0, y - 1.0, z - 1.0, 0.0, 0.0, xy
    of_energy = part * (tau[2] + (1.0 + 3.0 * c) * w[U(MEAN) * L + t]) * area
    of_the_other = 2.0 * mu * h * e[2] + mu * slope * contraction(e, e) * area
    return z * (of_energy + of_the_other + K * (J - 1.0) * area)


@inner
def _begin(w):
    """A sheet that keeps its volume."""
    for t in range(L):
        u = six(w, STRETCH, t)
        area = max(u[0] * u[1] - u[5] * u[5], 1.0 / THICKEST)
        w[U(STRETCH + 2) * L + t] = 1.0 / min(area, THICKEST)


@inner
def find_thickness(block):
    """U_zz, and all that is borne with it."""
    w, c, parameter = block.w, block.column, block.parameter
    mu, K = parameter[c + U(AT_ONCE)], parameter[c + U(VOLUME)]
    whole = K + 4.0 / 3.0 * mu
    _begin(w)
    for n in range(PASSES):
        bear(block)
        moved = 0.0
        for t in range(L):
            x, now = math.log(w[U(STRETCH + 2) * L + t]), _stress_across(w, mu, K, t, 0.0)
            slope = K + 4.0 / 3.0 * mu * w[U(RESISTING) * L + t]
            if n > 0:
                way = x - w[U(BEFORE) * L + t]
                known = abs(way) > 1e-15
                slope = (now - w[U(PULL) * L + t]) / way if known else w[U(SLOPE) * L + t]
            slope = max(slope, SHALLOWEST * whole)
            further = min(max(x - min(max(now / slope, -LONGEST), LONGEST), -FARTHEST), FARTHEST)
            w[U(BEFORE) * L + t], w[U(PULL) * L + t], w[U(SLOPE) * L + t] = x, now, slope
            w[U(STRETCH + 2) * L + t] = math.exp(further)
            moved = max(moved, abs(further - x))
        if moved <= NEAR_ENOUGH:
            break
    bear(block)


@inner
def look_back_across(block):
    """DRIVEN_START, and how thick the sheet was a step before."""
    w, way = block.w, block.way
    if way != STEADY:
        return
    _move(w, -block.ahead)
    block.way = FROZEN
    find_thickness(block)
    block.way = way
    begin_step(block)
    for t in range(L):
        w[U(BEGAN) * L + t] = w[U(STRETCH + 2) * L + t]
    _move(w, block.ahead)


@inner
def _move(w, time):
    for t in range(L):
        u, v = six(w, STRETCH, t), six(w, STRETCHING, t)
        put_six(w, STRETCH, t, (u[0] + time * v[0], u[1] + time * v[1], u[2], u[3], u[4], u[5] + time * v[5]))


@inner
def find_thickening(block, since):
    """s' [1/s], in STRETCHING: what follows from how the sheet is stretched in its plane, what relaxes and what flows. C_p^-1 is that of
    `since` [s] after its internal variables. What is borne is found again by whoever needs it."""
    w, c, parameter = block.w, block.column, block.parameter
    mu, K = parameter[c + U(AT_ONCE)], parameter[c + U(VOLUME)]
    if block.way == STEADY:
        for t in range(L):
            w[U(STRETCHING + 2) * L + t] = (w[U(STRETCH + 2) * L + t] - w[U(BEGAN) * L + t]) / block.ahead
        return
    _note_fading(block)
    near = short_while(block)
    for side in range(2):
        later = near if side == 0 else -near
        measure(block, later, since + later)
        drive(block)
        remember(block)
        for t in range(L):
            change = 0.5 / later * _stress_across(w, mu, K, t, later)
            w[U(PULL) * L + t] = w[U(PULL) * L + t] + change if side else change
    for t in range(L):
        w[U(SLOPE) * L + t], w[U(BEGAN) * L + t] = 0.0, w[U(STRETCH + 2) * L + t]
    for side in range(2):
        way = math.exp(NUDGE if side == 0 else -NUDGE)
        for t in range(L):
            w[U(STRETCH + 2) * L + t] = way * w[U(BEGAN) * L + t]
        measure(block, 0.0, since)
        drive(block)
        remember(block)
        for t in range(L):
            w[U(SLOPE) * L + t] += (0.5 if side == 0 else -0.5) / NUDGE * _stress_across(w, mu, K, t, 0.0)
    for t in range(L):
        s = w[U(BEGAN) * L + t]
        w[U(STRETCH + 2) * L + t] = s
        stays = abs(math.log(s)) > 0.999999 * FARTHEST
        slope = max(w[U(SLOPE) * L + t], SHALLOWEST * (K + 4.0 / 3.0 * mu))
        w[U(STRETCHING + 2) * L + t] = 0.0 if stays else -s * (w[U(PULL) * L + t] + w[U(BEFORE) * L + t]) / slope


@inner
def _note_fading(block):
    """BEFORE: how fast the stress across changes as branches relax [Pa/s]; their rates are those of what is borne now."""
    w, c, parameter, mu = block.w, block.column, block.parameter, block.parameter[block.column + U(AT_ONCE)]
    for t in range(L):
        w[U(BEFORE) * L + t] = 0.0
    for n in range(block.branches):
        share = mu * parameter[c + U(FIRST_SHARE) + U(2) * n]
        for t in range(L):
            J, u = w[U(RATIO) * L + t], six(w, STRETCH, t)
            _, _, part = thinness(J, w[U(SHRINK) * L + t])
            w[U(BEFORE) * L + t] -= u[2] * part * (u[0] * u[1] - u[5] * u[5]) * share * block.rate[(U(6) * n + U(2)) * L + t]
