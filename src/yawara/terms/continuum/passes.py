"""From points to the rows of a block, and back: gradients and modes by weights, forces by the same."""

from numba import uint64 as U

from yawara.kernels.calls import address_of, call_with_one
from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import AT_ONCE, BEGAN, BENDING, BULK, LANES, MILD_BOXES, OUT, STEADIER, STEADIER_MODES
from yawara.terms.continuum.vector import (
    gather_3,
    gather_4,
    gather_7,
    gather_box,
    gather_nodal,
    scatter_3,
    scatter_4,
    scatter_7,
    scatter_box,
    scatter_nodal,
    turn_back,
    turn_column,
)

L = U(LANES)
OF_MODES = 0.28  # of a cube: 0.85 4/3 E/h^2 over the 4 M/h^2 of a wave with the modulus M


@inlined
def open_block(mine, n, block):
    block.column, block.place, block.slot = U(mine.block_parameter[n]), U(mine.block_place[n]), U(n) * L
    block.live, block.branches = U(mine.block_live[n]), U(mine.block_branches[n])
    block.values, block.taken = U(mine.block_values[n]), 0.0
    block.modes = U(0) if mine.block_lone[n] else U(mine.block_columns[n]) - U(3)
    block.plane = mine.block_plane[n]
    crushed = mine.crushed[mine.block_body[n]]
    block.guarding = MILD_BOXES if crushed > 0.0 else 1.0
    block.steadying = STEADIER_MODES if crushed == BEGAN else 1.0


@inner
def gather(mine, n, points, values, width, w):
    """Rows of w from places and velocities of points; or, if `width` is 4, with velocities from `values`: then only those rows count."""
    node, first, row, weight, raw, columns = mine.node, mine.first, mine.row, mine.weight, mine.raw, mine.block_columns[n]
    slot, live, lone, box = U(n) * L, U(mine.block_live[n]), mine.block_lone[n], mine.block_box[n]
    for t in range(live):
        a, b, r = U(first[slot + t]), U(first[slot + t + U(1)]), U(row[slot + t])
        if box:
            gather_box(raw, t, points, values, width, node, a, weight, r)
        elif columns == 7:
            gather_7(raw, t, points, values, width, node, a, b, weight, r)
        elif lone:
            gather_nodal(raw, t, points, values, width, node, a, b, weight, r)
        elif columns == 4:
            gather_4(raw, t, points, values, width, node, a, b, weight, r)
        else:
            gather_3(raw, t, points, values, width, node, a, b, weight, r)
    for c in range(columns):
        for t in range(live, L):
            for k in range(U(8)):
                raw[(U(c) * L + t) * U(8) + k] = 1.0 if U(c) == k and c < 3 else 0.0
        turn_column(w, raw, c)


@inner
def scatter(mine, n, forces, own, w):
    node, first, row, weight, raw, columns = mine.node, mine.first, mine.row, mine.weight, mine.raw, mine.block_columns[n]
    slot, lone, box = U(n) * L, mine.block_lone[n], mine.block_box[n]
    for c in range(columns):
        turn_back(raw, w, c)
    for t in range(U(mine.block_live[n])):
        a, b, r = U(first[slot + t]), U(first[slot + t + U(1)]), U(row[slot + t])
        if box:
            scatter_box(forces, own, node, a, weight, r, raw, t)
        elif columns == 7:
            scatter_7(forces, own, node, a, b, weight, r, raw, t)
        elif lone:
            scatter_nodal(forces, own, node, a, b, weight, r, raw, t)
        elif columns == 4:
            scatter_4(forces, own, node, a, b, weight, r, raw, t)
        else:
            scatter_3(forces, own, node, a, b, weight, r, raw, t)


@inlined
def _stabiliser(mine, n):
    """s [Pa]"""
    return mine.lone_stiffness[n] * (STEADIER if mine.crushed[mine.block_body[n]] == BEGAN else 1.0)


@inner
def _stabilise(mine, n, w):
    """Of nodal elements: P -= s F, and on the point itself f -= s sum_b L_ab (x_b - x_a), s = 2 beta G (simplices.py).

    Its dampers act along the lines between points, as those that see what cells do beyond the mean would brake what turns.
    """
    s, c, volume, slot = _stabiliser(mine, n), mine.lone_viscosity[n], mine.volume, U(n) * L
    for j in range(U(3)):
        for i in range(U(3)):
            f, to = (U(6) * j + i) * L, (U(OUT) + U(3) * j + i) * L
            for t in range(L):
                w[to + t] -= volume[slot + t] * s * w[f + t]
    for i in range(U(3)):
        y, to = (U(18) + i) * L, (U(OUT + 9) + i) * L
        for t in range(L):
            w[to + t] = s * w[y + t] - c * w[y + U(3) * L + t]


@inner
def stabiliser_energy(mine, n, w, points):
    """(stored [J], dissipated [W]): s/2 (sum_ab L_ab x_a . x_b - sum_a V_a |F_a|^2); and what its dampers take."""
    s, c, volume, slot, stored, power = _stabiliser(mine, n), mine.lone_viscosity[n], mine.volume, U(n) * L, 0.0, 0.0
    if not mine.block_lone[n]:
        return 0.0, 0.0
    for t in range(U(mine.block_live[n])):
        p, V = U(8) * U(mine.node[U(mine.first[slot + t])]), volume[slot + t]
        for i in range(U(3)):
            stored += 0.5 * s * points[p + i] * w[(U(18) + i) * L + t]
            power -= c * points[p + U(4) + i] * w[(U(21) + i) * L + t]
            for j in range(U(3)):
                stored -= 0.5 * s * V * w[(U(6) * j + i) * L + t] ** 2
    return stored, power


@inlined
def ask_law(mine, n, block):
    call_with_one(mine.law_stress[mine.block_law[n]], address_of(block))


@inner
def evaluate(mine, n, block):
    """Rows of w become what is handed back to the points. In flat bodies nothing moves across, whatever F_zz the law has set."""
    w = block.w
    ask_law(mine, n, block)
    if mine.block_plane[n]:
        for t in range(L):
            w[U(14) * L + t] = w[U(17) * L + t] = 0.0
    if mine.block_lone[n]:
        _stabilise(mine, n, w)
    if mine.crushed[mine.block_body[n]] == BEGAN:
        _note_steadying(mine, n, block)


@inner
def _note_steadying(mine, n, block):
    """About the stiffness of what is steadier over that of a pressure wave, for the watch on the stable step."""
    parameter, c = block.parameter, block.column
    wave = parameter[c + U(BULK)] + 4.0 / 3.0 * parameter[c + U(AT_ONCE)]
    stiff = _stabiliser(mine, n) if mine.block_lone[n] else OF_MODES * block.steadying * parameter[c + U(BENDING)]
    block.stiffening = max(block.stiffening, 1.0 + stiff / wave)
