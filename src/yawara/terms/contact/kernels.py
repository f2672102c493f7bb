"""Contact in the phases of a step: forces and bounces, what tools feel, and energies.

Internal variables move once per step, before forces are evaluated (Sugiyama et al. 2002, sec. 3.1).
"""

from numba import uint64 as U

from yawara.core.context import DRIVEN, GIVEN, STORED, TAKEN
from yawara.core.stages import FREEZE
from yawara.core.threads import ask_to_stop
from yawara.kernels.jit import inner
from yawara.terms.contact import arrays as _arrays
from yawara.terms.contact.arrays import LOAD, TALLY_STRIDE, WAS_ROUGH
from yawara.terms.contact.augmented import find_free, tell_lack
from yawara.terms.contact.books import (
    clear_nodes,
    solved_work_on_nodes,
    solved_work_on_tools,
    work_of_belts,
    work_on_nodes,
    work_on_tools,
)
from yawara.terms.contact.bounce import begin_bounces, bounce_off_tools
from yawara.terms.contact.forces import contact_forces, find_contacts, hand_to_tools, has_travelled, place_turning_tools
from yawara.terms.contact.impulse import apply_impulses, begin_impulses, log_loads, note_start
from yawara.terms.contact.impulse import work_on_tools as work_of_impulses
from yawara.terms.contact.internal import SLOTS_OF_EDGE, SLOTS_OF_FACE, SLOTS_OF_NODE
from yawara.terms.contact.lasting import add_lasting, has_stages, take_lasting_away
from yawara.terms.contact.response import who_remembers
from yawara.terms.contact.rows import BY_IMPULSE
from yawara.terms.contact.tangent import apply_contacts, contact_diagonal

Arrays = _arrays.Arrays


@inner
def _by_impulse(mine):
    return mine.touch.rows.setting[BY_IMPULSE] != 0.0


@inner
def _at_start(ctx, mine):
    """Points as they were at the beginning of the step, while forces of its last stage are added."""
    return ctx.points if mine.one_stage else ctx.start


def begin(ctx, mine):
    """Who remembers a contact, and what is held, may have changed since the last call."""
    find_free(ctx, mine)
    me, surface, touch, scratch, internal = ctx.me, mine.surface, mine.touch, mine.scratch, mine.internal
    edge_row = SLOTS_OF_NODE * surface.node.size
    face_row = edge_row + SLOTS_OF_EDGE * surface.edge.shape[0]
    who_remembers(internal, 0, SLOTS_OF_NODE, touch.node[me], touch.node[me + 1], scratch.node_remembers)
    edges = who_remembers(internal, edge_row, SLOTS_OF_EDGE, touch.edge[me], touch.edge[me + 1], scratch.edge_remembers)
    faces = who_remembers(internal, face_row, SLOTS_OF_FACE, touch.face[me], touch.face[me + 1], scratch.face_remembers)
    touch.tally[me * TALLY_STRIDE + WAS_ROUGH] = 1.0 if edges or faces else 0.0
    if _by_impulse(mine):
        begin_impulses(ctx, mine)


def add_forces(ctx, mine):
    if _by_impulse(mine):  # at the end of the step
        if ctx.stage != FREEZE and has_stages(mine.touch.rows):
            add_lasting(ctx, mine)
        return
    moves = ctx.stage != FREEZE
    is_first, account = moves and ctx.number == 0, moves and ctx.account != 0
    span = ctx.weight if account else 0.0
    mine.tally[STORED] = contact_forces(ctx, mine, ctx.dt if is_first else 0.0, ctx.dt, is_first, 0.0, span)
    if account and ctx.number == ctx.last:
        mine.tally[TAKEN] -= work_on_nodes(ctx.me, mine.surface.node, mine.touch, ctx.own, _at_start(ctx, mine))


def add_end_forces(ctx, mine):
    """For an implicit step; contacts that act are noted for its tangent."""
    dt, finish = ctx.ahead, ctx.finish != 0
    contact_forces(ctx, mine, dt, dt, finish, dt, dt if finish and ctx.account else 0.0)
    tell_lack(ctx, mine)


def correct(ctx, mine):
    """Multipliers take the forces that were found with them; nothing else is wanted of this evaluation."""
    contact_forces(ctx, mine, ctx.ahead, ctx.ahead, True, 0.0, 0.0)
    for n in range(U(mine.surface.node.size)):
        at = ctx.own + U(4) * U(mine.surface.node[n])
        ctx.forces[at] = ctx.forces[at + U(1)] = ctx.forces[at + U(2)] = 0.0


def constrain(ctx, mine):
    """Tools feel what all threads' contacts did."""
    if _by_impulse(mine):
        if ctx.number == 0 and ctx.stage != FREEZE:
            note_start(ctx, mine)
        return
    if mine.owns_tools:
        if ctx.ahead > 0.0:
            _load_tools_at_end(ctx, mine)
        else:
            _load_tools(ctx, mine)
    if mine.surface.bounce.size > 0 and ctx.number == 0 and ctx.stage != FREEZE:
        taken = begin_bounces(ctx.me, mine.surface, mine.touch, ctx.forces, ctx.own, ctx.points, mine.internal)
        mine.tally[TAKEN] += taken


@inner
def _load_tools(ctx, mine):
    tool, touch, control, tally = mine.tool, mine.touch, ctx.control, mine.tally
    moves = ctx.stage != FREEZE
    account, row = moves and ctx.account != 0, ctx.made if moves else ctx.log.shape[0]
    hand_to_tools(ctx.threads, tool, ctx.mass, touch, control.turn_held, mine.scratch.pose, ctx.forces, ctx.own, ctx.log, row,
                  ctx.weight / ctx.dt if moves else 0.0, ctx.weight if account else 0.0)  # fmt: skip
    if account and ctx.number == ctx.last:
        work, driven = work_on_tools(tool, ctx.mass, control, touch, _at_start(ctx, mine))
        belts = work_of_belts(tool, touch)
        tally[TAKEN] += belts - work
        tally[DRIVEN] += driven + belts


@inner
def _load_tools_at_end(ctx, mine):
    tool, touch, control, finish = mine.tool, mine.touch, ctx.control, ctx.finish != 0
    row = ctx.made if finish else ctx.log.shape[0]
    hand_to_tools(ctx.threads, tool, ctx.mass, touch, control.turn_held, mine.scratch.pose, ctx.forces, ctx.own, ctx.log, row,
                  1.0, ctx.ahead if finish and ctx.account else 0.0)  # fmt: skip
    if finish:  # tools that turn freely take their torque's part of the step once its forces are known
        for t in range(tool.kind.size):
            if not control.turn_held[t]:
                p = U(tool.point[t])
                ctx.points[U(8) * p + U(7)] += ctx.ahead * ctx.forces[ctx.own + U(4) * p + U(3)] * ctx.inverse_mass[p]
                ctx.points[U(8) * p + U(3)] += ctx.ahead * ctx.points[U(8) * p + U(7)]


def place(ctx, mine):
    if mine.owns_tools:
        place_turning_tools(mine.tool, ctx.control.turn, ctx.control.turn_held, ctx.points, ctx.then)
    if _by_impulse(mine) and ctx.number == ctx.last and has_stages(mine.touch.rows):
        take_lasting_away(ctx, mine)


def project(ctx, mine):
    """Send back what is inside tools, once they are where they will be; or note it, if impulses are to be found."""
    if _by_impulse(mine):
        find_contacts(ctx, mine)
    if mine.surface.bounce.size == 0:
        return
    touch, tools = mine.touch, mine.tool.kind.size * LOAD
    touch.load[ctx.me * tools : (ctx.me + 1) * tools] = 0.0
    lost, worked = bounce_off_tools(ctx.me, mine.surface, mine.tool, ctx.control.waits, ctx.mass, ctx.gravity, touch,
                                    mine.scratch.pose, ctx.points, mine.internal, mine.first_kind, ctx.dt)  # fmt: skip
    mine.tally[TAKEN] += lost
    mine.tally[DRIVEN] += worked


def after_projection(ctx, mine):
    if _by_impulse(mine):
        work, driven = apply_impulses(ctx, mine)
        mine.tally[TAKEN] -= work
        mine.tally[DRIVEN] -= driven
        return
    if mine.surface.bounce.size == 0 or not mine.owns_tools:
        return
    tool, forces, own = mine.tool, ctx.forces, ctx.own
    hand_to_tools(ctx.threads, tool, ctx.mass, mine.touch, ctx.control.turn_held, mine.scratch.pose, forces, own, ctx.log, ctx.made,
                  1.0, 0.0)  # fmt: skip
    for t in range(tool.kind.size):  # tools that bounce are driven: what they feel moves nothing
        for lane in range(U(4)):
            forces[own + U(4) * U(tool.point[t]) + lane] = 0.0


def end_step(ctx, mine):
    """The second half of what contacts took, with the velocities after the step."""
    if _by_impulse(mine):
        if mine.owns_tools:
            log_loads(ctx, mine)
            work, driven, belts = work_of_impulses(ctx, mine)
            mine.tally[TAKEN] += belts - work
            mine.tally[DRIVEN] += driven
        return
    if ctx.account:
        me, touch, tally = ctx.me, mine.touch, mine.tally
        tally[TAKEN] -= work_on_nodes(me, mine.surface.node, touch, ctx.own, ctx.points)
        clear_nodes(me, mine.surface.node, touch, ctx.own)
        if mine.owns_tools:
            work, driven = work_on_tools(mine.tool, ctx.mass, ctx.control, touch, ctx.points)
            tally[TAKEN] -= work
            tally[DRIVEN] += driven
            touch.tool_impulse[:] = 0.0


def look_around(ctx, mine):
    """Whether the candidates must be looked for again."""
    if has_travelled(ctx.me, mine.surface, mine.touch, mine.candidates, ctx.points):
        ask_to_stop(ctx)


def end_solved_step(ctx, mine):
    """What contacts take from an implicit step that has just been solved, and what drives give to tools [J].

    What an impact takes is theirs, and not lost by the scheme.
    """
    if not ctx.account:
        return
    tally, touch = mine.tally, mine.touch
    work, stopped = solved_work_on_nodes(ctx.me, mine.surface, touch, ctx.own, ctx.start, ctx.points)
    clear_nodes(ctx.me, mine.surface.node, touch, ctx.own)
    if mine.owns_tools:
        on_tools, driven, stopped_tools = solved_work_on_tools(
            mine.tool, ctx.mass, ctx.control, touch, ctx.start, ctx.points, ctx.dt)  # fmt: skip
        belts = work_of_belts(mine.tool, touch)
        work, stopped = work + on_tools - belts, stopped + stopped_tools
        tally[DRIVEN] += driven + belts
        touch.tool_impulse[:] = 0.0
    tally[TAKEN] += stopped - work
    tally[GIVEN] -= stopped


def add_product(ctx, mine):
    apply_contacts(ctx.me, mine.touch.active, ctx.direction, ctx.forces, ctx.own)


def add_diagonal(ctx, mine):
    if not ctx.bodies_only:
        contact_diagonal(ctx.me, mine.touch.active, ctx.forces, ctx.own)
