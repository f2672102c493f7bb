"""The contract of a method of stepping: how a group of bodies goes from one instant to the next.

Bodies over force terms are stepped by the schemes of `methods/`. A method beside them has points of its own, in blocks of the state under
its name, and its own way to step them: an implicit solve, a grid, particles that come and go. Both share time, tools, control, observers,
checkpoints and the energy account. Blocks may be replaced by others of another size between two calls.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from yawara.core.control import ControlArrays
from yawara.core.term import Variable
from yawara.kernels.kinds import Floats
from yawara.status import StepStatus

if TYPE_CHECKING:
    from yawara.core.model import Model
    from yawara.core.state import State


@dataclass(frozen=True)
class Energy:
    """[J], of one method at one instant; works and losses are those since the beginning."""

    kinetic: float = 0.0
    stored: float = 0.0
    potential: float = 0.0
    dissipated: float = 0.0
    work_of_drives: float = 0.0
    work_of_forces: float = 0.0

    def __add__(self, other: "Energy") -> "Energy":
        return Energy(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


class Stepper:
    """Takes its part of a state through time; bound to one model, it holds scratch memory and threads."""

    pushes: bool = False  # whether it puts impulses on points of bodies and tools: then it is called after every step

    def largest_step(self, state: "State", control: ControlArrays) -> float:
        """[s], that it can take from here."""
        return math.inf

    def advance(self, state: "State", control: ControlArrays, first: int, steps: int, dt: float) -> int:
        """Make `steps` steps of `dt` seconds, in place, from step number `first` of the control's stretch on; leaves `state.time`.

        Returns how many were made; only the scheme over force terms may make fewer. Impulses [N s] that its bodies
        give to points with mass, of bodies or of tools that are pushed, are added to `state.push`, which is zero before: they act in the
        next step, evenly over all of it. The work is booked as that of forces where they act, so the method's own account has the same as
        negative work. Points without mass take none, and what it does to tools that are driven is the method's to book.
        """
        raise NotImplementedError

    def add_loads(self, log: Floats) -> None:
        """What tools felt in the steps of the last call, to (steps, 6 * tool_count + 3) that the force terms have filled."""

    def fault(self, state: "State") -> StepStatus | None:
        """What went wrong, if anything."""
        return None

    def close(self) -> None:
        """Let go of threads."""


class Method:
    """A group of bodies that is stepped in a way of its own: what does not change while time runs."""

    name: str  # of its blocks in the state

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Its blocks, by name."""
        return {}

    def begin(self, blocks: Mapping[str, Floats]) -> None:
        """Fill in its own blocks at the start, where they differ from what `variables` says; keys are `name.variable`."""

    def stepper(self, model: "Model") -> Stepper:
        raise NotImplementedError

    @property
    def cost(self) -> float:
        """[ns], of one step: how many are made in one call follows from it."""
        return 0.0

    def energy(self, state: "State") -> Energy:
        return Energy()

    def blame(self, state: "State") -> tuple[str, str] | None:
        """Body and element whose numbers are not finite, if any."""
        return None

    def wrong(self, state: "State") -> Iterator[tuple[str, str]]:
        """What no run can have left in its blocks, by name."""
        yield from ()
