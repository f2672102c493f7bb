"""What is borne of a stretch: by the energy, as memory and flow leave it."""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.continuum.constants import DRIVEN, DRIVEN_START, FLUIDITY, LANES
from yawara.terms.continuum.energies import drive
from yawara.terms.continuum.measures import measure
from yawara.terms.continuum.plastic_flow import flow
from yawara.terms.continuum.prony import remember

L = U(LANES)


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
