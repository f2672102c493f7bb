"""How much of the material each link stands for: its stiffness over the shear modulus, k = mu w, with the weight w in metres.

Links are central forces. In a homogeneous deformation they have the stiffness tensor, with length l and direction n of a link,

    C_ijkl = (1/V) sum k l^2 n_i n_j n_k n_l,

which is symmetric in all of its indices; if it is isotropic, then lambda = mu. The weights here give mu = 1 Pa and lambda = 1 Pa.
What a material has beyond that (lambda > mu) is a pressure in each cell. Each cell brings its own share of a link, so a link in a
face or an edge of the body, which belongs to fewer cells, is softer by as much.
"""

from itertools import combinations

import numpy as np

from yawara.core.geometry import Integers
from yawara.kernels.kinds import Floats

# Inside, over the spacing, by the number of axes along which the link runs: C_1111 = axis + 2 face + 4/3 body = 3 and
# C_1122 = C_1212 = face + 4/3 body = 1 leave one choice, made here by k/l^2 as 16 : 4 : 1, products of 1 : 4 : 1 along each axis
LATTICE = (4.0 / 3.0, 2.0 / 3.0, 1.0 / 4.0)
# With one diagonal per square: C_1111 = axis + face = 3, C_1122 = face/2 = 1
TRUSS = (1.0, 2.0)
# Two points per cube, 6 long and 8 short links: C_1111 = 2 long + 2/3 short = 3, C_1122 = 2/3 short = 1
BCC_LONG, BCC_SHORT = 1.0, 1.5
# Over the thickness, sides and diagonals: C_1111 = side + diagonal = 3 and C_1122 = diagonal = 1 if there are both diagonals, else
# C_1111 = side + diagonal/2 = 3 and C_1122 = diagonal/2 = 1
BRACED, ONE_DIAGONAL = (2.0, 1.0), (2.0, 2.0)
# Averages over all directions: <n1^2 n2^2> = 1/15 in space, 1/8 in the plane; a tetrahedron has 6 edges, a triangle 3
TETRAHEDRON, TRIANGLE = 15.0 / 6.0, 8.0 / 3.0
SAME_LENGTH = 1e-6  # relative


def chain_weights(rest_length: Floats, cross_section: float, poisson: float) -> Floats:
    """[m], of a row of links that is a bar: k = E A / l with E = 2 (1 + nu) mu."""
    return 2.0 * (1.0 + poisson) * cross_section / rest_length


def lattice_weights(counts: tuple[int, int, int], spacing: float, links: Integers) -> Floats:
    """[m], of a grid with links to all 26 neighbours; every cell by itself is isotropic."""
    axes, share = _axes_and_share(counts, links)
    return spacing * np.array(LATTICE)[axes - 1] * share


def truss_weights(counts: tuple[int, int, int], spacing: float, links: Integers) -> Floats:
    """[m], of a grid with one diagonal per face of a cell, crossing that of the opposite face; every cell is isotropic."""
    axes, share = _axes_and_share(counts, links)
    return spacing * np.array(TRUSS)[axes - 1] * share


def truss_weights_of_cells(position: Floats, tetrahedra: Integers, links: Integers) -> Floats:
    """The same for cubes of several sizes: each tetrahedron of a cube gives a/4 to its axis edges and a/3 to its diagonals."""
    delta = position[links[:, 1]] - position[links[:, 0]]
    along_axis = (np.abs(delta) > 1e-9 * np.abs(delta).max(axis=1, keepdims=True)).sum(axis=1) == 1
    share = np.where(along_axis, link_lengths(position, links) / 4.0, link_lengths(position, links) / (3.0 * np.sqrt(2.0)))
    count = sum_over_cells(links, tetrahedra, np.ones(len(tetrahedra)))
    return share * count


def sheet_weights(counts: tuple[int, int], thickness: float, links: Integers, *, braced: bool) -> Floats:
    """[m], of a plane grid of squares, in plane stress, with both diagonals (`braced`: every square is isotropic) or one.

    With one, the sheet is isotropic where diagonals that rise and that fall take turns; if all go the same way, it is not.
    """
    axes, share = _axes_and_share(counts, links)
    return thickness * np.array(BRACED if braced else ONE_DIAGONAL)[axes - 1] * share


def sheet_weights_of_cells(thickness: float, triangles: Integers, links: Integers) -> Floats:
    """The same for squares of several sizes, each cut into two triangles: every triangle gives its edges the thickness."""
    return thickness * sum_over_cells(links, triangles, np.ones(len(triangles)))


def bcc_weights(position: Floats, tetrahedra: Integers, links: Integers, spacing: float) -> Floats:
    """[m], of tetrahedra between the points of two grids of `spacing` [m], one in the middle of the other's cubes.

    Long links join points of the same grid and have 4 tetrahedra inside the body, short ones join neighbours of the two and have 6.
    """
    length = link_lengths(position, links)
    long = np.abs(length / spacing - 1.0) < SAME_LENGTH
    short = np.abs(length / spacing - np.sqrt(0.75)) < SAME_LENGTH
    if not (long | short).all():
        odd = float(length[~(long | short)][0])
        raise ValueError(
            f"links must be {spacing:g} m or {np.sqrt(0.75) * spacing:g} m long (got {odd:g} m); use tetrahedra_weights for other meshes"
        )
    tetrahedra_at_link = sum_over_cells(links, tetrahedra, np.ones(len(tetrahedra)))
    return spacing * tetrahedra_at_link * np.where(long, BCC_LONG / 4.0, BCC_SHORT / 6.0)


def tetrahedra_weights(position: Floats, tetrahedra: Integers, links: Integers) -> Floats:
    """[m], of any tetrahedra; right on average over links of all directions (van Gelder's formula, k = E V / l^2)."""
    a, b, c = (position[tetrahedra[:, n]] - position[tetrahedra[:, 0]] for n in (1, 2, 3))
    volume = np.abs(np.einsum("ij,ij->i", a, np.cross(b, c))) / 6.0
    weights: Floats = TETRAHEDRON * sum_over_cells(links, tetrahedra, volume) / link_lengths(position, links) ** 2
    return weights


def triangle_weights(position: Floats, triangles: Integers, links: Integers, thickness: float) -> Floats:
    """[m], of any triangles of a plane sheet, in plane stress; right on average over links of all directions."""
    a, b = (position[triangles[:, n]] - position[triangles[:, 0]] for n in (1, 2))
    area = np.linalg.norm(np.cross(a, b), axis=1) / 2.0
    weights: Floats = TRIANGLE * thickness * sum_over_cells(links, triangles, area) / link_lengths(position, links) ** 2
    return weights


def link_lengths(position: Floats, links: Integers) -> Floats:
    """[m]"""
    lengths: Floats = np.linalg.norm(position[links[:, 1]] - position[links[:, 0]], axis=1)
    return lengths


def sum_over_cells(links: Integers, cells: Integers, value: Floats) -> Floats:
    """For every link the sum of `value` over the cells that have it as an edge; every corner of a cell is joined to all others."""
    point_count = int(max(links.max(), cells.max())) + 1
    pairs = np.concatenate([np.sort(cells[:, pair], axis=1) for pair in combinations(range(cells.shape[1]), 2)])
    link_key, edge_key = (pair[:, 0] * point_count + pair[:, 1] for pair in (np.sort(links, axis=1), pairs))
    order = np.argsort(link_key)
    place = np.minimum(np.searchsorted(link_key[order], edge_key), len(links) - 1)
    if (link_key[order[place]] != edge_key).any():
        raise ValueError("every edge of a cell must be a link (got one that is none); make the links from the cells' edges")
    total = np.zeros(len(links))
    np.add.at(total, order[place], np.tile(value, len(pairs) // len(cells)))
    if (total <= 0.0).any():
        raise ValueError("every link must be an edge of a cell (got one that is none); make the links from the cells' edges")
    return total


def _axes_and_share(counts: tuple[int, ...], links: Integers) -> tuple[Integers, Floats]:
    """Of links of a grid: the number of axes along which each runs, and its number of cells over that of such a link inside."""
    start, end = (np.stack(np.unravel_index(links[:, n], counts, order="F"), axis=1) for n in (0, 1))
    along = start != end
    in_face = ~along & ((start == 0) | (start == np.array(counts) - 1))
    return along.sum(axis=1), 0.5 ** in_face.sum(axis=1)
