"""The contract of a force term.

A kind of force is a room: a package with a class that follows this contract, a function that builds it from a scene, and a module of
kernels. The core knows no room by name. It finds those of its own in `terms/`, those of others by the entry-point group `yawara.terms`,
or where they are handed to `register`.

**Kernels** are plain functions `(ctx, mine)` in one module, under the names of the phases in `table.py`; all are optional. `ctx` is the
thread's `Context`, `mine` the record of the module's NamedTuple `Arrays`. They return nothing: energies go to `mine.tally`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from yawara.core.context import TALLY
from yawara.core.contribution import Contribution, Vibration
from yawara.core.control import Control, ControlArrays
from yawara.core.lines import Lines
from yawara.core.table import Phase
from yawara.kernels.entries import Kernel
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.status import StepStatus

if TYPE_CHECKING:
    from yawara.core.model import Model
    from yawara.core.piece import Request
    from yawara.core.state import State


@dataclass(frozen=True)
class Variable:
    """An internal variable of a term: a block of the state."""

    unit: str
    shape: tuple[int, ...]
    start: float = 0.0  # value at rest; what may be no number then may be none later
    most: int = 0  # rows that it may come to have, if it may grow and shrink; else it keeps its shape
    has_rate: bool = True  # moves at every stage by its rate: schemes that keep the start of a step keep that of the variable


@dataclass(frozen=True)
class Team:
    """The threads of a run, and what its scheme needs."""

    first_point: Words  # own points of each thread, (threads + 1,)
    point_count: int
    tally: Floats  # (threads, TALLY), of the term that asks
    keeps_start: bool = False  # the state at the beginning of a step is kept beside the present one
    first_kind: int = 0  # of the scheme's first stage, see stages.py
    one_stage: bool = True
    needs_tangent: bool = False
    account: bool = True
    notes: bool = False  # elements write down what they bear, for stresses
    is_touched: bool = False  # whether tools or bodies may touch: points may then change their velocity in one step

    @property
    def threads(self) -> int:
        return len(self.first_point) - 1


class ForceTerm:
    """One kind of force in a model: its elements, and how they act. Subclasses say what differs from doing nothing."""

    name: str  # of its blocks in the state, and where it is blamed
    kernels: ClassVar[ModuleType]
    order: ClassVar[int] = 50  # terms act in this order
    account: str = ""  # name of its own energy account, for what is neither stored nor dissipated
    by_impulse: ClassVar[bool] = False  # that account holds its impulses times mean velocities, and so what it stores as well
    hands_on: ClassVar[bool] = False  # it has no forces of its own, and hands those of others on
    depends_on_numbers: ClassVar[bool] = (
        True  # whether it is in a scene may depend on the scene's numbers, not on its shapes alone
    )
    stiffens: bool = False  # its elements may: it notes how much, see below
    tangent: ClassVar[tuple[str, ...]] = ()  # names of the arrays in which `Arrays` keeps the tangent
    rank: int = 0  # of the tangent, of a term whose elements reach so many points at once that its matrix would be full
    finest: float = math.inf  # [m]: what is so thin must not be passed in one step
    meetings: ClassVar[int] = 0  # of threads in one evaluation, about, beyond those of every stage
    part_of_stages: float = 1.0  # of the largest stable step of schemes with several stages, if it acts once in a step

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Internal variables, by the names that `Arrays` has for them."""
        return {}

    @property
    def kernels_used(self) -> Sequence[Kernel]:
        """Kernels beyond those of its phases: called by their addresses, or from Python."""
        return ()

    def phases(self) -> Iterable[str]:
        """Names of the phases that it takes part in."""
        return [name for phase in Phase if isinstance(getattr(self.kernels, name := phase.name.lower(), None), FunctionType)]

    @property
    def nbytes(self) -> int:
        """[B], of its arrays and internal variables."""
        return 0

    def cost(self, point_count: int) -> Floats:
        """[ns], (point_count,): of one evaluation, each element counted where its first point is."""
        return np.zeros(point_count)

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        """`Arrays` of each thread; internal variables are bound by the core, and may be empty here."""
        raise NotImplementedError

    def reach(self, team: Team) -> Sequence[Indices]:
        """Of each thread, points that its elements may push."""
        return [np.zeros(0, np.uint32)] * team.threads

    def whole_reach(self, point_count: int) -> Indices:
        """Points that any of its elements may push."""
        whole = Team(np.array([0, point_count]), point_count, np.zeros((1, TALLY)))
        return np.unique(np.concatenate(self.reach(whole)))

    def take_reached(self, points: Indices) -> None:
        """Points that all terms push, once they are built: for one that hands forces on."""

    def stencils(self, point_count: int) -> Sequence[Words]:
        """Points that each element joins, (element_count, points_of_one) of each kind; those that nobody knows are joined with all."""
        points = self.whole_reach(point_count)
        return [points[None].astype(np.int64)] if len(points) else []

    def carriers(self, point_count: int) -> csr_array | None:
        """(point_count, point_count): weights with which points carry nodes without mass, in the rows of these nodes."""
        return None

    def begin(self, state: "State") -> None:
        """Where a run begins, unless it is taken up: may set its internal variables by where points are."""

    def reconsider(self, state: "State") -> Callable[[], None] | None:
        """Between two calls of the solver that move the state: what changes the term's internal variables, if they are to change.

        What is then stored less is booked as dissipated by whoever carries that out.
        """
        return None

    def prepare(self, state: "State", records: Sequence[Bound]) -> None:
        """Before every call of the solver, with the records of all threads."""

    def trouble(self, records: Sequence[Bound]) -> "Trouble | None":
        """What went wrong in the last call, if the term knows of anything."""
        return None

    def fault(self, records: Sequence[Bound]) -> StepStatus | None:
        """What it found wrong in the last call that no smaller step would have kept away."""
        return None

    def forget_trouble(self, records: Sequence[Bound]) -> None:
        """Before steps are made that are looked at together."""

    def refill(self, request: "Request") -> Callable[[], None] | None:
        """What writes the numbers of another scene into the arrays; None if its elements are others, and must be built anew.

        Bodies have the same shapes, and tools and contact are the same.
        """
        return None

    # ---- stable steps

    def reference_steps(self, inverse_mass: Floats) -> Sequence[float] | None:
        """[s], about the largest stable step of each body with elements of several laws; infinite for others."""
        return None

    def contributions(self, steps: Sequence[float]) -> Sequence[Contribution] | None:
        """What it contributes to the vibrations of bodies; `steps` [s] are those of reference. None: what its tangent at rest says."""
        return None

    def settle(self, step: float) -> None:
        """Once the largest step [s] is known that the other terms allow."""

    def widen(self, vibrations: Sequence[Vibration]) -> Sequence[Vibration]:
        """Vibrations of bodies, with what may act on them at any time."""
        return vibrations

    def largest_step(self, state: "State", control: ControlArrays) -> float:
        """[s]: in larger ones it would miss something, as things move now."""
        return math.inf

    # A term that `stiffens` notes the largest stiffness of an element over that at rest in `tally[STIFFENED]`, and has a kernel
    # `look_around` that asks to stop beyond `ctx.allowed`: then the pace is looked at, and if it has leapt far beyond that in a step, the
    # steps of that call are made again, smaller. One that notes it in `add_end_forces`, too, is known as it is at a look; of
    # others the last evaluation counts, which may be of a moment that has passed.

    def problems_at_start(self, model: "Model") -> Iterator[tuple[str, str]]:
        """What is wrong with the scene, as (place in the scene, what), that only its built model can tell."""
        yield from ()

    # ---- for people

    def notices(self, model: "Model", control: Control) -> Iterator[str]:
        """What the user should know of how it acts on these bodies, held as they are, though nothing is wrong."""
        yield from ()

    def lines(self, rest_position: Floats) -> Lines | None:
        """What its elements say of strains, from which those of points are found."""
        return None

    def stress(self, model: "Model", record: Bound, state: "State") -> Floats | None:
        """[Pa], (point_count, 6): xx yy zz yz zx xy, from what its kernel `note` has noted."""
        return None

    def blame(self, state: "State") -> tuple[str, str] | None:
        """Body and element whose internal variables are not finite, if any."""
        return None

    def wrong(self, state: "State") -> Iterator[tuple[str, str]]:
        """What no run can have left in its blocks, by name."""
        yield from ()


@dataclass(frozen=True)
class Trouble:
    """Something that a smaller step would have caught."""

    needed: float  # [s]
    point: int
    other: int  # what it ran into
