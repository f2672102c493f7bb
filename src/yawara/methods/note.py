"""What elements bear at one instant, written down for stresses."""

from yawara.core.context import open_context
from yawara.core.table import Phase, has, run
from yawara.kernels.entries import kernel
from yawara.kernels.kinds import INT

BEGIN, MEASURE, NOTE = int(Phase.BEGIN), int(Phase.MEASURE), int(Phase.NOTE)


@kernel(INT)
def note_all(context):
    """Of all terms, for one thread."""
    ctx = open_context(context)
    run(ctx, BEGIN)
    if has(ctx, MEASURE):
        run(ctx, MEASURE)
    run(ctx, NOTE)
