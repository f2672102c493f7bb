"""Eight numbers per vector instruction: places and velocities of points are fetched whole, weighted, and turned around.

A point is 8 numbers (x y z 0, vx vy vz 0), one 512-bit load. What the weights of a stress point make of its points is a column: 8 numbers
again, which stand at `raw[(c * LANES + t) * 8]`. Turned around, a row has one of these numbers for all lanes of the block.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from yawara.kernels.vector import FLAGS, INT64, VECTOR, WIDE, address, broadcast, load, shuffle, store
from yawara.terms.continuum.constants import LANES, OUT

ZERO, ZERO_WIDE = ir.Constant(VECTOR, [0.0] * 4), ir.Constant(WIDE, [0.0] * 8)


def _wide(builder: Any, value: Any) -> Any:
    undefined = ir.Constant(WIDE, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    return shuffle(builder, first, undefined, [0] * 8)


def _add_product(builder: Any, total: Any, factor: Any, value: Any) -> None:
    product = builder.fmul(factor, value, flags=FLAGS)
    builder.store(builder.fadd(builder.load(total), product, flags=FLAGS), total)


class _Stencil:
    """The entries of a stress point, while code for them is made: points, and a row of weights each."""

    def __init__(
        self, context: Any, builder: Any, node: tuple[Any, Any], weight: tuple[Any, Any], row: Any, columns: int
    ) -> None:
        self.builder, self.row, self.columns = builder, row, columns
        self._node = context.make_array(node[0])(context, builder, node[1]).data
        self._weight = context.make_array(weight[0])(context, builder, weight[1]).data

    def point(self, entry: Any) -> Any:
        return self.builder.zext(self.builder.load(self.builder.gep(self._node, [entry])), INT64)

    def weight(self, number: Any, column: int) -> Any:
        """Of the entry with that number in its stencil."""
        builder = self.builder
        at = builder.add(self.row, builder.add(builder.mul(number, INT64(self.columns)), INT64(column)))
        return builder.load(builder.gep(self._weight, [at]))


def _make_gather(columns: int, nodal: bool) -> Any:
    """With `nodal`, the last column is one of the first point alone."""

    @intrinsic
    def gather(
        typing: Any,
        raw: Any,
        t: Any,
        points: Any,
        values: Any,
        width: Any,
        node: Any,
        first: Any,
        last: Any,
        weight: Any,
        row: Any,
    ) -> Any:
        """raw[c, t] = sum over entries of weight_c d, where d is what a point has beyond the first entry's: place and velocity.

        Velocities are those of the points if `width` is 8; if it is 4, they are in `values`. A lone column has sum l d of places in its
        lower half, or of the velocities in `values`, and what dampers along the lines to the other points pull with in its upper half,
        sum k (d . d') d, with the two weights l and k.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            raw_, t_, points_, values_, width_, node_, first_, last_, weight_, row_ = args
            kinds = signature.args
            stencil = _Stencil(context, builder, (kinds[5], node_), (kinds[8], weight_), row_, 5 if nodal else columns)
            totals = [cgutils.alloca_once_value(builder, ZERO_WIDE) for _ in range(columns)]

            def loop_over(at: Any, of_values: bool) -> None:
                origin = at(stencil.point(first_))
                with cgutils.for_range(builder, builder.sub(builder.sub(last_, first_), INT64(1))) as loop:
                    number = builder.add(loop.index, INT64(1))
                    away = builder.fsub(at(stencil.point(builder.add(first_, number))), origin, flags=FLAGS)
                    for column in range(columns - 1 if nodal else columns):
                        _add_product(builder, totals[column], _wide(builder, stencil.weight(number, column)), away)
                    if nodal:
                        _add_alone(builder, totals[-1], stencil.weight(number, 3), stencil.weight(number, 4), away, of_values)

            def whole(point: Any) -> Any:
                return load(builder, address(context, builder, kinds[2], points_, builder.mul(point, INT64(8)), WIDE))

            def mixed(point: Any) -> Any:
                place = load(builder, address(context, builder, kinds[2], points_, builder.mul(point, INT64(8))))
                speed = load(builder, address(context, builder, kinds[3], values_, builder.mul(point, INT64(4))))
                return shuffle(builder, place, speed, list(range(8)))

            with builder.if_else(builder.icmp_unsigned("==", width_, INT64(8))) as (then, otherwise):
                with then:
                    loop_over(whole, False)
                with otherwise:
                    loop_over(mixed, True)
            for column, total in enumerate(totals):
                at = builder.mul(builder.add(INT64(column * LANES), t_), INT64(8))
                store(builder, builder.load(total), address(context, builder, kinds[0], raw_, at, WIDE))
            return context.get_dummy_value()

        return types.void(raw, t, points, values, width, node, first, last, weight, row), generate

    return gather


def _add_alone(builder: Any, total: Any, weight: Any, damper: Any, away: Any, of_values: bool) -> None:
    place, speed = shuffle(builder, away, away, [0, 1, 2, 3]), shuffle(builder, away, away, [4, 5, 6, 7])
    product = builder.fmul(place, speed, flags=FLAGS)
    parts = [builder.extract_element(product, ir.Constant(ir.IntType(32), n)) for n in range(3)]
    stretching = builder.fadd(builder.fadd(parts[0], parts[1], flags=FLAGS), parts[2], flags=FLAGS)
    lower = builder.fmul(broadcast(builder, weight), speed if of_values else place, flags=FLAGS)
    upper = builder.fmul(broadcast(builder, builder.fmul(damper, stretching, flags=FLAGS)), place, flags=FLAGS)
    both = shuffle(builder, lower, upper, list(range(8)))
    builder.store(builder.fadd(builder.load(total), both, flags=FLAGS), total)


def _make_scatter(columns: int, nodal: bool) -> Any:
    """With `nodal`, the last column stays with the first entry."""
    given = columns - 1 if nodal else columns

    @intrinsic
    def scatter(
        typing: Any, forces: Any, base: Any, node: Any, first: Any, last: Any, weight: Any, row: Any, raw: Any, t: Any
    ) -> Any:
        """forces[base + 4 point..] -= sum of weight_c raw[c, t], and the opposite at the first entry."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            forces_, base_, node_, first_, last_, weight_, row_, raw_, t_ = args
            kinds = signature.args
            stencil = _Stencil(context, builder, (kinds[2], node_), (kinds[5], weight_), row_, 5 if nodal else columns)

            def column(c: int) -> Any:
                at = builder.mul(builder.add(INT64(c * LANES), t_), INT64(8))
                return load(builder, address(context, builder, kinds[7], raw_, at))

            def target_of(point: Any) -> Any:
                return address(context, builder, kinds[0], forces_, builder.add(base_, builder.mul(point, INT64(4))))

            values = [column(c) for c in range(columns)]
            total = cgutils.alloca_once_value(builder, ZERO)
            with cgutils.for_range(builder, builder.sub(builder.sub(last_, first_), INT64(1))) as loop:
                number = builder.add(loop.index, INT64(1))
                force = ZERO
                for c in range(given):
                    part = builder.fmul(broadcast(builder, stencil.weight(number, c)), values[c], flags=FLAGS)
                    force = builder.fadd(force, part, flags=FLAGS)
                target = target_of(stencil.point(builder.add(first_, number)))
                store(builder, builder.fsub(load(builder, target), force, flags=FLAGS), target)
                builder.store(builder.fadd(builder.load(total), force, flags=FLAGS), total)
            target, left = target_of(stencil.point(first_)), builder.load(total)
            for c in range(given, columns):
                left = builder.fsub(left, values[c], flags=FLAGS)
            store(builder, builder.fadd(load(builder, target), left, flags=FLAGS), target)
            return context.get_dummy_value()

        return types.void(forces, base, node, first, last, weight, row, raw, t), generate

    return scatter


gather_3, gather_4, gather_7 = (_make_gather(columns, nodal=False) for columns in (3, 4, 7))
gather_nodal = _make_gather(4, nodal=True)
scatter_3, scatter_4, scatter_7 = (_make_scatter(columns, nodal=False) for columns in (3, 4, 7))
scatter_nodal = _make_scatter(4, nodal=True)


# Corners of a hexahedron in meshio's order, by their places along x, y, z as bits 2, 1, 0; and the sign patterns of its columns
CORNERS = (0, 4, 6, 2, 1, 5, 7, 3)
PATTERNS = (4, 2, 1, 3, 5, 6, 7)  # bits of the axes along which they alternate


def _walsh(builder: Any, values: list[Any]) -> list[Any]:
    """Sums by all sign patterns of eight values by the bits of their places: - at 0, + at 1."""
    for bit in (1, 2, 4):
        found = list(values)
        for n in range(8):
            if not n & bit:
                found[n] = builder.fadd(values[n], values[n | bit], flags=FLAGS)
                found[n | bit] = builder.fsub(values[n | bit], values[n], flags=FLAGS)
        values = found
    return values


def _walsh_back(builder: Any, values: list[Any]) -> list[Any]:
    """The transpose."""
    for bit in (1, 2, 4):
        found = list(values)
        for n in range(8):
            if not n & bit:
                found[n] = builder.fsub(values[n], values[n | bit], flags=FLAGS)
                found[n | bit] = builder.fadd(values[n], values[n | bit], flags=FLAGS)
        values = found
    return values


@intrinsic
def gather_box(
    typing: Any, raw: Any, t: Any, points: Any, values: Any, width: Any, node: Any, first: Any, weight: Any, row: Any
) -> Any:
    """The same for a hexahedron with right angles along the axes: its weights are signs times one number for each column, at `row`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        raw_, t_, points_, values_, width_, node_, first_, weight_, row_ = args
        kinds = signature.args
        stencil = _Stencil(context, builder, (kinds[5], node_), (kinds[7], weight_), row_, 7)

        def columns_of(at: Any) -> None:
            corner: list[Any] = [None] * 8
            for n, place in enumerate(CORNERS):
                corner[place] = at(stencil.point(builder.add(first_, INT64(n))))
            sums = _walsh(builder, corner)
            for c, pattern in enumerate(PATTERNS):
                to = builder.mul(builder.add(INT64(c * LANES), t_), INT64(8))
                scaled = builder.fmul(_wide(builder, stencil.weight(INT64(0), c)), sums[pattern], flags=FLAGS)
                store(builder, scaled, address(context, builder, kinds[0], raw_, to, WIDE))

        def whole(point: Any) -> Any:
            return load(builder, address(context, builder, kinds[2], points_, builder.mul(point, INT64(8)), WIDE))

        def upper(point: Any) -> Any:
            speed = load(builder, address(context, builder, kinds[3], values_, builder.mul(point, INT64(4))))
            return shuffle(builder, ZERO, speed, list(range(8)))

        with builder.if_else(builder.icmp_unsigned("==", width_, INT64(8))) as (then, otherwise):
            with then:
                columns_of(whole)
            with otherwise:
                columns_of(upper)
        return context.get_dummy_value()

    return types.void(raw, t, points, values, width, node, first, weight, row), generate


@intrinsic
def scatter_box(typing: Any, forces: Any, base: Any, node: Any, first: Any, weight: Any, row: Any, raw: Any, t: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        forces_, base_, node_, first_, weight_, row_, raw_, t_ = args
        kinds = signature.args
        stencil = _Stencil(context, builder, (kinds[2], node_), (kinds[4], weight_), row_, 7)
        sums: list[Any] = [ZERO] * 8
        for c, pattern in enumerate(PATTERNS):
            at = builder.mul(builder.add(INT64(c * LANES), t_), INT64(8))
            value = load(builder, address(context, builder, kinds[6], raw_, at))
            sums[pattern] = builder.fmul(broadcast(builder, stencil.weight(INT64(0), c)), value, flags=FLAGS)
        corner = _walsh_back(builder, sums)
        for n, place in enumerate(CORNERS):
            index = builder.add(base_, builder.mul(stencil.point(builder.add(first_, INT64(n))), INT64(4)))
            target = address(context, builder, kinds[0], forces_, index)
            store(builder, builder.fsub(load(builder, target), corner[place], flags=FLAGS), target)
        return context.get_dummy_value()

    return types.void(forces, base, node, first, weight, row, raw, t), generate


def _turned_eight(builder: Any, rows: list[Any]) -> list[Any]:
    """The transpose of an 8x8 matrix: pairs, fours, halves."""
    pairs = []
    for n in range(0, 8, 2):
        pairs += [shuffle(builder, rows[n], rows[n + 1], [0, 8, 2, 10, 4, 12, 6, 14])]
        pairs += [shuffle(builder, rows[n], rows[n + 1], [1, 9, 3, 11, 5, 13, 7, 15])]
    fours: list[Any] = [None] * 8
    for half in (0, 4):
        for odd in (0, 1):
            low, high = pairs[half + odd], pairs[half + 2 + odd]
            fours[half + odd] = shuffle(builder, low, high, [0, 1, 8, 9, 4, 5, 12, 13])
            fours[half + odd + 2] = shuffle(builder, low, high, [2, 3, 10, 11, 6, 7, 14, 15])
    lower = [shuffle(builder, fours[n], fours[n + 4], [0, 1, 2, 3, 8, 9, 10, 11]) for n in range(4)]
    upper = [shuffle(builder, fours[n], fours[n + 4], [4, 5, 6, 7, 12, 13, 14, 15]) for n in range(4)]
    return lower + upper


@intrinsic
def turn_column(typing: Any, w: Any, raw: Any, c: Any) -> Any:
    """Rows 6 c to 6 c + 5 of w from the column c of all lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        w_type, raw_type, _ = signature.args
        w_, raw_, c_ = args
        for group in range(0, LANES, 8):
            begin = builder.add(builder.mul(c_, INT64(LANES)), INT64(group))
            at = [builder.mul(builder.add(begin, INT64(n)), INT64(8)) for n in range(8)]
            rows = _turned_eight(builder, [load(builder, address(context, builder, raw_type, raw_, one, WIDE)) for one in at])
            for place, number in enumerate((0, 1, 2, 4, 5, 6)):
                row = builder.add(builder.mul(c_, INT64(6)), INT64(place))
                to = builder.add(builder.mul(row, INT64(LANES)), INT64(group))
                store(builder, rows[number], address(context, builder, w_type, w_, to, WIDE))
        return context.get_dummy_value()

    return types.void(w, raw, c), generate


def turned_four(builder: Any, a: Any, b: Any, c: Any, d: Any) -> list[Any]:
    even, odd = ([shuffle(builder, *pair, lanes) for pair in ((a, b), (c, d))] for lanes in ([0, 4, 2, 6], [1, 5, 3, 7]))
    return [shuffle(builder, *pair, lanes) for lanes in ([0, 1, 4, 5], [2, 3, 6, 7]) for pair in (even, odd)]


@intrinsic
def turn_back(typing: Any, raw: Any, w: Any, c: Any) -> Any:
    """The first four numbers of the column c of all lanes, from rows OUT + 3 c to OUT + 3 c + 2 of w."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        raw_type, w_type, _ = signature.args
        raw_, w_, c_ = args
        for group in range(0, LANES, 4):
            rows = []
            for place in range(3):
                row = builder.add(builder.mul(c_, INT64(3)), INT64(OUT + place))
                at = builder.add(builder.mul(row, INT64(LANES)), INT64(group))
                rows.append(load(builder, address(context, builder, w_type, w_, at)))
            begin = builder.add(builder.mul(c_, INT64(LANES)), INT64(group))
            for n, lane in enumerate(turned_four(builder, *rows, ZERO)):
                to = builder.mul(builder.add(begin, INT64(n)), INT64(8))
                store(builder, lane, address(context, builder, raw_type, raw_, to))
        return context.get_dummy_value()

    return types.void(raw, w, c), generate
