"""How threads share out what touches."""

import numpy as np

from yawara.kernels.kinds import Floats, Indices, Words
from yawara.terms.contact.arrays import LOAD, START, TALLY_STRIDE, Active, Candidates, Rows, Scratch, Surface, Touch
from yawara.terms.contact.rows import ROW, SETTINGS, STRIDE, WHO
from yawara.tools.arrays import ToolArrays
from yawara.tools.form import FORM
from yawara.tools.pose import POSE
from yawara.tools.shapes import BOX, CYLINDER, GRID, SPHERE

EDGES_AT_ONCE = 16  # that one edge can meet


def contacts_of_a_point(surface: Surface, tool: ToolArrays) -> float:
    """How many contacts may act on one point along the same direction, in stiffness.

    One where there are only floors and plates; nodes of bodies that touch each other are touched, too; round or pointed tools may touch a
    node and all edges and faces around it, which have smaller shares.
    """
    has_round = bool(np.isin(tool.kind, (SPHERE, CYLINDER, GRID)).any()) or _may_poke(surface, tool)
    return 3.0 if has_round else 1.5 if len(surface.side) else 1.0


def _may_poke(surface: Surface, tool: ToolArrays) -> bool:
    """Whether a box is so small, beside the bodies' edges, that its own edges will be felt."""
    half = [tool.form[FORM * t : FORM * t + 2].min() for t in np.flatnonzero(tool.kind == BOX)]
    return bool(half) and min(half) < 2.0 * float(surface.longest[0])


def no_candidates() -> Candidates:
    none = np.zeros(0, np.uint32)
    return Candidates(np.zeros(1, np.int64), none, np.zeros(1, np.int64), none, np.zeros(0), np.zeros(1))


def no_active(threads: int) -> Active:
    zeros = np.zeros(threads + 1, np.int64)
    return Active(
        np.zeros((0, 4), np.int64),
        np.zeros((0, 4)),
        np.zeros((0, 3)),
        np.zeros((0, 2)),
        np.zeros((0, 3)),
        np.zeros(threads, np.int64),
        zeros,
    )


def with_room(active: Active, counts: Words) -> Active:
    """Room for so many contacts of each thread."""
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    room = int(first[-1])
    return active._replace(
        point=np.full((room, 4), -1, np.int64), weight=np.zeros((room, 4)), normal=np.zeros((room, 3)),
        slope=np.zeros((room, 2)), slip=np.zeros((room, 3)), first=first,
    )  # fmt: skip


def new_touch(surface: Surface, tools: int, point_count: int, first_point: Words) -> Touch:
    """`first_point` (threads + 1,): who owns which points."""
    threads = len(first_point) - 1
    node = np.searchsorted(surface.node, first_point).astype(np.int64)
    node[-1] = len(surface.node)
    edge, face, pair_edge = (_cut(elements, node) for elements in (surface.edge, surface.face, surface.pair_edge))
    field = np.stack([node[:-1], node[1:]], axis=1)
    for t in range(threads):
        used = [surface.edge[edge[t] : edge[t + 1]].ravel(), surface.face[face[t] : face[t + 1]].ravel()]
        known = np.concatenate([*used, field[t, :1], field[t, 1:] - (field[t, 1] > field[t, 0])])
        field[t] = (known.min(), known.max() + 1) if field[t, 1] > field[t, 0] or len(known) > 2 else (0, 0)
    pair_node = np.searchsorted(surface.pair_node, node).astype(np.int64)
    return Touch(
        np.zeros(threads * tools * LOAD), np.zeros(threads * 4 * point_count), np.zeros(tools * LOAD),
        np.zeros(START * len(surface.node) if len(surface.bounce) else 0), np.zeros(threads * TALLY_STRIDE),
        node, field.astype(np.int64), edge, face, pair_node, pair_edge,
        _first_of_each(surface.carrier, first_point), no_active(threads), no_rows(threads), np.zeros(threads * TALLY_STRIDE), np.zeros(0),
    )  # fmt: skip


def _first_of_each(points: Indices, first_point: Words) -> Words:
    """First of the increasing points that each thread owns."""
    found = np.searchsorted(points, first_point).astype(np.int64)
    found[-1] = len(points)
    return found


def no_rows(threads: int) -> Rows:
    """Contacts act by forces."""
    none, words = np.zeros(0), np.zeros(0, np.int64)
    used, first = np.zeros(threads * STRIDE, np.int64), np.zeros(threads + 1, np.int64)
    return Rows(
        words,
        none,
        words,
        none,
        np.zeros(1, np.int64),
        used,
        first,
        np.zeros(SETTINGS),
        none,
        none,
        none,
        words,
        none,
        none,
        none,
    )


def with_rows(touch: Touch, surface: Surface, tools: int, setting: Floats) -> Touch:
    """Room for every contact that may act at once; memory that nobody writes to is not taken from the machine."""
    bodies, carriers = len(surface.dimension), len(surface.carrier)
    weights = (
        (touch.node, tools),
        (touch.edge, tools),
        (touch.face, tools),
        (touch.pair_node, bodies),
        (touch.pair_edge, EDGES_AT_ONCE),
    )
    counts = [sum(many * int(cut[t + 1] - cut[t]) for cut, many in weights) for t in range(len(touch.node) - 1)]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    room, most = int(first[-1]), 4 * int(np.diff(surface.first_host).max(initial=1))
    found = Rows(
        np.empty(WHO * room, np.int64), np.empty(ROW * room),
        np.empty(most * room, np.int64), np.empty(most * room), np.array([most]), touch.rows.used, first, setting,  # type: ignore[union-attr]
        np.zeros(3 * carriers), np.zeros(3 * carriers), np.zeros(3 * carriers), np.zeros(carriers, np.int64),
        np.zeros(8 * tools), np.zeros(4 * tools), np.zeros(4 * tools),
    )  # fmt: skip
    return touch._replace(rows=found)


def with_room_for_all(touch: Touch, tools: int) -> Touch:
    """Every contact that may act at once can be noted, as an implicit scheme needs it."""
    weights = ((touch.node, max(1, tools) + 1), (touch.edge, 1), (touch.face, 1), (touch.pair_edge, 2))
    counts = np.array([sum(many * int(cut[t + 1] - cut[t]) for cut, many in weights) for t in range(len(touch.node) - 1)])
    return touch._replace(active=with_room(touch.active, counts))


def new_scratch(touch: Touch, tools: int, me: int) -> Scratch:
    nodes = int(touch.field[me, 1] - touch.field[me, 0])
    own, edges, faces = (max(int(cut[me + 1] - cut[me]), 0) for cut in (touch.node, touch.edge, touch.face))
    booleans = (np.zeros(size, np.bool_) for size in (tools, tools, nodes, own, edges, faces))
    return Scratch(np.empty(tools * POSE), np.empty(4 * tools * nodes), np.zeros(own, np.int64), *booleans)


def _cut(elements: Indices, node: Words) -> Words:
    """First element of each thread: elements are sorted by their first node."""
    if not len(elements):
        return np.zeros(len(node), np.int64)
    cut = np.searchsorted(elements[:, 0], node).astype(np.int64)
    cut[-1] = len(elements)
    return cut
