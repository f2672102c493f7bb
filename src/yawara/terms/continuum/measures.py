"""What has been stretched elastically: U^2 without its change of volume to come, U C_p^-1 U where something flows."""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.continuum.constants import FLUIDITY, LANES, MEASURE, STRETCH, STRETCHING, TRIAL
from yawara.terms.continuum.symmetric import congruence, determinant, put_six, six, symmetric_product
from yawara.terms.continuum.thinness import find_shrinks, keep_ratio

L = U(LANES)
THIRD = 1.0 / 3.0


@inner
def measure(block, later, flow_later):
    """MEASURE of the stretch some time [s] later, and of C_p^-1 some time later, as they change now."""
    w, odd = block.w, 0.0
    for t in range(L):
        u, v = six(w, STRETCH, t), six(w, STRETCHING, t)
        moved = (
            u[0] + later * v[0], u[1] + later * v[1], u[2] + later * v[2],
            u[3] + later * v[3], u[4] + later * v[4], u[5] + later * v[5],
        )  # fmt: skip
        odd += keep_ratio(w, t, moved)
        put_six(w, TRIAL, t, moved)
    find_shrinks(w, odd)
    if block.parameter[block.column + U(FLUIDITY)] > 0.0:
        _measure_elastic(block, flow_later)
        return
    for t in range(L):
        u = six(w, TRIAL, t)
        put_six(w, MEASURE, t, symmetric_product(u, u))


@inner
def _measure_elastic(block, later):
    """U C_p^-1 U; what rounding does to det C_p^-1 = 1 is taken out."""
    w, internal, rate, at = block.w, block.internal, block.rate, (block.values - U(6)) * L
    own = block.place + at
    for t in range(L):
        z = (
            1.0 + internal[own + t] + later * rate[at + t],
            1.0 + internal[own + L + t] + later * rate[at + L + t],
            1.0 + internal[own + U(2) * L + t] + later * rate[at + U(2) * L + t],
            internal[own + U(3) * L + t] + later * rate[at + U(3) * L + t],
            internal[own + U(4) * L + t] + later * rate[at + U(4) * L + t],
            internal[own + U(5) * L + t] + later * rate[at + U(5) * L + t],
        )
        b, part = congruence(six(w, TRIAL, t), z), max(determinant(z), 1e-12) ** (-THIRD)
        put_six(w, MEASURE, t, (part * b[0], part * b[1], part * b[2], part * b[3], part * b[4], part * b[5]))
