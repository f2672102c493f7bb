"""The forces of continuum elements: three passes over a block of stress points of one law.

Gradients and modes from the points, the law over rows of lanes, and back to the points by the same weights. Which law a block has is an
address, as with links.
"""

from numba import uint64 as U

from yawara.core.context import DISSIPATED, GIVEN, STIFFENED, STORED, TAKEN
from yawara.core.stages import EULER, FREEZE, integrate_range
from yawara.core.threads import ask_to_stop
from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.arrays import Arrays as Arrays  # what these kernels take
from yawara.terms.continuum.constants import BACKWARD, BY_RATE, FROZEN, LANES, OUT, STEADY
from yawara.terms.continuum.passes import ask_law, evaluate, gather, open_block, scatter, stabiliser_energy
from yawara.terms.continuum.simplex_guard import add_guard_products, add_guards
from yawara.terms.continuum.tangent import diagonal_of, product_of

L = U(LANES)


@inner
def _move_internal(ctx, mine, block, stage, step):
    integrate_range(stage, mine.internal, mine.internal_start, mine.internal_total, block.place, block.rate, U(0), block.values * L, step,
                    ctx.weight)  # fmt: skip


@inner
def _given(mine, n, w):
    """[W], into springs and dampers: what is handed back times the rates of gradients and modes."""
    columns, total, lone = mine.block_columns[n], 0.0, mine.block_lone[n]
    if lone:
        columns = 3
    for c in range(U(columns)):
        for i in range(U(3)):
            for t in range(U(mine.block_live[n])):
                total += w[(U(OUT) + U(3) * c + i) * L + t] * w[(U(6) * c + U(3) + i) * L + t]
    return total


@inner
def _given_alone(mine, n, w, points):
    """[W], of the force on a single point."""
    slot, total = U(n) * L, 0.0
    for t in range(U(mine.block_live[n])):
        p = U(8) * U(mine.node[U(mine.first[slot + t])]) + U(4)
        for i in range(U(3)):
            total += w[(U(OUT + 9) + i) * L + t] * points[p + i]
    return total


def add_forces(ctx, mine):
    """Add the forces [N] of the thread's blocks and move their internal variables by one stage."""
    points, block, stored, power, taken, stiffened = ctx.points, mine.block, 0.0, 0.0, 0.0, 0.0
    block.way, block.ahead, block.account = BY_RATE, 0.0, ctx.account
    for n in range(mine.first_block, mine.last_block):
        open_block(mine, n, block)
        gather(mine, n, points, points, U(8), block.w)
        evaluate(mine, n, block)
        stiffened = max(stiffened, block.stiffening)
        if ctx.account:
            one, two = stabiliser_energy(mine, n, block.w, points)
            stored, power, taken = stored + block.stored + one, power + block.power + two, taken + block.taken
        if ctx.stage != FREEZE:
            _move_internal(ctx, mine, block, ctx.stage, ctx.step)
        scatter(mine, n, ctx.forces, ctx.own, block.w)
    kept, _, stiffer = add_guards(mine, points, ctx.forces, ctx.own)
    stored, mine.tally[STIFFENED] = stored + kept, max(stiffened, stiffer)
    if ctx.account:
        mine.tally[STORED] = stored
        mine.tally[DISSIPATED] += ctx.weight * power
        mine.tally[TAKEN] += ctx.weight * taken


def look_around(ctx, mine):
    """A step that was stable need not stay so."""
    if mine.tally[STIFFENED] > ctx.allowed:
        ask_to_stop(ctx)


@inlined
def _choose_way(ctx, block):
    """An explicit scheme looks at its stable step: what relaxes is then as stiff as it is at once."""
    block.ahead = ctx.ahead
    block.way = FROZEN if not ctx.exact else STEADY if ctx.steady else BACKWARD


def add_end_forces(ctx, mine):
    """The same at the end of a step that the internal variables make along; the tangent there is found by its products."""
    points, block, stored, power, given, taken, stiffened = ctx.points, mine.block, 0.0, 0.0, 0.0, 0.0, 0.0
    _choose_way(ctx, block)
    block.account, mine.acting[0] = ctx.finish, 1.0
    for n in range(mine.first_block, mine.last_block):
        open_block(mine, n, block)
        gather(mine, n, points, points, U(8), block.w)
        evaluate(mine, n, block)
        stiffened = max(stiffened, block.stiffening)
        if ctx.finish:
            one, two = stabiliser_energy(mine, n, block.w, points)
            stored, power, taken = stored + block.stored + one, power + block.power + two, taken + block.taken
            given += _given(mine, n, block.w) + (_given_alone(mine, n, block.w, points) if mine.block_lone[n] else 0.0)
            _move_internal(ctx, mine, block, EULER, ctx.ahead)
        scatter(mine, n, ctx.forces, ctx.own, block.w)
    kept, into, stiffer = add_guards(mine, points, ctx.forces, ctx.own)
    mine.tally[STIFFENED] = max(stiffened, stiffer)
    if ctx.finish:
        stored, given = stored + kept, given + into
        mine.tally[STORED] = stored
        mine.tally[DISSIPATED] += ctx.ahead * power
        mine.tally[GIVEN] += ctx.ahead * (given - taken)
        mine.tally[TAKEN] += ctx.ahead * taken


def add_product(ctx, mine):
    """Tangent times `direction`."""
    block = mine.block
    _choose_way(ctx, block)
    block.account = 0
    for n in range(mine.first_block, mine.last_block):
        open_block(mine, n, block)
        product_of(mine, n, block, ctx.points, ctx.direction)
        scatter(mine, n, ctx.forces, ctx.own, block.w)
    add_guard_products(mine, ctx.points, ctx.direction, ctx.ahead, ctx.exact, ctx.forces, ctx.own)


def add_diagonal(ctx, mine):
    for n in range(mine.first_block, mine.last_block):
        diagonal_of(mine, n, ctx.ahead, ctx.forces, ctx.own)


def note(ctx, mine):
    """Kirchhoff's stress of each stress point, P F^T: xx yy zz yz zx xy."""
    block, noted, volume = mine.block, mine.noted, mine.volume
    block.way, block.ahead, block.account = BY_RATE, 0.0, 0
    for n in range(mine.first_block, mine.last_block):
        open_block(mine, n, block)
        gather(mine, n, ctx.points, ctx.points, U(8), block.w)
        ask_law(mine, n, block)
        w, dampers = (
            block.w,
            mine.lone_viscosity[n] / (4.0 if block.plane else 5.0),
        )  # of lines to neighbours, on average: simplices.py
        for t in range(block.live):
            even = dampers * (w[U(3) * L + t] + w[U(10) * L + t] + w[U(17) * L + t])
            for m in range(U(6)):
                i = m if m < U(3) else (m + U(1)) % U(3)
                j = m if m < U(3) else (m + U(2)) % U(3)
                total = 0.0
                for k in range(U(3)):
                    total += w[(U(OUT) + U(3) * k + i) * L + t] * w[(U(6) * k + j) * L + t]
                slow = dampers * (w[(U(6) * j + U(3) + i) * L + t] + w[(U(6) * i + U(3) + j) * L + t]) + (
                    even if m < U(3) else 0.0
                )
                noted[U(6) * (block.slot + t) + m] = total / volume[block.slot + t] + slow
