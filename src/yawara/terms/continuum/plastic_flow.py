"""Flow beyond a yield stress, which stays: F = F_e F_p, with the inverse of C_p = F_p^T F_p as internal variable.

Of Kirchhoff's stress tau, as energy and memory leave it, with q = sqrt(3/2) |dev tau| and N = 3/2 dev tau / q:

    gamma' = max(q - Y, 0)/eta        Perzyna 1966
    (C_p^-1)' = -2 gamma' F^-1 N b_e F^-T,    b_e = F C_p^-1 F^T        Simo 1992, eq. 2.19

In a pull the rate of flow is (q - Y)/eta, so that Y and eta are counted like Young's modulus; in shear it yields at Y/sqrt(3). Volume does
not flow. An implicit step takes the direction that the stress would have without flow, and looks for how much flows so that the stress at
its end agrees: b_e = exp(-dg N) b_trial exp(-dg N), which with Hencky's energy alone is the return of Simo 1992.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import (
    AT_ONCE,
    BACKWARD,
    BORNE,
    BY_RATE,
    FLOW,
    FLOWED,
    FLUIDITY,
    LANES,
    MEASURE,
    RATIO,
    SHRINK,
    STEADY,
    STRETCH,
    TRIAL,
    YIELD,
)
from yawara.terms.continuum.energies import drive
from yawara.terms.continuum.prony import remember
from yawara.terms.continuum.symmetric import cofactors_of, congruence, contraction, put_six, six, symmetric_product
from yawara.terms.continuum.thinness import fading, thinness

L = U(LANES)
PASSES = 7  # of the secant method
TINY = 1e-300
SMALL = 1e-13  # steps of the search, of what flows: what they tell of the slope is rounding


@inner
def flow(block):
    """Rates of C_p^-1; in an implicit step also the stress that is left at its end."""
    _find_direction(block)
    if block.way == BACKWARD or block.way == STEADY:
        _search(block)
        _rates_of_step(block)
    else:
        _rates(block)


@inner
def _find_direction(block):
    """N, and how far the stress is beyond Y."""
    w, Y = block.w, block.parameter[block.column + U(YIELD)]
    for t in range(L):
        tau = six(w, BORNE, t)
        q = math.sqrt(1.5 * contraction(tau, tau)) + TINY
        part = 1.5 / q
        put_six(w, FLOW, t, (part * tau[0], part * tau[1], part * tau[2], part * tau[3], part * tau[4], part * tau[5]))
        w[U(FLOWED + 3) * L + t] = max(q - Y, 0.0)


@inlined
def _inverse_stretch(w, t):
    """U^-1"""
    k = cofactors_of(six(w, STRETCH, t))
    _, _, part = thinness(w[U(RATIO) * L + t], w[U(SHRINK) * L + t])
    return part * k[0], part * k[1], part * k[2], part * k[3], part * k[4], part * k[5]


@inner
def _rates(block):
    w, rate, at = block.w, block.rate, (block.values - U(6)) * L
    fluidity = block.parameter[block.column + U(FLUIDITY)] if block.way == BY_RATE else 0.0
    for t in range(L):
        fade, _ = fading(w[U(RATIO) * L + t])
        speed = fluidity * fade * w[U(FLOWED + 3) * L + t]
        w[U(FLOWED) * L + t] = speed * fade * fade  # U^-1 fades as well
        back = congruence(_inverse_stretch(w, t), symmetric_product(six(w, FLOW, t), six(w, MEASURE, t)))
        for m in range(6):
            rate[at + U(m) * L + t] = -2.0 * speed * back[m]


@inlined
def _exponential(a):
    """exp(A), by its series for A/4, squared twice."""
    e = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    for n in range(8):
        p, part = symmetric_product(a, e), 0.25 / (8.0 - n)
        e = (1.0 + part * p[0], 1.0 + part * p[1], 1.0 + part * p[2], part * p[3], part * p[4], part * p[5])
    e = symmetric_product(e, e)
    return symmetric_product(e, e)


@inner
def _stress_after(block):
    """Of what FLOWED says has flowed."""
    w = block.w
    for t in range(L):
        n, dg = six(w, FLOW, t), -w[U(FLOWED) * L + t]
        e = _exponential((dg * n[0], dg * n[1], dg * n[2], dg * n[3], dg * n[4], dg * n[5]))
        put_six(w, MEASURE, t, congruence(e, six(w, TRIAL, t)))
    drive(block)
    remember(block)


@inner
def _search(block):
    """FLOWED so that N : tau = Y + eta dg/dt, by the secant method; 0 where the stress was below Y."""
    w, parameter, c = block.w, block.parameter, block.column
    Y, damper = parameter[c + U(YIELD)], 1.0 / (parameter[c + U(FLUIDITY)] * block.ahead)
    stiff = 3.0 * parameter[c + U(AT_ONCE)] + damper
    for k in range(U(6) * L):
        w[U(TRIAL) * L + k] = w[U(MEASURE) * L + k]
    for t in range(L):
        fade, _ = fading(w[U(RATIO) * L + t])
        beyond = w[U(FLOWED + 3) * L + t] if fade == 1.0 else 0.0
        w[U(FLOWED + 1) * L + t], w[U(FLOWED + 3) * L + t] = 0.0, beyond
        w[U(FLOWED) * L + t], w[U(FLOWED + 2) * L + t] = beyond / stiff, 0.0 if beyond <= 0.0 else 1.0
    for _ in range(PASSES):
        _stress_after(block)
        for t in range(L):
            now, before = w[U(FLOWED) * L + t], w[U(FLOWED + 1) * L + t]
            missing = contraction(six(w, FLOW, t), six(w, BORNE, t)) - Y - damper * now
            step = now - before
            known = abs(step) > SMALL * now
            slope = (missing - w[U(FLOWED + 3) * L + t]) / (step if known else 1.0)
            further = missing / min(slope, -damper) if known else 0.0
            w[U(FLOWED + 1) * L + t], w[U(FLOWED + 3) * L + t] = now, missing
            w[U(FLOWED) * L + t] = w[U(FLOWED + 2) * L + t] * max(now - further, 0.0)
    _stress_after(block)


@inner
def _rates_of_step(block):
    """(U^-1 b U^-1 - C_p^-1)/dt; FLOWED becomes a rate."""
    w, rate, at, internal = block.w, block.rate, (block.values - U(6)) * L, block.internal
    own, part = block.place + at, 1.0 / block.ahead
    for t in range(L):
        z, flowing = congruence(_inverse_stretch(w, t), six(w, MEASURE, t)), w[U(FLOWED) * L + t] > 0.0
        w[U(FLOWED) * L + t] *= part
        for m in range(6):
            unit = 1.0 if m < 3 else 0.0
            rate[at + U(m) * L + t] = part * (z[m] - unit - internal[own + U(m) * L + t]) if flowing else 0.0
