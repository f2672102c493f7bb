"""Forces and energies at one instant, without anything moving."""

from numba import uint64 as U

from yawara.core.context import open_context
from yawara.core.outside import add_point_forces
from yawara.core.stages import FREEZE
from yawara.core.table import Phase, has, run
from yawara.kernels.entries import kernel
from yawara.kernels.kinds import INT, REAL

BEGIN, MEASURE, ADD_FORCES, HAND_ON, CONSTRAIN = (
    int(phase) for phase in (Phase.BEGIN, Phase.MEASURE, Phase.ADD_FORCES, Phase.HAND_ON, Phase.CONSTRAIN)
)


@kernel(INT)
def add_forces(context):
    """Forces [N] of the table's terms on all points, for one thread, added to its buffer.

    Powers [W] are in the terms' tallies, as energies of one second. Returns the power [W] that goes into the motion of all points so far.
    """
    ctx = open_context(context)
    ctx.stage, ctx.number, ctx.last, ctx.weight, ctx.dt, ctx.ahead, ctx.made = FREEZE, 0, 0, 1.0, 0.0, 0.0, 0
    run(ctx, BEGIN)
    if has(ctx, MEASURE):
        run(ctx, MEASURE)
    run(ctx, ADD_FORCES)
    run(ctx, HAND_ON)
    forces, points, power = ctx.forces, ctx.points, 0.0
    for p in range(U(ctx.mass.size)):
        for axis in range(U(3)):
            power += forces[U(4) * p + axis] * points[U(8) * p + U(4) + axis]
    return power


@kernel(INT, REAL)
def act_from_outside(context, now):
    """What tools feel, and outer forces [N] at the time `now` [s] of the control's stretch."""
    ctx = open_context(context)
    run(ctx, CONSTRAIN)
    add_point_forces(ctx, now)
