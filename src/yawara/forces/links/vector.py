"""Four links per vector instruction.

A point is 8 doubles (x y z 0, vx vy vz 0), a force is 4 (fx fy fz 0), so that each is one or two 256-bit loads.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from yawara.vector import FLAGS, INT64, VECTOR, address, broadcast, load, shuffle, store


def _sums_of_lanes(builder: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """(sum of a, sum of b, sum of c, sum of d): a 4x4 transpose and add."""
    ab = builder.fadd(shuffle(builder, a, b, [0, 4, 2, 6]), shuffle(builder, a, b, [1, 5, 3, 7]), flags=FLAGS)
    cd = builder.fadd(shuffle(builder, c, d, [0, 4, 2, 6]), shuffle(builder, c, d, [1, 5, 3, 7]), flags=FLAGS)
    return builder.fadd(shuffle(builder, ab, cd, [0, 1, 4, 5]), shuffle(builder, ab, cd, [2, 3, 6, 7]), flags=FLAGS)


@intrinsic
def measure_four_links(
    typing: Any,
    delta: Any,
    length2: Any,
    stretching: Any,
    t: Any,
    points: Any,
    start0: Any,
    end0: Any,
    start1: Any,
    end1: Any,
    start2: Any,
    end2: Any,
    start3: Any,
    end3: Any,
) -> Any:
    """Links t..t+3 between the points that begin at the given indices of `points`:

    delta[4(t+n)..] = x_end - x_start;  length2[t+n] = |delta|^2;  stretching[t+n] = delta . (v_end - v_start)
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        delta_type, length2_type, stretching_type, _, points_type = signature.args[:5]
        delta_, length2_, stretching_, t_, points_ = args[:5]
        four = ir.Constant(INT64, 4)
        first_delta, squares, products = builder.mul(t_, four), [], []

        def at(index: Any) -> Any:
            return load(builder, address(context, builder, points_type, points_, index))

        for n in range(4):
            a, b = args[5 + 2 * n], args[6 + 2 * n]
            dx = builder.fsub(at(b), at(a))
            dv = builder.fsub(at(builder.add(b, four)), at(builder.add(a, four)))
            place = builder.add(first_delta, ir.Constant(INT64, 4 * n))
            store(builder, dx, address(context, builder, delta_type, delta_, place))
            squares.append(builder.fmul(dx, dx, flags=FLAGS))
            products.append(builder.fmul(dx, dv, flags=FLAGS))
        store(builder, _sums_of_lanes(builder, *squares), address(context, builder, length2_type, length2_, t_))
        store(builder, _sums_of_lanes(builder, *products), address(context, builder, stretching_type, stretching_, t_))
        return context.get_dummy_value()

    arguments = (delta, length2, stretching, t, points, start0, end0, start1, end1, start2, end2, start3, end3)
    return types.void(*arguments), generate


@intrinsic
def scatter_run(
    typing: Any, forces: Any, start: Any, base: Any, end: Any, n: Any, length: Any, delta: Any, factor: Any, t: Any
) -> Any:
    """The `length` links from slot n on (scratch entry t on) share the start point whose force begins at `start`:

    forces[start:start+4] += sum of factor delta;  forces[base + 4 end[n]..] -= factor delta, link by link
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        forces_type, _, _, end_type, _, _, delta_type, factor_type, _ = signature.args
        forces_, start_, base_, end_, n_, length_, delta_, factor_, t_ = args
        four = ir.Constant(INT64, 4)
        total = cgutils.alloca_once_value(builder, ir.Constant(VECTOR, [0.0] * 4))
        factors = context.make_array(factor_type)(context, builder, factor_).data
        ends = context.make_array(end_type)(context, builder, end_).data
        with cgutils.for_range(builder, length_) as loop:
            link = builder.add(t_, loop.index)
            f = broadcast(builder, builder.load(builder.gep(factors, [link])))
            d = load(builder, address(context, builder, delta_type, delta_, builder.mul(link, four)))
            force = builder.fmul(f, d, flags=FLAGS)
            other = builder.zext(builder.load(builder.gep(ends, [builder.add(n_, loop.index)])), INT64)
            target = address(context, builder, forces_type, forces_, builder.add(base_, builder.mul(other, four)))
            store(builder, builder.fsub(load(builder, target), force, flags=FLAGS), target)
            builder.store(builder.fadd(builder.load(total), force, flags=FLAGS), total)
        target = address(context, builder, forces_type, forces_, start_)
        store(builder, builder.fadd(load(builder, target), builder.load(total), flags=FLAGS), target)
        return context.get_dummy_value()

    return types.void(forces, start, base, end, n, length, delta, factor, t), generate
