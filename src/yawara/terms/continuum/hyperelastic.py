"""Laws with an energy of finite strain: W of the stretches without the change of volume, K/2 (J - 1)^2, a Prony series, and a yield stress.

    tau = R (dev Y) R^T as memory leaves it,    P = tau F^-T + p cof F + dampers

(energies.py, prony.py, plastic_flow.py). Turned back by R, tau F^-T works upon U as sym(tau cof U)/J does, so that modes, dampers and what
makes P of them are those of the corotated law, whose own moduli of shear are 0 here. What has no volume left: thinness.py.
"""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.continuum.across import find_thickening, find_thickness, look_back_across
from yawara.terms.continuum.bearing import bear, begin_step, short_while
from yawara.terms.continuum.constants import (
    AT_ONCE,
    BACKWARD,
    BORNE,
    DRIVEN,
    DRIVEN_RATE,
    ENERGY,
    FLOW,
    FLOWED,
    FLUIDITY,
    LANES,
    MEAN,
    PLANE_STRESS,
    RATIO,
    RESISTING,
    SHRINK,
    SOLID,
    STEADY,
    STIFFNESS,
    STRETCH,
    STRETCHING,
    TENSION,
    VOLUME,
)
from yawara.terms.continuum.corotated import ZZ, book, push, stretch
from yawara.terms.continuum.energies import drive
from yawara.terms.continuum.guard import guard
from yawara.terms.continuum.measures import measure
from yawara.terms.continuum.modes import bend
from yawara.terms.continuum.prony import memory_energy, share_that_stays
from yawara.terms.continuum.rotation import find_plane_rotations, find_rotations
from yawara.terms.continuum.symmetric import cofactors_of, contraction, put_six, six, symmetric_product
from yawara.terms.continuum.thinness import appearing, fading, thinness

L = U(LANES)
THIRD = 1.0 / 3.0


@inner
def _look_back(block):
    """DRIVEN_START, for steps over which internal variables are integrated."""
    if block.way == STEADY and block.branches > U(0):
        measure(block, -block.ahead, 0.0)
        drive(block)
        begin_step(block)


@inner
def _add_tension(block):
    """T += sym(tau cof U)/J, and what restores things without volume."""
    w, mu = block.w, block.parameter[block.column + U(AT_ONCE)]
    for t in range(L):
        u, tau, T, J = six(w, STRETCH, t), six(w, BORNE, t), six(w, TENSION, t), w[U(RATIO) * L + t]
        _, c, part = thinness(J, w[U(SHRINK) * L + t])
        even = (1.0 + 3.0 * c) * w[U(MEAN) * L + t]  # 0 above J0
        k = cofactors_of(u)
        s = symmetric_product((tau[0] + even, tau[1] + even, tau[2] + even, tau[3], tau[4], tau[5]), k)
        e = u[0] - 1.0, u[1] - 1.0, u[2] - 1.0, u[3], u[4], u[5]
        h, slope = appearing(J)
        stiff, opening = 2.0 * mu * h, mu * slope * contraction(e, e)
        put_six(
            w, TENSION, t,
            (
                T[0] + part * s[0] + stiff * e[0] + opening * k[0], T[1] + part * s[1] + stiff * e[1] + opening * k[1],
                T[2] + part * s[2] + stiff * e[2] + opening * k[2], T[3] + part * s[3] + stiff * e[3] + opening * k[3],
                T[4] + part * s[4] + stiff * e[4] + opening * k[4], T[5] + part * s[5] + stiff * e[5] + opening * k[5],
            ),
        )  # fmt: skip


@inner
def _find_driven_rate(block):
    """DRIVEN_RATE as things move now; an integrated step has it already."""
    w = block.w
    if block.way == STEADY:
        return
    since = block.ahead if block.way == BACKWARD else 0.0  # C_p^-1 is that of the end of the step
    near = short_while(block)
    measure(block, near, since + near)
    drive(block)
    for k in range(U(6) * L):
        w[U(DRIVEN_RATE) * L + k] = w[U(DRIVEN) * L + k]
    measure(block, -near, since - near)
    drive(block)
    for k in range(U(6) * L):
        w[U(DRIVEN_RATE) * L + k] = 0.5 / near * (w[U(DRIVEN_RATE) * L + k] - w[U(DRIVEN) * L + k])
    measure(block, 0.0, since)
    drive(block)


@inner
def _book_energy(block):
    """What is stored, dissipated, and neither, as long as DRIVEN_RATE is not that of this instant; see prony.py."""
    w, mu, stays, volume, slot = (
        block.w,
        block.parameter[block.column + U(AT_ONCE)],
        share_that_stays(block),
        block.volume,
        block.slot,
    )
    flows, stored, power, taken = block.parameter[block.column + U(FLUIDITY)] > 0.0, 0.0, 0.0, 0.0
    for t in range(block.live):
        u, v, tau, J, V = six(w, STRETCH, t), six(w, STRETCHING, t), six(w, BORNE, t), w[U(RATIO) * L + t], volume[slot + t]
        e = u[0] - 1.0, u[1] - 1.0, u[2] - 1.0, u[3], u[4], u[5]
        remembered, lost = memory_energy(block, t)
        density = stays * w[U(ENERGY) * L + t] + remembered
        if flows:
            lost += w[U(FLOWED) * L + t] * contraction(six(w, FLOW, t), tau)
        fade, slope = fading(J)
        h, _ = appearing(J)
        stored += V * (fade * density + h * mu * contraction(e, e))
        power += V * fade * lost
        taken -= V * slope * contraction(cofactors_of(u), v) * density
    block.stored, block.power, block.taken = block.stored + stored, block.power + power, taken


@inner
def _book_taken(block):
    """V (tau - g_inf x) : (D - D_p - x'/(2 mu)); of what flows, D_p = gamma' N. And below J0, what the mean stress does beyond the energy
    that stays: it does not relax."""
    w, mu, volume, slot, taken = block.w, block.parameter[block.column + U(AT_ONCE)], block.volume, block.slot, 0.0
    kept, flows = share_that_stays(block), block.parameter[block.column + U(FLUIDITY)] > 0.0
    stays = mu * kept
    for t in range(block.live):
        J, y = w[U(RATIO) * L + t], w[U(SHRINK) * L + t]
        _, c, part = thinness(J, y)
        D = symmetric_product(six(w, STRETCHING, t), cofactors_of(six(w, STRETCH, t)))
        even = (1.0 + 3.0 * c) * w[U(MEAN) * L + t]  # 0 above J0
        taken += volume[slot + t] * (1.0 - kept) * even * part * (D[0] + D[1] + D[2])
        for m in range(U(6)):
            often, at = (1.0 if m < U(3) else 2.0), m * L + t
            speed = part * D[m] - 0.5 * w[U(DRIVEN_RATE) * L + at] * (part * J)
            if flows:
                speed -= part * J * w[U(FLOWED) * L + t] * w[U(FLOW) * L + at]
            taken += often * volume[slot + t] * (w[U(BORNE) * L + at] - stays * w[U(DRIVEN) * L + at]) * speed
    block.taken += taken


@inner
def _place_across(block):
    """A slice of a long body: nothing moves across."""
    w = block.w
    for t in range(L):
        w[U(ZZ) * L + t], w[U(ZZ + 3) * L + t] = 1.0, 0.0


@inner
def _find_thickness(block):
    """F_zz of a sheet and, where energies are followed, its rate."""
    w = block.w
    look_back_across(block)
    find_thickness(block)
    if block.account:
        find_thickening(block, block.ahead if block.way == BACKWARD else 0.0)
    for t in range(L):
        w[U(ZZ) * L + t] = w[U(STRETCH + 2) * L + t]
        w[U(ZZ + 3) * L + t] = w[U(STRETCHING + 2) * L + t]
    stretch(block)


@inner
def _note_stiffness(block):
    w, most, bulk = block.w, 0.0, block.parameter[block.column + U(VOLUME)]
    shear = 4.0 * THIRD * block.parameter[block.column + U(AT_ONCE)]
    for t in range(block.live):
        most = max(most, w[U(STIFFNESS) * L + t] + shear * w[U(RESISTING) * L + t])
    block.stiffening = most / (bulk + shear)


def stress(block):
    """V P, forces upon modes, rates of internal variables; energies if somebody follows them."""
    if block.plane == SOLID:
        find_rotations(block.w, block.live)
    else:
        find_plane_rotations(block.w)
        _place_across(block)
    stretch(block)
    if block.plane == PLANE_STRESS:
        _find_thickness(block)
    else:
        _look_back(block)
    bear(block)
    _add_tension(block)
    block.stored, block.power, block.taken = 0.0, 0.0, 0.0
    if block.account:
        book(block)
        _book_energy(block)
        if block.branches > U(0):
            _find_driven_rate(block)
            _book_taken(block)
    bend(block)
    push(block)
    guard(block)
    _note_stiffness(block)
