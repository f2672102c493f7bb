"""What is borne of a stretch: by the energy, as memory and flow leave it."""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.continuum.constants import DRIVEN, DRIVEN_START, FLUIDITY, LANES, STRETCHING
from yawara.terms.continuum.energies import drive
from yawara.terms.continuum.measures import measure
from yawara.terms.continuum.plastic_flow import flow
from yawara.terms.continuum.prony import remember

L = U(LANES)
NUDGE = 1e-6  # of strains, by which rates of stress are found


@inner
def bear(block):
    """BORNE of the stretch as it is, and rates of internal variables."""
    measure(block, 0.0, 0.0)
    drive(block)
    remember(block)
    if block.parameter[block.column + U(FLUIDITY)] > 0.0:
        flow(block)


@inner
def begin_step(block):
    """DRIVEN is that of the beginning of a step over which internal variables are integrated."""
    w = block.w
    for k in range(U(6) * L):
        w[U(DRIVEN_START) * L + k] = w[U(DRIVEN) * L + k]


@inner
def short_while(block):
    """[s], in which nothing is stretched, and nothing flows, by more than NUDGE."""
    w, rate, fastest = block.w, block.rate, 0.0
    for k in range(U(6) * L):
        fastest = max(fastest, abs(w[U(STRETCHING) * L + k]))
    if block.parameter[block.column + U(FLUIDITY)] > 0.0:
        for k in range((block.values - U(6)) * L, block.values * L):
            fastest = max(fastest, abs(rate[k]))
    return NUDGE / fastest if fastest > 0.0 else 1.0
