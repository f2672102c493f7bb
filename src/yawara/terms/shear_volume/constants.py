"""Numbers that packing and kernels share."""

from typing import NamedTuple

# what an element measures
PRINTED_2D, PRINTED_3D, COT, DEVIATORIC_2D, DEVIATORIC_3D, AREA_3, AREA_4, VOLUME = range(8)


class Kind(NamedTuple):
    """A kind of elements."""

    name: str  # of its term
    code: int
    corners: int
    measures: int  # strains that each element has
    stiffens: bool  # without bound, as it is pressed flat


KINDS = (
    Kind("printed_corners", PRINTED_2D, 3, 1, True),
    Kind("printed_corners_3d", PRINTED_3D, 4, 6, True),
    Kind("cot_corners", COT, 3, 1, True),
    Kind("deviatoric_triangles", DEVIATORIC_2D, 3, 3, False),
    Kind("deviatoric_tetrahedra", DEVIATORIC_3D, 4, 6, False),
    Kind("triangle_areas", AREA_3, 3, 1, False),
    Kind("square_areas", AREA_4, 4, 1, False),
    Kind("tetrahedron_volumes", VOLUME, 4, 1, False),
)
BY_NAME = {kind.name: kind for kind in KINDS}

MOST_CORNERS, MOST_MEASURES = 4, 6
SHAPE = 9  # numbers of an element's natural shape
THINNEST = 0.01  # of its natural height: a corner that is flatter has the shear of one that is not, and the force stays finite
LEAST_LEVER = 0.2  # of the sum of levers: below, reactions are shared out in thirds, more and more
TINY = 1e-300
