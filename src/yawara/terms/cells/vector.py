"""Four tetrahedra per vector instruction: their corners are fetched whole and turned around, so that a lane belongs to a cell.

Buffers are those of terms/cells/measure.py: entry (3 i + axis) * BLOCK_CELLS + t of the gradients is that of corner i of cell t. The four
cells begin at entry n of `corner`.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from yawara.kernels.vector import FLAGS, INT64, VECTOR, address, load, shuffle, store
from yawara.terms.cells.constants import BLOCK_CELLS, CORNERS_3D

ZERO = ir.Constant(VECTOR, [0.0] * 4)


def _turned(builder: Any, a: Any, b: Any, c: Any, d: Any) -> list[Any]:
    """The transpose of a 4x4 matrix of lanes."""
    even, odd = ([shuffle(builder, *pair, lanes) for pair in ((a, b), (c, d))] for lanes in ([0, 4, 2, 6], [1, 5, 3, 7]))
    return [shuffle(builder, *pair, lanes) for lanes in ([0, 1, 4, 5], [2, 3, 6, 7]) for pair in (even, odd)]


def _times(builder: Any, a: Any, b: Any) -> Any:
    return builder.fmul(a, b, flags=FLAGS)


def _cross(builder: Any, a: list[Any], b: list[Any]) -> list[Any]:
    def part(i: int, j: int) -> Any:
        return builder.fsub(_times(builder, a[i], b[j]), _times(builder, a[j], b[i]), flags=FLAGS)

    return [part(1, 2), part(2, 0), part(0, 1)]


def _sum(builder: Any, terms: list[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = builder.fadd(total, term, flags=FLAGS)
    return total


class _Cells:
    """The four cells, while code for them is made."""

    def __init__(self, context: Any, builder: Any, corner_type: Any, corner: Any, n: Any) -> None:
        self.context, self.builder = context, builder
        self._data, self._n = context.make_array(corner_type)(context, builder, corner).data, n

    def point(self, cell: int, i: int) -> Any:
        """Number of the point at corner i."""
        entry = self.builder.add(self._n, INT64(CORNERS_3D * cell + i))
        return self.builder.zext(self.builder.load(self.builder.gep(self._data, [entry])), INT64)

    def edges(self, values_type: Any, values: Any, width: Any, place: Any) -> list[list[Any]]:
        """From corner 0 to 1, 2, 3: x, y and z of the differences of values that begin at width * point + place."""
        builder, found = self.builder, []

        def at(cell: int, i: int) -> Any:
            index = builder.add(builder.mul(width, self.point(cell, i)), place)
            return load(builder, address(self.context, builder, values_type, values, index))

        origin = [at(cell, 0) for cell in range(4)]
        for i in (1, 2, 3):
            found.append(_turned(builder, *(builder.fsub(at(cell, i), origin[cell], flags=FLAGS) for cell in range(4)))[:3])
        return found

    def measure(
        self, gradient_type: Any, gradient: Any, content_type: Any, content: Any, t: Any, points_type: Any, points: Any
    ) -> Any:
        """Stores gradients and content; returns the gradients at corners 1, 2, 3."""
        builder = self.builder
        a, b, c = self.edges(points_type, points, INT64(8), INT64(0))
        sixth = ir.Constant(VECTOR, [1.0 / 6.0] * 4)
        ways = [[_times(builder, sixth, one) for one in _cross(builder, *pair)] for pair in ((b, c), (c, a), (a, b))]
        for axis in range(3):
            total = _sum(builder, [way[axis] for way in ways])
            store(builder, builder.fsub(ZERO, total, flags=FLAGS), self.entry(gradient_type, gradient, axis, t))
            for i, way in enumerate(ways):
                store(builder, way[axis], self.entry(gradient_type, gradient, 3 * (i + 1) + axis, t))
        volume = _sum(builder, [_times(builder, a[axis], ways[0][axis]) for axis in range(3)])
        store(builder, volume, self.entry(content_type, content, 0, t))
        return ways

    def entry(self, array_type: Any, array: Any, row: int, t: Any) -> Any:
        return address(self.context, self.builder, array_type, array, self.builder.add(t, INT64(row * BLOCK_CELLS)))


@intrinsic
def measure_four(typing: Any, gradient: Any, content: Any, t: Any, corner: Any, n: Any, points: Any) -> Any:
    """Content and gradients of the cells t..t+3: V = e_1 . (e_2 x e_3) / 6, dV/dx_1 = (e_2 x e_3) / 6, cyclically."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        gradient_type, content_type, _, corner_type, _, points_type = signature.args
        gradient_, content_, t_, corner_, n_, points_ = args
        cells = _Cells(context, builder, corner_type, corner_, n_)
        cells.measure(gradient_type, gradient_, content_type, content_, t_, points_type, points_)
        return context.get_dummy_value()

    return types.void(gradient, content, t, corner, n, points), generate


@intrinsic
def measure_four_in_motion(typing: Any, gradient: Any, content: Any, rate: Any, t: Any, corner: Any, n: Any, points: Any) -> Any:
    """The same, and the rate of the content by the points' own velocities."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        gradient_type, content_type, rate_type, _, corner_type, _, points_type = signature.args
        gradient_, content_, rate_, t_, corner_, n_, points_ = args
        cells = _Cells(context, builder, corner_type, corner_, n_)
        ways = cells.measure(gradient_type, gradient_, content_type, content_, t_, points_type, points_)
        edges = cells.edges(points_type, points_, INT64(8), INT64(4))
        total = _sum(builder, [_times(builder, ways[i][axis], edges[i][axis]) for i in range(3) for axis in range(3)])
        store(builder, total, cells.entry(rate_type, rate_, 0, t_))
        return context.get_dummy_value()

    return types.void(gradient, content, rate, t, corner, n, points), generate


@intrinsic
def rate_of_four(typing: Any, rate: Any, t: Any, gradient: Any, corner: Any, n: Any, values: Any, width: Any, place: Any) -> Any:
    """Rate of the content of the cells t..t+3 under velocities that begin at width * point + place of `values`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rate_type, _, gradient_type, corner_type, _, values_type, _, _ = signature.args
        rate_, t_, gradient_, corner_, n_, values_, width_, place_ = args
        cells = _Cells(context, builder, corner_type, corner_, n_)
        edges = cells.edges(values_type, values_, width_, place_)
        terms = [
            _times(builder, load(builder, cells.entry(gradient_type, gradient_, 3 * (i + 1) + axis, t_)), edges[i][axis])
            for i in range(3)
            for axis in range(3)
        ]
        store(builder, _sum(builder, terms), cells.entry(rate_type, rate_, 0, t_))
        return context.get_dummy_value()

    return types.void(rate, t, gradient, corner, n, values, width, place), generate


@intrinsic
def add_along_four(typing: Any, values: Any, base: Any, corner: Any, n: Any, gradient: Any, factor: Any, t: Any) -> Any:
    """values[base + 4 point..] += factor[t] gradient, at all corners of the cells t..t+3."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values_type, _, corner_type, _, gradient_type, factor_type, _ = signature.args
        values_, base_, corner_, n_, gradient_, factor_, t_ = args
        cells = _Cells(context, builder, corner_type, corner_, n_)
        f = load(builder, cells.entry(factor_type, factor_, 0, t_))
        for i in range(CORNERS_3D):
            parts = [
                _times(builder, f, load(builder, cells.entry(gradient_type, gradient_, 3 * i + axis, t_))) for axis in range(3)
            ]
            for cell, force in enumerate(_turned(builder, *parts, ZERO)):
                index = builder.add(base_, builder.mul(INT64(4), cells.point(cell, i)))
                target = address(context, builder, values_type, values_, index)
                store(builder, builder.fadd(load(builder, target), force, flags=FLAGS), target)  # cells may share points: in turn
        return context.get_dummy_value()

    return types.void(values, base, corner, n, gradient, factor, t), generate
