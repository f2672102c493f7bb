"""What follows once points have moved: projections, and nodes without mass."""

from yawara.core.table import Phase, has, run
from yawara.core.threads import wait
from yawara.kernels.jit import inner

PROJECT, AFTER_PROJECTION, FOLLOW = int(Phase.PROJECT), int(Phase.AFTER_PROJECTION), int(Phase.FOLLOW)


@inner
def project(ctx):
    """At the end of a step, terms may put points elsewhere; they see nodes without mass where these belong. False if the threads parted."""
    if has(ctx, PROJECT):
        if has(ctx, FOLLOW):
            if not wait(ctx):
                return False
            run(ctx, FOLLOW)
        if not wait(ctx):
            return False
        run(ctx, PROJECT)
        if not wait(ctx):
            return False
        run(ctx, AFTER_PROJECTION)
    return True


@inner
def follow(ctx):
    """Everybody has moved; nodes without mass come after. False if the threads parted."""
    if has(ctx, FOLLOW):
        if not wait(ctx):
            return False
        run(ctx, FOLLOW)
    return wait(ctx)
