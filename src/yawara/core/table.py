"""The table by which the core calls force terms: rows of (kernel, record), phase by phase.

Phases of a step, in their order. A term takes part in those for which it has a kernel; one that nobody takes part in costs a comparison.
"""

from enum import IntEnum

from yawara.kernels.calls import address_of, call_with_two
from yawara.kernels.jit import inlined


class Phase(IntEnum):
    """Names are those of the kernels, in lower case."""

    BEGIN = 0  # of a call
    MEASURE = 1  # what all threads must know before forces can be added; they meet after it
    ADD_FORCES = 2  # to the thread's own part, and move internal variables by the stage
    HAND_ON = 3  # forces on nodes without mass to those that carry them
    CONSTRAIN = 4  # own points have their whole force
    SOLVE = (
        5  # and what acts from outside: forces that follow from all others together. Kernels may meet, all threads equally often
    )
    PLACE = 6  # own points have moved
    PROJECT = 7  # all points have moved: at the end of a step, between two meetings
    AFTER_PROJECTION = 8
    FOLLOW = 9  # nodes without mass go where those that carry them are; between two meetings
    END_STEP = 10
    LOOK_AROUND = 11  # may ask to end the call; threads meet after it
    END = 12  # of a call
    ADD_END_FORCES = 13  # forces at the end of an implicit step, and the tangent there
    MEASURE_PRODUCT = 14
    ADD_PRODUCT = 15  # tangent times `direction`
    ADD_DIAGONAL = 16  # of the tangent
    LEAD = 17  # `direction` of nodes without mass
    END_SOLVED_STEP = 18  # once an implicit step is solved
    NOTE = 19  # what each element bears, for stresses
    CORRECT = 20  # the equations of an implicit step hold, but constraints are not met yet: move their multipliers


@inlined
def has(ctx, phase):
    """Whether anybody takes part."""
    return ctx.cut[phase + 1] > ctx.cut[phase]


@inlined
def run(ctx, phase):
    """Call all who take part, in the order of the terms."""
    rows = ctx.rows
    for row in range(ctx.cut[phase], ctx.cut[phase + 1]):
        call_with_two(rows[row, 0], address_of(ctx), rows[row, 1])


EXPLICIT = tuple(phase for phase in Phase if phase <= Phase.END)
IMPLICIT = (
    Phase.BEGIN, Phase.MEASURE, Phase.HAND_ON, Phase.CONSTRAIN, Phase.PLACE, Phase.PROJECT, Phase.AFTER_PROJECTION, Phase.FOLLOW,
    Phase.LOOK_AROUND, Phase.END, Phase.ADD_END_FORCES, Phase.MEASURE_PRODUCT, Phase.ADD_PRODUCT, Phase.ADD_DIAGONAL, Phase.LEAD,
    Phase.END_SOLVED_STEP, Phase.CORRECT,
)  # fmt: skip
TANGENT = (
    Phase.BEGIN, Phase.MEASURE, Phase.HAND_ON, Phase.ADD_END_FORCES, Phase.MEASURE_PRODUCT, Phase.ADD_PRODUCT, Phase.LEAD,
)  # fmt: skip
NOTES = (Phase.BEGIN, Phase.MEASURE, Phase.NOTE)
FORCES = (Phase.BEGIN, Phase.MEASURE, Phase.ADD_FORCES, Phase.HAND_ON, Phase.CONSTRAIN)
