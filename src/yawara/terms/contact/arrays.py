"""What the contact kernels see: surfaces of bodies, tools, candidates that are looked for again now and then, and the scratch of a run."""

from typing import Annotated, NamedTuple

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.kernels.kinds import Booleans, Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.tools.arrays import ToolArrays

LOAD = 8  # per tool and thread: force [N], torque [N m] about its point, power [W] of its belt and its turning drive
TALLY_STRIDE = 8  # a cache line per thread
START = 12  # per node that bounces: place, velocity and force at the beginning of the step, and the impulse of its bounces
DEEPEST, TOUCHING, TOO_FAST, WHO, WHOM, WAS_ROUGH, ACTED = 0, 1, 2, 3, 4, 5, 6  # places in a thread's notes


class Surface(NamedTuple):
    """What of the bodies can touch: nodes, edges and faces of their surfaces, and the law of the contact force.

    Edges and faces count nodes, not points. A side is what nodes of other bodies, or of the same, can run into: a face, or an edge of a
    flat body's outline, whose second node is then repeated.
    """

    node: Indices  # points, increasing, (node_count,)
    inverse_mass: Floats  # [1/kg], (node_count,)
    node_body: Words  # (node_count,)
    edge: Annotated[Indices, 2]  # (edge_count, 2)
    face: Annotated[Indices, 2]  # (face_count, 3)
    longest: Floats  # [m], (1,): of the edges at rest
    side: Annotated[Indices, 2]  # (side_count, 3); none if bodies touch tools only
    side_body: Words  # (side_count,)
    pair_node: Indices  # nodes that can run into sides
    pair_edge: Annotated[Indices, 2]  # (pair_edge_count, 2): edges of solid bodies that can meet: not those in flat surfaces
    pair_apex: Annotated[Indices, 2]  # (pair_edge_count, 2): third nodes of the two faces beside each
    pair_edge_body: Words
    reach: Floats  # [m], (body_count,): penetration up to which a contact is followed
    dimension: Words  # (body_count,)
    between: Booleans  # (1,): whether different bodies touch
    itself: Booleans  # (body_count,): whether the body touches itself
    law: Floats  # see response.py
    bounce: Floats  # restitution, or nothing: then forces or impulses act
    carrier: Indices  # points with mass that carry the nodes, increasing, (carrier_count,)
    first_host: Words  # (node_count + 1,): a node with mass carries itself, an embedded one is carried by its hosts
    host: Indices  # carriers, (host_count,)
    share: Floats  # (host_count,), sums to 1 for each node


class Candidates(NamedTuple):
    """Which sides a node, and which edges an edge could run into before anything has moved by more than half of `skin`."""

    first_side: Words  # (pair_node_count + 1,)
    side: Indices  # increasing for each node
    first_edge: Words  # (pair_edge_count + 1,)
    edge: Indices  # later ones only, increasing for each edge
    reference: Floats  # [m], (3 * node_count,): where the nodes were; empty if there is nothing to run into
    skin: Floats  # [m], (1,)


class Active(NamedTuple):
    """Contacts that act, as the implicit scheme needs them; without room, none is noted."""

    point: Annotated[Words, 2]  # (room, 4), -1 where there are fewer
    weight: Annotated[Floats, 2]  # (room, 4)
    normal: Annotated[Floats, 2]  # (room, 3)
    slope: Annotated[Floats, 2]  # [N s/m], (room, 2): along the normal, and along the surface
    slip: Annotated[Floats, 2]  # (room, 3): direction along the surface that friction lets go; 0 where it holds
    used: Words  # (threads,)
    first: Words  # (threads + 1,): which rows a thread may use


class Rows(NamedTuple):
    """Contacts of a step whose impulses are looked for, see rows.py; and what they act upon."""

    who: Words  # (room * WHO,): nodes, tool and carriers of each
    row: Floats  # (room * ROW,)
    moved: Words  # (room * most,): carriers of the rows, one row's after another's
    part: Floats  # (room * most,): what part of a row's impulse each takes; negative on the other side
    most: Words  # (1,): carriers of a row, at most
    used: Words  # (threads * STRIDE,): how many each thread has found, and whether they reach what others own
    first: Words  # (threads + 1,): which rows a thread may use
    setting: Floats  # (SETTINGS,)
    inverse: Floats  # [1/kg], (3 * carrier_count,): along each axis, 0 where a drive holds the point
    start: Floats  # [m/s], (3 * carrier_count,): at the beginning of the step
    impulse: Floats  # [N s], (3 * carrier_count,): of this step; zero between steps
    reached: Words  # (carrier_count,): by how many rows; zero between steps
    tool_start: Floats  # (8 * tool_count,): tools at the beginning of the step, as points
    tool_inverse: Floats  # (4 * tool_count,): [1/kg] along each axis, [1/(kg m^2)] about its own; 0 where it is driven
    tool_change: Floats  # (4 * tool_count,): [m/s], [rad/s] of this step; zero between steps


class Touch(NamedTuple):
    """What threads share during a run."""

    load: Floats  # (threads * tool_count * LOAD,)
    impulse: Floats  # [N s], (threads * 4 * point_count,): of this step's contacts on points; zero between steps
    tool_impulse: Floats  # (tool_count * LOAD,): on tools, see `hand_to_tools`; zero between steps
    start: Floats  # (node_count * START,): of nodes that bounce, see there
    tally: Floats  # (threads * TALLY_STRIDE,): notes of each thread
    node: Words  # first own node, (threads + 1,)
    field: Annotated[Words, 2]  # (threads, 2): nodes whose distance from tools the thread needs
    edge: Words  # first own edge, (threads + 1,)
    face: Words
    pair_node: Words
    pair_edge: Words
    carrier: Words
    active: Active
    rows: Rows | Bound
    multiplier: Floats  # (threads * TALLY_STRIDE,), see augmented.py
    free: Floats  # (3 * node_count,): 1 where a node is free along an axis, 0 where it is held; nothing without multipliers


class Scratch(NamedTuple):
    """Of a thread."""

    pose: Floats  # of the tools, see tools/pose.py
    field: Floats  # distances of nodes from tools, see tools/field.py
    seen: Words  # slots in use, of each own node
    rough: Booleans  # tools that edges and faces can touch between their ends
    away: Booleans  # tools that are far away
    close: Booleans  # nodes that are close to a rough tool
    node_remembers: Booleans  # which nodes, edges and faces remember a contact
    edge_remembers: Booleans
    face_remembers: Booleans


class Asked(NamedTuple):
    """What is asked of those who compute contacts, and what they answer."""

    dt: float  # [s], by which internal variables move ahead
    step: float  # [s], in which things move before the next look
    keep: int  # whether internal variables stay where they moved
    note: float  # [s], of an implicit step for which contacts are noted; 0 for none
    span: float  # [s], over which impulses are summed
    stored: float  # [J]


class Arrays(NamedTuple):
    surface: Surface | Bound
    tool: ToolArrays
    touch: Touch | Bound
    candidates: Candidates
    scratch: Scratch
    internal: Floats  # internal variables, see internal.py
    lasting: Floats  # (LASTING * (carrier_count + tool_count),), see lasting.py
    one_stage: int  # whether the scheme has one
    owns_tools: int  # whether the thread does
    first_kind: int  # of the scheme's first stage, see core/stages.py
    with_nodes: (
        int  # addresses of what computes contacts of tools with nodes, of tools with edges and faces, and of bodies; 0 for none
    )
    with_edges: int
    with_bodies: int
    asked: Asked
    tally: Floats


@inner
def note_active(active, me, slope, grip, sx, sy, sz, nx, ny, nz, p0, w0, p1, w1, p2, w2, p3, w3):
    """Remember a contact for the implicit scheme, if there is room."""
    row = active.first[me] + active.used[me]
    if row >= active.first[me + 1]:
        return
    active.used[me] += 1
    active.point[row, 0], active.point[row, 1], active.point[row, 2], active.point[row, 3] = p0, p1, p2, p3
    active.weight[row, 0], active.weight[row, 1], active.weight[row, 2], active.weight[row, 3] = w0, w1, w2, w3
    active.normal[row, 0], active.normal[row, 1], active.normal[row, 2] = nx, ny, nz
    active.slope[row, 0], active.slope[row, 1] = slope, grip
    active.slip[row, 0], active.slip[row, 1], active.slip[row, 2] = sx, sy, sz


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
