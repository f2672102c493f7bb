"""What of the bodies can touch, and by what law."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from yawara.core.geometry import Geometry, Integers, outline
from yawara.core.piece import Request
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.terms.contact.arrays import Surface
from yawara.terms.contact.masses import body_masses, effective_inverse_mass
from yawara.terms.contact.response import LAW
from yawara.terms.contact.settle import REACH
from yawara.terms.contact.term import ContactTerm
from yawara.tools.arrays import ToolArrays
from yawara.tools.build import tool_arrays
from yawara.tools.contact import Contact, Method
from yawara.tools.shapes import PLANE

FLAT = np.cos(np.radians(1.0))  # edges between faces that are no further apart in direction do not stick out


def build(request: Request) -> list[ContactTerm]:
    """One term for all that touches; none if nothing can."""
    first_tool = request.point_count - len(request.tools)
    tool = tool_arrays(request.tools, first_tool, request.contact.friction if request.contact else 0.0)
    skins = [Skin(piece.geometry, piece.offset, effective_inverse_mass(piece.geometry, piece.mass)) for piece in request.pieces]
    surface = contact_arrays(skins, tool, request.contact)
    if not len(tool.kind) and not len(surface.side):
        return []
    return [ContactTerm(surface, tool, request.contact or Contact(), request.point, body_masses(request))]


@dataclass(frozen=True)
class Skin:
    """The surface of one body, in points of the model."""

    geometry: Geometry
    offset: int
    inverse_mass: Floats  # [1/kg], (point_count,), of embedded nodes what their hosts would give


def contact_arrays(skins: Sequence[Skin], tool: ToolArrays, contact: Contact | None) -> Surface:
    """Nothing at all if nothing can touch."""
    has_tools = len(tool.kind) > 0
    law = contact or Contact(bodies=False, itself=False)
    between, itself = law.bodies and len(skins) > 1, law.itself
    pairs = (between or itself) and contact is not None and contact.method is not Method.BOUNCE
    needs_edges = has_tools and law.method is not Method.BOUNCE and bool((tool.kind != PLANE).any())
    parts = [_Surface.of(skin) for skin in skins] if has_tools or pairs else []
    node = np.concatenate([np.zeros(0, np.int64), *(part.node for part in parts)])
    edges = [_in_nodes(node, part.edge) for part in parts] if needs_edges else []
    faces = [_in_nodes(node, part.face) for part in parts] if needs_edges else []
    sides = [_in_nodes(node, part.side) for part in parts] if pairs else []
    sharp = [(_in_nodes(node, part.sharp), _in_nodes(node, part.apex)) for part in parts] if pairs else []
    side, pair_edge, pair_apex = _stack(sides, 3), _stack([one for one, _ in sharp], 2), _stack([two for _, two in sharp], 2)
    order = np.lexsort((pair_edge[:, 1], pair_edge[:, 0]))
    edge, face = _sorted(_stack(edges, 2)), _sorted(_stack(faces, 3))
    lengths = np.concatenate([np.zeros(0), *(part.lengths for part in parts)])
    inverse = [skin.inverse_mass[part.node - skin.offset] for skin, part in zip(skins, parts, strict=False)]
    return Surface(
        node.astype(np.uint32),
        np.concatenate([np.zeros(0), *inverse]),
        _numbered([len(part.node) for part in parts]),
        edge.astype(np.uint32),
        face.astype(np.uint32),
        np.array([lengths.max(initial=0.0)]),
        side.astype(np.uint32),
        _numbered([len(one) for one in sides]),
        _pair_nodes(skins, node, side, pairs).astype(np.uint32),
        pair_edge[order].astype(np.uint32),
        pair_apex[order].astype(np.uint32),
        _numbered([len(one) for one, _ in sharp])[order],
        np.array([REACH * part.lengths.mean() if len(part.lengths) else 0.0 for part in parts], float),
        np.array([skin.geometry.dimension for skin in skins[: len(parts)]], np.int64),
        np.array([pairs and between]),
        np.full(len(parts), pairs and itself),
        np.zeros(LAW),
        np.array([law.rebound] if law.method is Method.BOUNCE and has_tools else [], float),
        *_carriers(skins[: len(parts)], node),
    )


@dataclass(frozen=True)
class _Surface:
    """In points of the model."""

    node: Integers  # increasing
    edge: Integers
    face: Integers
    side: Integers
    sharp: Integers
    apex: Integers
    lengths: Floats  # [m], of the edges

    @classmethod
    def of(cls, skin: Skin) -> "_Surface":
        geometry, position = skin.geometry, skin.geometry.all_positions
        triangles, none = geometry.triangles, np.zeros((0, 2), np.int64)
        if geometry.dimension == 1:
            edges, side, sharp, apex = geometry.links, np.zeros((0, 3), np.int64), none, none
        else:
            edges, neighbours = _edges(triangles)
            side, sharp, apex = triangles, none, none
            if geometry.dimension == 2:
                side = outline(geometry.elements)[:, [0, 1, 1]]
            else:
                sharp, apex = _sharp(position, triangles, edges, neighbours)
        node = np.unique(triangles) if len(triangles) else np.arange(len(position))
        lengths: Floats = np.linalg.norm(position[edges[:, 1]] - position[edges[:, 0]], axis=1)
        node, edges, triangles, side, sharp, apex = (array + skin.offset for array in (node, edges, triangles, side, sharp, apex))
        return cls(node, edges, triangles, side, sharp, apex, lengths)


def _edges(triangles: Integers) -> tuple[Integers, Integers]:
    """Distinct edges, and the two triangles beside each (the same twice at a border)."""
    all_edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    edges, index = np.unique(all_edges, axis=0, return_inverse=True)
    index = index.ravel()
    order = np.argsort(index, kind="stable")
    first = np.searchsorted(index[order], np.arange(len(edges)))
    last = np.append(first[1:], len(order)) - 1
    return edges, np.stack([order[first], order[last]], axis=1) % max(1, len(triangles))


def _sharp(position: Floats, triangles: Integers, edges: Integers, neighbours: Integers) -> tuple[Integers, Integers]:
    """Edges that stick out or in at rest, and the third corners of the triangles beside them."""
    a, b, c = (position[triangles[:, n]] for n in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None] + 1e-300
    one, two = neighbours[:, 0], neighbours[:, 1]
    is_sharp = (one != two) & ((normal[one] * normal[two]).sum(axis=1) < FLAT)
    chosen = edges[is_sharp]
    apex = [triangles[side[is_sharp]].sum(axis=1) - chosen.sum(axis=1) for side in (one, two)]
    return chosen, np.stack(apex, axis=1)


def _pair_nodes(skins: Sequence[Skin], node: Integers, side: Integers, pairs: bool) -> Integers:
    """Corners of sides, and the points of chains, which have no sides of their own."""
    if not pairs:
        return np.zeros(0, np.int64)
    chains = [skin.offset + np.arange(len(skin.geometry.position)) for skin in skins if skin.geometry.dimension == 1]
    return np.unique(np.concatenate([side.ravel(), *(np.searchsorted(node, points) for points in chains)]))


def _carriers(skins: Sequence[Skin], node: Integers) -> tuple[Indices, Words, Indices, Floats]:
    """Points with mass that carry the nodes; where the hosts of each node begin, which carriers they are, and their shares."""
    if not len(node):
        return np.zeros(0, np.uint32), np.zeros(1, np.int64), np.zeros(0, np.uint32), np.zeros(0)
    rows = sparse.block_diag([_hosts(skin.geometry) for skin in skins], format="csr")[node - _first_point(skins)]
    carrier, host = np.unique(rows.indices, return_inverse=True)
    found = carrier + _first_point(skins)
    return found.astype(np.uint32), rows.indptr.astype(np.int64), host.ravel().astype(np.uint32), rows.data.astype(float)


def _first_point(skins: Sequence[Skin]) -> int:
    return skins[0].offset


def _hosts(geometry: Geometry) -> sparse.csr_array:
    """(points of the body, points of the body): weights of those that carry each."""
    own, count = len(geometry.position), len(geometry.all_positions)
    blocks, first = [(np.arange(own)[:, None], np.arange(own)[:, None], np.ones((own, 1)))], own
    for kind in geometry.embedded:
        blocks.append((np.broadcast_to(first + np.arange(len(kind.host))[:, None], kind.host.shape), kind.host, kind.weight))
        first += len(kind.host)
    node, host, weight = (np.concatenate([np.ravel(block[n]) for block in blocks]) for n in range(3))
    return sparse.csr_array(sparse.coo_array((weight, (node, host)), shape=(count, count)))


def _in_nodes(node: Integers, points: Integers) -> Integers:
    return np.searchsorted(node, points)


def _stack(parts: Sequence[Integers], width: int) -> Integers:
    return np.concatenate([np.zeros((0, width), np.int64), *parts]).astype(np.int64)


def _sorted(elements: Integers) -> Integers:
    """Corners of each in order, and all by their first corner: so threads can share them out."""
    rows = np.sort(elements, axis=1)
    return rows[np.lexsort(rows.T[::-1])]


def _numbered(counts: Sequence[int]) -> Integers:
    """0 so many times, then 1, ..."""
    return np.repeat(np.arange(len(counts)), counts).astype(np.int64)
