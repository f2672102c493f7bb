"""Volumes of a block of tetrahedra, four per vector instruction: corners are fetched whole and turned around."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from yawara.kernels.vector import FLAGS, INT64, VECTOR, address, load, store
from yawara.terms.continuum.constants import LANES
from yawara.terms.continuum.vector import turned_four

ZERO = ir.Constant(VECTOR, [0.0] * 4)


def _edges(context: Any, builder: Any, corner: Any, n: Any, points_type: Any, points: Any) -> list[list[Any]]:
    """From corner 0 to 1, 2, 3 of the four cells whose corners begin at entry n: x, y and z of each."""

    def at(cell: int, i: int) -> Any:
        entry = builder.add(n, INT64(4 * cell + i))
        point = builder.zext(builder.load(builder.gep(corner, [entry])), INT64)
        return load(builder, address(context, builder, points_type, points, builder.mul(point, INT64(8))))

    origin = [at(cell, 0) for cell in range(4)]
    return [
        turned_four(builder, *(builder.fsub(at(cell, i), origin[cell], flags=FLAGS) for cell in range(4)))[:3] for i in (1, 2, 3)
    ]


def _determinant(builder: Any, a: list[Any], b: list[Any], c: list[Any]) -> Any:
    """a . (b x c)"""
    total = None
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        one, two = builder.fmul(b[j], c[k], flags=FLAGS), builder.fmul(b[k], c[j], flags=FLAGS)
        part = builder.fmul(a[i], builder.fsub(one, two, flags=FLAGS), flags=FLAGS)
        total = part if total is None else builder.fadd(total, part, flags=FLAGS)
    return total


@intrinsic
def lacking_of_tetrahedra(typing: Any, content: Any, corner: Any, n: Any, limit: Any, slot: Any, points: Any) -> Any:
    """content[t] = e_1 . (e_2 x e_3) of LANES cells; returns sum max(limit[slot + t] - content[t], 0)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        content_type, corner_type, _, limit_type, _, points_type = signature.args
        content_, corner_, n_, limit_, slot_, points_ = args
        corners, total = context.make_array(corner_type)(context, builder, corner_).data, ZERO
        for t in range(0, LANES, 4):
            edges = _edges(context, builder, corners, builder.add(n_, INT64(4 * t)), points_type, points_)
            found = _determinant(builder, *edges)
            store(builder, found, address(context, builder, content_type, content_, INT64(t)))
            least = load(builder, address(context, builder, limit_type, limit_, builder.add(slot_, INT64(t))))
            missing = builder.fsub(least, found, flags=FLAGS)
            missing = builder.select(builder.fcmp_ordered(">", missing, ZERO), missing, ZERO)
            total = builder.fadd(total, missing, flags=FLAGS)
        parts = [builder.extract_element(total, ir.Constant(ir.IntType(32), k)) for k in range(4)]
        return builder.fadd(builder.fadd(parts[0], parts[1]), builder.fadd(parts[2], parts[3]))

    return types.float64(content, corner, n, limit, slot, points), generate
