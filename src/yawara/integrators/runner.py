"""Runs the kernel on one or more threads: the caller's thread takes share 0, helpers the others."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yawara.contact.broad_phase import find_candidates, find_skin
from yawara.contact.work import TALLY_STRIDE, TOO_FAST, WHO, WHOM, Touch, new_touch, no_candidates, with_room
from yawara.control import ControlArrays
from yawara.forces.cells.constants import CORNERS_2D, CORNERS_3D
from yawara.held import hold
from yawara.integrators.advance import ACCOUNT_STRIDE, ROUND_STRIDE, Shares, Workspace, advance
from yawara.integrators.barrier import ABORT, MEETING_SIZE
from yawara.integrators.implicit_advance import advance_implicitly
from yawara.integrators.scheme import Scheme
from yawara.integrators.solver import new_solver, set_linear_slopes
from yawara.model import ContactArrays, Floats, Indices, Model
from yawara.state import ACCOUNTS, State


def share_out(model: Model, threads: int) -> Shares:
    """Split each kind of elements into runs of about equal size; a thread owns the points where its links begin."""
    arrays = model.arrays
    links, point_count = arrays.link, model.point_count
    block_count = len(links.block_family)
    goals = np.linspace(0, links.block_slot[-1], threads + 1)
    block = np.clip(np.searchsorted(links.block_slot, goals), 0, block_count)
    block[-1] = block_count
    first_point = np.append(links.run_point[links.block_run[:-1]], point_count)
    point = first_point[block]
    point[0], point[-1] = 0, point_count
    tetrahedron, triangle, face, follower = (
        np.linspace(0, count, threads + 1).round().astype(int)
        for count in (
            len(arrays.tetrahedron.block_kind),
            len(arrays.triangle.block_kind),
            int(arrays.surface.face[-1]),
            len(arrays.follower.point),
        )
    )
    reach = [
        _reach(
            model,
            (int(point[t]), int(point[t + 1])),
            *(slice(cut[t], cut[t + 1]) for cut in (block, tetrahedron, triangle, face)),
        )
        for t in range(threads)
    ]
    begin, end = zip(*reach, strict=True)
    return Shares(*(np.array(array, np.uint32) for array in (block, point, begin, end, tetrahedron, triangle, face, follower)))


def _touching(contact: ContactArrays, first: int, last: int) -> Indices:
    """Points that contacts of the points first..last can push: with tools, those of their own edges and faces; else any."""
    if len(contact.side):
        return contact.node
    begin, end = np.searchsorted(contact.node, [first, last])
    parts = [contact.node[begin:end]]
    for elements in (contact.edge, contact.face):
        mine = (elements[:, 0] >= begin) & (elements[:, 0] < end)
        parts.append(contact.node[elements[mine].ravel()])
    return np.concatenate(parts)


def _reach(
    model: Model, own: tuple[int, int], blocks: slice, tetrahedra: slice, triangles: slice, faces: slice
) -> tuple[int, int]:
    """First and last point (exclusive) that these elements can put a force on, with the leaders of followers among them."""
    arrays = model.arrays
    links = arrays.link
    slots = slice(links.block_slot[blocks.start], links.block_slot[blocks.stop])
    touched = [links.start[slots], links.end[slots], arrays.surface.corner[3 * faces.start : 3 * faces.stop]]
    touched.append(_touching(arrays.contact, *own))
    for cells, part, corners in ((arrays.tetrahedron, tetrahedra, CORNERS_3D), (arrays.triangle, triangles, CORNERS_2D)):
        first, last = (corners * int(cells.block_cell[at]) for at in (part.start, part.stop))
        touched.append(cells.corner[first:last])
    points = np.concatenate(touched)
    if not points.size:
        return 0, 0
    begin, end = int(points.min()), int(points.max()) + 1
    follower = arrays.follower
    inside = np.repeat((begin <= follower.point) & (follower.point < end), np.diff(follower.first))
    leaders = follower.leader[inside]
    return int(min(begin, leaders.min(initial=begin))), int(max(end, leaders.max(initial=end - 1) + 1))


class Runner:
    """Advances states of one model by one scheme; holds the scratch memory and the helper threads."""

    def __init__(self, model: Model, scheme: Scheme, *, threads: int = 1, account: bool = True) -> None:
        self.model, self.scheme, self.threads, self.account = model, scheme, threads, account
        self._stages = scheme.table
        self._solver = new_solver(model, threads) if scheme.is_implicit else None
        self._shares = share_out(model, threads)
        kept = 1 if scheme.keeps_start else 0
        points, memory = kept * 8 * model.point_count, kept * model.memory_count
        self._work = Workspace(
            np.zeros(threads * 4 * model.point_count),
            np.zeros(points),
            np.zeros(points),
            np.zeros(memory),
            np.zeros(memory),
            np.zeros(threads * ACCOUNT_STRIDE),
            np.zeros(threads * 2 * len(model.arrays.surface.rest)),
            self._new_rates(),
            np.zeros(threads * ROUND_STRIDE, np.int64),
            self._new_touch(),
        )
        self._team = hold((self._shares, self._work))
        self._held_solver = None if self._solver is None else hold(self._solver)
        self._candidates = no_candidates()
        self.log = self._new_log(0)
        self._helpers = ThreadPoolExecutor(max(1, threads - 1), "yawara-solver")  # starts threads when they are needed

    def advance(self, state: State, control: ControlArrays, first: int, steps: int, dt: float) -> None:
        """Make `steps` steps of `dt` seconds, in place, from step number `first` of the control's stretch on.

        Does not touch `state.time`.
        """
        self.log, done = self._new_log(steps), 0
        self._work.touch.tally[:] = 0.0
        while True:
            done += self._advance(state, control, first + done, steps - done, dt, self.log[done:])
            if done >= steps:
                self.log[:, -1] = dt
                return

    def _advance(self, state: State, control: ControlArrays, first: int, steps: int, dt: float, log: Floats) -> int:
        """One call of the kernel; the number of steps that it made."""
        self._look_for_candidates(state)
        meeting = np.zeros(MEETING_SIZE, np.int64)
        self._work.rounds[:] = 0
        function, before, after = (advance, (self._stages,), ()) if self._solver is None else self._implicitly(dt)
        arguments: Any = (first, steps, dt, *before, self.model.held, state.points.reshape(-1), state.memory, state.contact.reshape(-1),
                          self._candidates, state.anchor, control, self._team, log, *after, meeting, self.account)  # fmt: skip
        helpers = []
        try:
            for me in range(1, self.threads):
                helpers.append(self._helpers.submit(_do_share, function, me, meeting, arguments))
            made = _do_share(function, 0, meeting, arguments)
        finally:
            for helper in helpers:
                helper.result()
        if self.account:
            state.account += self._work.account.reshape(self.threads, ACCOUNT_STRIDE)[:, :ACCOUNTS].sum(axis=0)
        return made

    def _new_log(self, steps: int) -> Floats:
        """(steps, 6 * tool_count + 3): force and torque that each tool feels, deepest distance [m], contacts, step [s]."""
        return np.zeros((steps, 6 * len(self.model.arrays.tool.kind) + 3))

    def _new_rates(self) -> Floats:
        """Room for how fast links stretch, where dissipation needs it: see forces/links/mean_rate.py."""
        arrays = self.model.arrays
        touches = len(arrays.tool.kind) > 0 or len(arrays.contact.side) > 0
        needed = self.account and touches and len(self.scheme.stages) == 1
        return np.zeros(2 * len(arrays.link.start) if needed else 0)

    def _new_touch(self) -> Touch:
        arrays = self.model.arrays
        touch = new_touch(arrays, self._shares.point)
        if self._solver is None:
            return touch
        tools = max(1, len(arrays.tool.kind))
        weights = ((touch.node, tools + 1), (touch.edge, 1), (touch.face, 1), (touch.pair_edge, 2))
        per_thread = np.array([sum(many * int(cut[t + 1] - cut[t]) for cut, many in weights) for t in range(self.threads)])
        return touch._replace(active=with_room(touch.active, per_thread))

    def _look_for_candidates(self, state: State) -> None:
        """If bodies can run into each other, and something has moved since the last search.

        Where that was is part of the state: a run that is taken up again finds the same candidates, and searches again at the same step.
        """
        contact = self.model.arrays.contact
        if not len(contact.side) or not np.isfinite(state.position).all():  # the loop will notice
            return
        now = state.position[contact.node]
        skin = float(self._candidates.skin[0]) or find_skin(contact)
        if not ((now - state.sought) ** 2).sum(axis=1).max() <= (0.5 * skin) ** 2:
            state.sought[:] = now
        elif np.array_equal(self._candidates.reference, state.sought.ravel()):
            return
        self._candidates = find_candidates(contact, state.sought)

    @property
    def too_fast(self) -> tuple[float, int, int] | None:
        """The step [s] that would be needed to catch what moved too fast in the last call, its point, and what it ran into."""
        tally = self._work.touch.tally.reshape(self.threads, TALLY_STRIDE)
        found = [row for row in tally if row[TOO_FAST] > 0.0]
        if not found:
            return None
        worst = min(found, key=lambda row: float(row[TOO_FAST]))
        return float(worst[TOO_FAST]), int(worst[WHO]), int(worst[WHOM])

    def _implicitly(self, dt: float) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
        assert self._solver is not None
        set_linear_slopes(self._solver.slopes, self.model.arrays, dt)
        return advance_implicitly, (), (self._held_solver,)

    @property
    def unsolved(self) -> int:
        """Implicit steps so far that could not be solved."""
        return 0 if self._solver is None else int(self._solver.counts[2])

    def forget_unsolved(self) -> None:
        if self._solver is not None:
            self._solver.counts[2] = 0.0

    def close(self) -> None:
        self._helpers.shutdown()


def _do_share(function: Any, me: int, meeting: NDArray[np.int64], arguments: tuple[Any, ...]) -> int:
    """One thread's part; whatever keeps it from being done, the others must not wait for it."""
    try:
        return int(function(me, *arguments))
    except BaseException:
        meeting[ABORT] = 1
        raise
