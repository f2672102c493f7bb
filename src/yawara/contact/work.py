"""What the contact kernels need beside the model: scratch of a run, and candidates that are looked for again now and then."""

from typing import NamedTuple

import numpy as np
from numba import uint64 as U
from numpy.typing import NDArray

from yawara.contact.tools.form import FORM
from yawara.contact.tools.shapes import BOX, CYLINDER, GRID, SPHERE
from yawara.jit import inner
from yawara.model import Floats, Indices, KernelArrays

LOAD = 8  # per tool and thread: force [N], torque [N m] about its point, power [W] of its belt and its turning drive
TALLY_STRIDE = 8  # a cache line per thread
START = 12  # per node that bounces: place, velocity and force at the beginning of the step, and the impulse of its bounces
DEEPEST, TOUCHING, TOO_FAST, WHO, WHOM, MOVED, WAS_ROUGH, ACTED = 0, 1, 2, 3, 4, 5, 6, 7  # places in a thread's tally


class Candidates(NamedTuple):
    """Which sides a node, and which edges an edge could run into before anything has moved by more than half of `skin`."""

    first_side: NDArray[np.int64]  # (pair_node_count + 1,)
    side: Indices  # increasing for each node
    first_edge: NDArray[np.int64]  # (pair_edge_count + 1,)
    edge: Indices  # later ones only, increasing for each edge
    reference: Floats  # [m], (3 * node_count,): where the nodes were; empty if there is nothing to run into
    skin: Floats  # [m], (1,)


class Active(NamedTuple):
    """Contacts that act, as the implicit scheme needs them; without room, none is noted."""

    point: NDArray[np.int64]  # (room, 4), -1 where there are fewer
    weight: Floats  # (room, 4)
    normal: Floats  # (room, 3)
    slope: Floats  # [N s/m], (room, 2): along the normal, and along the surface
    used: NDArray[np.int64]  # (threads,)
    first: NDArray[np.int64]  # (threads + 1,): which rows a thread may use


class Touch(NamedTuple):
    """Scratch of a run."""

    load: Floats  # (threads * tool_count * LOAD,)
    impulse: Floats  # [N s], (threads * 4 * point_count,): of this step's contacts on points; zero between steps
    tool_impulse: Floats  # (tool_count * LOAD,): on tools, see `hand_to_tools`; zero between steps
    start: Floats  # (node_count * START,): of nodes that bounce, see there
    tally: Floats  # (threads * TALLY_STRIDE,)
    node: NDArray[np.int64]  # first own node, (threads + 1,)
    field: NDArray[np.int64]  # (threads, 2): nodes whose distance from tools the thread needs
    edge: NDArray[np.int64]  # first own edge, (threads + 1,)
    face: NDArray[np.int64]
    pair_node: NDArray[np.int64]
    pair_edge: NDArray[np.int64]
    active: Active


@inner
def has_contact(kind, side):
    """Whether there are tools, or sides of bodies to run into."""
    return kind.size > 0 or side.size > 0


@inner
def note_active(active, me, slope, grip, nx, ny, nz, p0, w0, p1, w1, p2, w2, p3, w3):
    """Remember a contact for the implicit scheme, if there is room."""
    row = active.first[me] + active.used[me]
    if row >= active.first[me + 1]:
        return
    active.used[me] += 1
    active.point[row, 0], active.point[row, 1], active.point[row, 2], active.point[row, 3] = p0, p1, p2, p3
    active.weight[row, 0], active.weight[row, 1], active.weight[row, 2], active.weight[row, 3] = w0, w1, w2, w3
    active.normal[row, 0], active.normal[row, 1], active.normal[row, 2] = nx, ny, nz
    active.slope[row, 0], active.slope[row, 1] = slope, grip


@inner
def push(forces, impulse, base, span, p, weight, fx, fy, fz):
    """Add a share of a force [N] to a point, and its impulse over `span` [s]."""
    at = base + U(4) * U(p)
    x, y, z = weight * fx, weight * fy, weight * fz
    forces[at], forces[at + U(1)], forces[at + U(2)] = forces[at] + x, forces[at + U(1)] + y, forces[at + U(2)] + z
    if span != 0.0:
        impulse[at] += span * x
        impulse[at + U(1)] += span * y
        impulse[at + U(2)] += span * z


@inner
def tally_gap(tally, place, gap):
    tally[place + TOUCHING] += 1.0
    tally[place + DEEPEST] = min(tally[place + DEEPEST], gap)


@inner
def tally_speed(tally, place, needed, who, whom):
    """Something is too fast to be caught: keep the smallest step [s] that is needed, and what it was."""
    if tally[place + TOO_FAST] == 0.0 or needed < tally[place + TOO_FAST]:
        tally[place + TOO_FAST], tally[place + WHO], tally[place + WHOM] = needed, who, whom


def contacts_of_a_point(arrays: KernelArrays) -> float:
    """How many contacts may act on one point along the same direction, in stiffness.

    One where there are only floors and plates; nodes of bodies that touch each other are touched, too; round or pointed tools may touch a
    node and all edges and faces around it, which have smaller shares.
    """
    has_round = bool(np.isin(arrays.tool.kind, (SPHERE, CYLINDER, GRID)).any()) or _may_poke(arrays)
    return 3.0 if has_round else 1.5 if len(arrays.contact.side) else 1.0


def _may_poke(arrays: KernelArrays) -> bool:
    """Whether a box is so small, beside the bodies' edges, that its own edges will be felt."""
    half = [arrays.tool.form[FORM * t : FORM * t + 2].min() for t in np.flatnonzero(arrays.tool.kind == BOX)]
    return bool(half) and min(half) < 2.0 * float(arrays.contact.longest[0])


def no_candidates() -> Candidates:
    none = np.zeros(0, np.uint32)
    return Candidates(np.zeros(1, np.int64), none, np.zeros(1, np.int64), none, np.zeros(0), np.zeros(1))


def no_active(threads: int) -> Active:
    zeros = np.zeros(threads + 1, np.int64)
    return Active(
        np.zeros((0, 4), np.int64), np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(threads, np.int64), zeros
    )


def with_room(active: Active, counts: NDArray[np.int64]) -> Active:
    """Room for so many contacts of each thread."""
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    room = int(first[-1])
    return active._replace(
        point=np.full((room, 4), -1, np.int64), weight=np.zeros((room, 4)), normal=np.zeros((room, 3)),
        slope=np.zeros((room, 2)), first=first,
    )  # fmt: skip


def new_touch(arrays: KernelArrays, first_point: Indices) -> Touch:
    """`first_point` (threads + 1,): who owns which points."""
    contact, tools, threads = arrays.contact, len(arrays.tool.kind), len(first_point) - 1
    node = np.searchsorted(contact.node, first_point).astype(np.int64)
    node[-1] = len(contact.node)
    edge, face, pair_edge = (_cut(elements, node) for elements in (contact.edge, contact.face, contact.pair_edge))
    field = np.stack([node[:-1], node[1:]], axis=1)
    for t in range(threads):
        used = [contact.edge[edge[t] : edge[t + 1]].ravel(), contact.face[face[t] : face[t + 1]].ravel()]
        known = np.concatenate([*used, field[t, :1], field[t, 1:] - (field[t, 1] > field[t, 0])])
        field[t] = (known.min(), known.max() + 1) if field[t, 1] > field[t, 0] or len(known) > 2 else (0, 0)
    pair_node = np.searchsorted(contact.pair_node, node)
    own_node, own_edge, own_face, own_pair_node, own_pair_edge = (
        np.asarray(cut, np.int64) for cut in (node, edge, face, pair_node, pair_edge)
    )
    return Touch(
        np.zeros(threads * tools * LOAD), np.zeros(threads * 4 * len(arrays.point.mass)), np.zeros(tools * LOAD),
        np.zeros(START * len(contact.node) if len(contact.bounce) else 0), np.zeros(threads * TALLY_STRIDE),
        own_node, field.astype(np.int64), own_edge, own_face, own_pair_node, own_pair_edge, no_active(threads),
    )  # fmt: skip


def _cut(elements: Indices, node: NDArray[np.int64]) -> NDArray[np.int64]:
    """First element of each thread: elements are sorted by their first node."""
    if not len(elements):
        return np.zeros(len(node), np.int64)
    cut = np.searchsorted(elements[:, 0], node).astype(np.int64)
    cut[-1] = len(elements)
    return cut
