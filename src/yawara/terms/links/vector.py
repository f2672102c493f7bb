"""Four links per vector instruction.

A point is 8 doubles (x y z 0, vx vy vz 0), a cache line and one 512-bit load; a force is 4 (fx fy fz 0), half of that.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from yawara.kernels.vector import FLAGS, INT64, VECTOR, WIDE, address, broadcast, load, shuffle, store

LOWER, UPPER = [0, 1, 2, 3], [4, 5, 6, 7]  # halves of eight lanes


def _sums_of_lanes(builder: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Of both halves: (sum of a, sum of b, sum of c, sum of d): two 4x4 transposes and adds at once."""
    ab = builder.fadd(
        shuffle(builder, a, b, [0, 8, 2, 10, 4, 12, 6, 14]), shuffle(builder, a, b, [1, 9, 3, 11, 5, 13, 7, 15]), flags=FLAGS
    )
    cd = builder.fadd(
        shuffle(builder, c, d, [0, 8, 2, 10, 4, 12, 6, 14]), shuffle(builder, c, d, [1, 9, 3, 11, 5, 13, 7, 15]), flags=FLAGS
    )
    return builder.fadd(
        shuffle(builder, ab, cd, [0, 1, 8, 9, 4, 5, 12, 13]), shuffle(builder, ab, cd, [2, 3, 10, 11, 6, 7, 14, 15]), flags=FLAGS
    )


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
        first_delta, products = builder.mul(t_, ir.Constant(INT64, 4)), []

        def at(index: Any) -> Any:
            return load(builder, address(context, builder, points_type, points_, index, WIDE))

        for n in range(4):
            both = builder.fsub(at(args[6 + 2 * n]), at(args[5 + 2 * n]))  # of places, and of velocities
            place = builder.add(first_delta, ir.Constant(INT64, 4 * n))
            store(builder, shuffle(builder, both, both, LOWER), address(context, builder, delta_type, delta_, place))
            products.append(builder.fmul(both, shuffle(builder, both, both, LOWER + LOWER), flags=FLAGS))
        sums = _sums_of_lanes(builder, *products)
        store(builder, shuffle(builder, sums, sums, LOWER), address(context, builder, length2_type, length2_, t_))
        store(builder, shuffle(builder, sums, sums, UPPER), address(context, builder, stretching_type, stretching_, t_))
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
