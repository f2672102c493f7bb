"""All that touches as a force term: bodies with tools, with each other, with themselves."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np

from yawara.core.contribution import Vibration
from yawara.core.control import ControlArrays
from yawara.core.model import Model, PointArrays
from yawara.core.piece import Request
from yawara.core.response import voigt_response
from yawara.core.stages import SEMI_IMPLICIT
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team, Trouble, Variable
from yawara.kernels.entries import Kernel
from yawara.kernels.kinds import Floats, Indices
from yawara.kernels.records import Bound
from yawara.terms.contact import kernels
from yawara.terms.contact.arrays import TALLY_STRIDE, TOO_FAST, WHO, WHOM, Asked, Surface
from yawara.terms.contact.body_contacts import BODIES
from yawara.terms.contact.broad_phase import edges_near_edges, find_candidates, find_skin, sides_near_nodes
from yawara.terms.contact.edge_contacts import EDGES_AND_FACES
from yawara.terms.contact.internal import KEY, SLOTS_OF_EDGE, SLOTS_OF_FACE, SLOTS_OF_NODE, VARIABLES
from yawara.terms.contact.lasting import LASTING
from yawara.terms.contact.masses import body_masses, effective_inverse_mass
from yawara.terms.contact.node_contacts import NODES
from yawara.terms.contact.response import coefficients
from yawara.terms.contact.rows import BY_IMPULSE, KIND, MARGIN, NEAR, RESTITUTION, SETTINGS, SLOWLY
from yawara.terms.contact.settle import load_ratio, set_law
from yawara.terms.contact.share import contacts_of_a_point, new_scratch, new_touch, no_candidates, with_room_for_all, with_rows
from yawara.terms.contact.speed import greatest_speed
from yawara.tools.arrays import ToolArrays
from yawara.tools.contact import Contact, Method
from yawara.tools.form import FORM, GRID_SPACING, ROTATION, THIN
from yawara.tools.shapes import GRID, distances

PENETRATION = 0.02  # of the longest edge of a surface, that a body may be inside a tool at the start
CAUGHT = 0.25  # of the thinnest thing that can be run into: how far the fastest node may come in a step
MARGIN_OF_EDGE = 1e-3  # places so near are looked at as well: others may push them in
MARGIN_AHEAD = 0.25  # of an edge, in schemes that look one step ahead
EDGES_PER_SECOND = 10.0  # how fast what was inside before is moved out, at most
PART_OF_STAGES = 1.0 / 3.0  # blocks that drop, or rest under a plate, keep their books to 0.3 %; to 3 % with a half
COST = 20.0  # [ns], of a node and a tool


class ContactTerm(ForceTerm):
    name = "contact"
    kernels: ClassVar[ModuleType] = kernels
    order = 60
    account = "contact"
    by_impulse = True
    depends_on_numbers = False

    def __init__(
        self, surface: Surface, tool: ToolArrays, law: Contact, point: PointArrays, body_masses: Sequence[float]
    ) -> None:
        self.surface, self.tool, self.law, self.point, self.body_masses = surface, tool, law, point, body_masses

    def refill(self, request: Request) -> Callable[[], None]:
        """What it does is derived from masses and steps, see `settle`."""
        pieces = request.pieces if len(self.surface.node) else ()
        inverse = [effective_inverse_mass(piece.geometry, piece.mass) for piece in pieces]
        masses = body_masses(request)

        def write() -> None:
            self.body_masses = masses
            if inverse:
                whole = np.concatenate([*inverse, np.zeros(len(request.tools))])
                self.surface.inverse_mass[:] = whole[self.surface.node]

        return write

    @cached_property
    def _bound(self) -> Bound:
        """The surface alone, as the search for candidates takes it."""
        return Bound(self.surface)

    @property
    def _meets(self) -> bool:
        """Whether bodies can run into each other or themselves."""
        return len(self.surface.side) > 0

    @cached_property
    def _crowd(self) -> float:
        return contacts_of_a_point(self.surface, self.tool)

    @property
    def _bounces(self) -> bool:
        return len(self.surface.bounce) > 0

    @property
    def _by_impulse(self) -> bool:
        """In explicit schemes."""
        return self.law.method is Method.IMPULSE

    @property
    def variables(self) -> Mapping[str, Variable]:
        surface = self.surface
        edges, bouncing = len(surface.edge) + len(surface.pair_edge), len(surface.node) if self._bounces else 0
        rows = SLOTS_OF_NODE * len(surface.node) + SLOTS_OF_EDGE * edges + SLOTS_OF_FACE * len(surface.face) + bouncing
        sought = len(surface.node) if self._meets else 0
        lasting = len(surface.carrier) + len(self.tool.kind) if self._by_impulse else 0
        return {
            "internal": Variable("1, m s or N, m or N", (rows, VARIABLES), has_rate=False),
            "lasting": Variable("N, N m", (lasting, LASTING), has_rate=False),
            "sought": Variable(
                "m", (sought, 3), math.nan, has_rate=False
            ),  # where nodes were when candidates were last looked for
        }

    @property
    def kernels_used(self) -> Sequence[Kernel]:
        search = (sides_near_nodes, edges_near_edges) if self._meets else ()
        return (greatest_speed, distances, *search, *(kernel for kernel in self._parts if kernel))

    @property
    def _parts(self) -> tuple[Kernel | None, Kernel | None, Kernel | None]:
        """What computes contacts of tools with nodes, of tools with edges and faces, and of bodies; if there can be such."""
        tools = len(self.tool.kind) > 0 and not self._bounces
        edges = tools and len(self.surface.edge) + len(self.surface.face) > 0
        return NODES if tools else None, EDGES_AND_FACES if edges else None, BODIES if self._meets else None

    def phases(self) -> Iterable[str]:
        left_out = set() if self._bounces or self._by_impulse else {"project", "after_projection"}
        left_out |= set() if self.law.method is Method.IMPULSE else {"correct"}
        return [name for name in super().phases() if name not in left_out | (set() if self._meets else {"look_around"})]

    @cached_property
    def finest(self) -> float:  # type: ignore[override]
        if not len(self.surface.node) or self._bounces:
            return math.inf
        sides = self.surface.reach.min() if self._meets else math.inf
        return float(min(self.tool.form[THIN::FORM].min(initial=math.inf), sides))

    @property
    def part_of_stages(self) -> float:  # type: ignore[override]
        """Impulses come once in a step: near its limit of stability Runge's and Kutta's scheme would follow them too late."""
        return PART_OF_STAGES if self._by_impulse and len(self.surface.node) else 1.0

    def cost(self, point_count: int) -> Floats:
        each = COST * (len(self.tool.kind) + (3 if self._meets else 0))
        return each * np.bincount(self.surface.node, minlength=point_count).astype(float)

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        tools = len(self.tool.kind)
        touch = new_touch(self.surface, tools, team.point_count, team.first_point)
        if team.needs_tangent:
            touch = with_room_for_all(touch, tools)
            if self.law.method is Method.IMPULSE:
                touch = touch._replace(free=np.ones(3 * len(self.surface.node)))
        elif self._by_impulse:
            touch = with_rows(touch, self.surface, tools, self._setting(team.first_kind))
        shared, candidates, none = Bound(touch), no_candidates(), np.zeros(0)
        nodes, edges, bodies = (kernel.address if kernel else 0 for kernel in self._parts)
        return [
            kernels.Arrays(
                self._bound,
                self.tool,
                shared,
                candidates,
                new_scratch(touch, tools, me),
                none,
                none,
                int(team.one_stage),
                int(me == team.threads - 1),
                team.first_kind,
                nodes,
                edges,
                bodies,
                Asked(0.0, 0.0, 0, 0.0, 0.0, 0.0),
                team.tally[me],
            )
            for me in range(team.threads)
        ]

    def _setting(self, kind: int) -> Floats:
        """Of impulses, in a scheme with this kind of stages."""
        edge = float(self.surface.longest[0])
        setting = np.zeros(SETTINGS)
        setting[[BY_IMPULSE, KIND, RESTITUTION]] = 1.0, kind, self.law.rebound
        setting[[MARGIN, NEAR, SLOWLY]] = MARGIN_AHEAD * edge, MARGIN_OF_EDGE * edge, EDGES_PER_SECOND * edge
        if kind == SEMI_IMPLICIT:
            setting[MARGIN] = setting[NEAR]
        return setting

    def reach(self, team: Team) -> Sequence[Indices]:
        if self._by_impulse and not team.needs_tangent:
            return super().reach(team)  # impulses are no forces
        return [self._reach(*team.first_point[me : me + 2]) for me in range(team.threads)]

    def _reach(self, first: int, last: int) -> Indices:
        """Points that contacts of the points first..last can push: with tools, those of their own edges and faces; else any."""
        surface = self.surface
        if self._meets:
            return surface.node
        begin, end = np.searchsorted(surface.node, [first, last])
        parts = [surface.node[begin:end]]
        for elements in (surface.edge, surface.face):
            mine = (elements[:, 0] >= begin) & (elements[:, 0] < end)
            parts.append(surface.node[elements[mine].ravel()])
        return np.concatenate(parts)

    def whole_reach(self, point_count: int) -> Indices:
        return self.surface.node

    def prepare(self, state: State, records: Sequence[Bound]) -> None:
        """Look for candidates, if bodies can run into each other, and something has moved since the last search.

        Where that was is part of the state: a run that is taken up again finds the same candidates, and searches again at the same step.
        """
        if not self._meets or not np.isfinite(state.position).all():  # the loop will notice
            return
        sought, known = state.blocks[f"{self.name}.sought"], records[0].values["candidates"]
        now = state.position[self.surface.node]
        skin = float(known.skin[0]) or find_skin(self.surface)
        if not ((now - sought) ** 2).sum(axis=1).max() <= (0.5 * skin) ** 2:
            sought[:] = now
        elif np.array_equal(known.reference, sought.ravel()):
            return
        found = find_candidates(self._bound, self.surface, sought)
        for record in records:
            record.put("candidates", found)

    def forget_trouble(self, records: Sequence[Bound]) -> None:
        records[0].inner["touch"].values["tally"][:] = 0.0

    def trouble(self, records: Sequence[Bound]) -> Trouble | None:
        """What moved too fast to be caught in the last call."""
        notes = records[0].inner["touch"].values["tally"].reshape(-1, TALLY_STRIDE)
        found = [row for row in notes if row[TOO_FAST] > 0.0]
        if not found:
            return None
        worst = min(found, key=lambda row: float(row[TOO_FAST]))
        return Trouble(float(worst[TOO_FAST]), int(worst[WHO]), int(worst[WHOM]))

    def settle(self, step: float) -> None:
        gravity, load = float(np.linalg.norm(self.point.gravity)), load_ratio(self.surface, self.body_masses)
        set_law(self.surface, self.law, step, gravity, load, self._crowd)

    def widen(self, vibrations: Sequence[Vibration]) -> Sequence[Vibration]:
        """Each vibration with contacts on its points; and tools that are moved by force, against half of all points at once."""
        surface = self.surface
        if not len(surface.node) or self._bounces or self._by_impulse:
            return vibrations
        mass = 0.5 / float(surface.inverse_mass.max())  # what two of the lightest points have to move against each other
        # The integral sets no bound on the step: it is slow, and its own condition of stability is one on the coefficients.
        k, c, _ = (value / mass for value in coefficients.py_func(surface.law, mass, 1.0))
        response = voigt_response(k, c)
        tool_mass = self.point.mass[self.tool.point]
        pushed = tool_mass[tool_mass > 0.0]
        share = [0.5 * float((1.0 / surface.inverse_mass).sum()) / float(pushed.min())] if len(pushed) else []
        touched = [Vibration((*one.parts, (response, self._crowd))) for one in vibrations]
        return [*touched, *(Vibration(((response, one),)) for one in share)]

    def largest_step(self, state: State, control: ControlArrays) -> float:
        """In larger ones the fastest node could pass what it runs into. Its speed may grow until the next look: the kernels watch."""
        if not math.isfinite(self.finest):
            return math.inf
        speed = greatest_speed(
            self.surface.node, self.tool.point, self.tool.form, state.points.reshape(-1), control.turn, control.drive
        )
        return CAUGHT * self.finest / speed if speed > 0.0 else math.inf

    def wrong(self, state: State) -> Iterator[tuple[str, str]]:
        keys = state.blocks[f"{self.name}.internal"][:, KEY]
        touchable = 1 + len(self.tool.kind) + len(self.surface.dimension) + len(self.surface.pair_edge)
        bad = (keys != np.floor(keys)) | (keys < 0.0) | (keys > touchable)
        if bad.any():
            yield f"{self.name}.internal", f"must be claimed by tools and bodies from 0 to {touchable} (got {keys[bad][0]!r})"

    def problems_at_start(self, model: Model) -> Iterator[tuple[str, str]]:
        """Bodies that are inside a tool from the start."""
        surface, tool = self.surface, self.tool
        if not len(surface.node):
            return
        allowed = PENETRATION * float(surface.longest[0])
        for index, name in enumerate(model.tools):
            row = tool.form[FORM * index : FORM * (index + 1)]
            matrix = row[ROTATION : ROTATION + 9].reshape(3, 3)
            place = (model.rest_position[surface.node] - model.rest_position[tool.point[index]]) @ matrix
            gap = distances(int(tool.kind[index]), row, tool.grid, np.ascontiguousarray(place))
            if gap.size and gap.min() < -allowed - float(row[GRID_SPACING]) * (tool.kind[index] == GRID):
                owner, _ = model.owner_of(int(surface.node[np.argmin(gap)]))
                yield (
                    f"tool.{name}.origin",
                    f"must leave the bodies outside at the start (got body '{owner}' {-gap.min():.3g} m deep inside); move one of them",
                )
