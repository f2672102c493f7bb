"""Numbers that packing and kernels share."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of elements, by its number of corners."""

    name: str  # of its term
    corners: int
    strains: (
        int  # each with a stress of its own: the volume's if there are several, then xx yy (zz yz zx) xy, shears as whole angles
    )
    laws: int  # of lambda and of mu; in a row of points one, of Young's modulus
    slots: int  # numbers of an element's gradients


BARS = Kind("linear_bars", 2, 1, 1, 3)
TRIANGLES = Kind("linear_triangles", 3, 4, 2, 4)
TETRAHEDRA = Kind("linear_tetrahedra", 4, 7, 2, 9)
KINDS = (BARS, TRIANGLES, TETRAHEDRA)
BY_DIMENSION = {1: BARS, 2: TRIANGLES, 3: TETRAHEDRA}
MOST_STRAINS = 7
