"""Incompressibility by constraints (Hirai 2005, sec. 4.3): the phases of a step.

Once all other forces are known, pressures are found under which every volume goes back to that at rest, critically damped. They push along
the volumes' gradients, so they have neither a sum nor a torque.
"""

from numba import uint64 as U

from yawara.core.context import TAKEN
from yawara.core.stages import FREEZE
from yawara.core.threads import wait
from yawara.kernels.jit import inner
from yawara.terms.incompressible import arrays as _arrays
from yawara.terms.incompressible.constraints import assemble
from yawara.terms.incompressible.multipliers import add_along, add_at_end, add_squares, take
from yawara.terms.incompressible.simplices import measure_elements
from yawara.terms.incompressible.system import accelerate, find_mobility, find_pressures, push

Arrays = _arrays.Arrays


def begin(ctx, mine):
    find_mobility(ctx, mine)


def measure(ctx, mine):
    """Volumes of elements, and how they change."""
    measure_elements(mine, ctx.points)


def solve(ctx, mine):
    """Constraints, then points, then pressures: each must be known to all before the next."""
    assemble(ctx, mine)
    if not wait(ctx):
        return
    accelerate(ctx, mine)
    if not wait(ctx) or not find_pressures(ctx, mine):
        return
    push(ctx, mine)
    if ctx.account:  # with one stage, work is that of the mean velocity: half is booked before points move
        mine.tally[TAKEN] -= (0.5 if ctx.last == 0 else 1.0) * ctx.weight * _power(mine)


@inner
def _power(mine):
    """[W], of the thread's constraints."""
    power = 0.0
    for c in range(mine.first, mine.last):
        power += mine.pressure[c] * mine.volume_rate[c]
    return power


def end_step(ctx, mine):
    """The other half, with the velocities after the step."""
    if not ctx.account or ctx.last != 0:
        return
    A, points, power = mine.A, ctx.points, 0.0
    for c in range(mine.first, mine.last):
        for entry in range(U(mine.row[c]), U(mine.row[c + U(1)])):
            v, at = U(8) * U(mine.entry_point[entry]) + U(4), U(3) * entry
            rate = A[at] * points[v] + A[at + U(1)] * points[v + U(1)] + A[at + U(2)] * points[v + U(2)]
            power += mine.pressure[c] * rate
    mine.tally[TAKEN] -= 0.5 * ctx.weight * power


def add_forces(ctx, mine):
    """At one instant, by whoever looks: with the pressures of the last stage. In a step they are found when all other forces are known."""
    if ctx.stage != FREEZE or ctx.weight == 0.0:
        return
    forces, own, power = ctx.forces, ctx.own, 0.0
    for c in range(mine.first, mine.last):
        pressure = mine.pressure[c]
        for m in range(U(mine.member_first[c]), U(mine.member_first[c + U(1)])):
            e = U(mine.member[m])
            power += pressure * mine.content_rate[e]
            for n in range(U(12)):
                point = U(mine.corner[U(4) * e + n // U(3)])
                forces[own + U(4) * point + n % U(3)] += pressure * mine.gradient[U(12) * e + n]
    mine.tally[TAKEN] -= ctx.weight * power


def add_end_forces(ctx, mine):
    """In implicit steps. Where stable explicit steps are looked for, constraints have no tangent: they make nothing quicker."""
    if ctx.exact:
        add_at_end(ctx, mine)
    else:
        mine.slope[:] = 0.0
        mine.bears[:] = 0.0


def correct(ctx, mine):
    take(mine)


def add_product(ctx, mine):
    add_along(ctx, mine)


def add_diagonal(ctx, mine):
    if not ctx.bodies_only:
        add_squares(ctx, mine)
