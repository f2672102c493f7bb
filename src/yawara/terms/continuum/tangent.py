"""Products with the tangent of a block, for any law: by moving gradients and modes a little, both ways.

    (dP/dF : h D + dP/dF' : D) = (P(F + s h D, F' + s D) - P(F - s h D, F' - s D)) / (2 s),

with the step h [s] of the scheme and a small s. Internal variables go along as they do in a step, so the product is that of the whole
step. It is as symmetric as rounding leaves it, 1e-10 of its size.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.continuum.constants import (
    AT_ONCE,
    BENDING,
    BENDING_RELAXING,
    BENDING_VISCOSITY,
    BULK,
    LANES,
    MOST_COLUMNS,
    OUT,
    SHEAR_VISCOSITY,
    VOLUME_VISCOSITY,
)
from yawara.terms.continuum.passes import evaluate, gather

L = U(LANES)
NUDGE = 1e-6  # change of a gradient
KEPT = (
    2 * OUT + 3 * MOST_COLUMNS + 1
) * LANES  # numbers kept beside: rows as they are, the direction, what one side gave, how far lanes go
GIVEN, FAR = U(2 * OUT) * L, U(2 * OUT + 3 * MOST_COLUMNS) * L  # where the last two begin


@inner
def _how_far(mine, n, kept, ahead):
    """s of each lane."""
    volume, slot, columns = mine.volume, U(n) * L, U(mine.block_columns[n])
    if mine.block_lone[n]:
        columns = U(3)
    for t in range(L):
        size = 0.0
        for c in range(columns):
            scale = 1.0 if c < U(3) else 1.0 / math.sqrt(volume[slot + t] + 1e-300)
            for i in range(U(3)):
                size = max(size, scale * abs(kept[(U(OUT) + U(6) * c + U(3) + i) * L + t]))
        size *= ahead if ahead > 0.0 else NUDGE
        kept[FAR + t] = NUDGE / size if size > 0.0 else 1.0


@inner
def _move(mine, n, w, kept, ahead, sign):
    for c in range(U(mine.block_columns[n])):
        for i in range(U(3)):
            place, speed = (U(6) * c + i) * L, (U(6) * c + U(3) + i) * L
            moving = place if mine.block_lone[n] and c == U(3) else speed  # a lone column has what moves it in its lower half
            for t in range(L):
                far = sign * kept[FAR + t]
                w[place + t] = kept[place + t] + far * ahead * kept[U(OUT) * L + moving + t]
                w[speed + t] = kept[speed + t] + far * kept[U(OUT) * L + speed + t]


@inner
def product_of(mine, n, block, points, direction):
    """Minus the product, in the rows that are handed back: forces fall where points are pushed."""
    w, kept, rows, acting = block.w, mine.kept, U(6) * U(mine.block_columns[n]) * L, mine.acting[0]
    gather(mine, n, points, direction, U(4), w)
    for k in range(rows):
        kept[U(OUT) * L + k] = w[k]
    gather(mine, n, points, points, U(8), w)
    for k in range(rows):
        kept[k] = w[k]
    _how_far(mine, n, kept, block.ahead)
    back = U(3) * U(mine.block_columns[n])
    _move(mine, n, w, kept, block.ahead, 1.0)
    evaluate(mine, n, block)
    for k in range(back * L):
        kept[GIVEN + k] = w[U(OUT) * L + k]
    _move(mine, n, w, kept, block.ahead, -1.0)
    evaluate(mine, n, block)
    for row in range(back):
        for t in range(L):
            at = row * L + t
            w[U(OUT) * L + at] = 0.5 * acting / kept[FAR + t] * (w[U(OUT) * L + at] - kept[GIVEN + at])


@inner
def _box_diagonal(mine, first, row, V, shear, bulk, mode, forces, own):
    x, y, z, modes = mine.weight[row] ** 2, mine.weight[row + U(1)] ** 2, mine.weight[row + U(2)] ** 2, 0.0
    for m in range(U(3), U(7)):
        modes += mode * mine.weight[row + m] ** 2
    for e in range(first, first + U(8)):
        p, size = own + U(4) * U(mine.node[e]), V * shear * (x + y + z) + modes
        forces[p] += size + V * (bulk + shear / 3.0) * x
        forces[p + U(1)] += size + V * (bulk + shear / 3.0) * y
        forces[p + U(2)] += size + V * (bulk + shear / 3.0) * z


@inner
def diagonal_of(mine, n, ahead, forces, own):
    """About the diagonal at rest: what conjugate gradients are scaled with, and need not be exact."""
    parameter, c, columns, lone = mine.parameter, U(mine.block_parameter[n]), U(mine.block_columns[n]), mine.block_lone[n]
    shear = ahead * parameter[c + U(AT_ONCE)] + 0.5 * parameter[c + U(SHEAR_VISCOSITY)]
    bulk = ahead * parameter[c + U(BULK)] + parameter[c + U(VOLUME_VISCOSITY)]
    mode = ahead * (parameter[c + U(BENDING)] + parameter[c + U(BENDING_RELAXING)]) + parameter[c + U(BENDING_VISCOSITY)]
    for t in range(U(mine.block_live[n])):
        slot = U(n) * L + t
        first, last, row, V = U(mine.first[slot]), U(mine.first[slot + U(1)]), U(mine.row[slot]), mine.volume[slot]
        b0, b1, b2 = 0.0, 0.0, 0.0
        if mine.block_box[n]:
            _box_diagonal(mine, first, row, V, shear, bulk, mode, forces, own)
            continue
        for e in range(first + U(1), last + U(1)):  # the first entry comes last: it has minus the sum of the others
            at, is_first, modes = row + (e - first) * (U(5) if lone else columns), e == last, 0.0
            if is_first:
                x, y, z = -b0, -b1, -b2
            else:
                x, y, z = mine.weight[at], mine.weight[at + U(1)], mine.weight[at + U(2)]
                b0, b1, b2 = b0 + x, b1 + y, b2 + z
                if not lone:
                    for m in range(U(3), columns):
                        modes += mode * mine.weight[at + m] ** 2
            size, p = V * shear * (x * x + y * y + z * z) + modes, own + U(4) * U(mine.node[first if is_first else e])
            forces[p] += size + V * (bulk + shear / 3.0) * x * x
            forces[p + U(1)] += size + V * (bulk + shear / 3.0) * y * y
            forces[p + U(2)] += size + V * (bulk + shear / 3.0) * z * z
