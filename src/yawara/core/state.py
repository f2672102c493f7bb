"""Everything a run remembers. Saved and loaded, a run goes on bit for bit.

The state is a set of named blocks: those of the core, and the internal variables of every force term. A block may be replaced by one of
another size between two calls of the solver, which notices: particles come and go.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from yawara.core.model import Model
from yawara.kernels.aligned import aligned, zeros
from yawara.kernels.kinds import Floats

# Places in the block `account`: what does not belong to one term.
WORK_OF_DRIVES, WORK_OF_FORCES, DISSIPATED = 0, 1, 2
INTO_SPRINGS = 3  # what went into springs, and into motion, beyond what moves, in an implicit scheme
ACCOUNTS = 4  # those of the terms follow, in their order

# Unit and meaning of the core's own blocks; those of the terms say theirs themselves (Model.variables).
OWN_BLOCKS = {
    "points": "(point_count, 8): x y z 0 [m], vx vy vz 0 [m/s]; of tools, the angle [rad] and its rate instead of 0",
    "anchor": "[m], (point_count, 3): where a driven point was caught; its drive counts from there",
    "push": "[N s], (point_count, 3): impulses of methods beside the force terms, still to act; only where there are such methods",
    "account": "[J], (ACCOUNTS + term_count,): energies that were followed along the run",
    "mode": "(point_count, 4): the highest mode, as far as the step control has found it",
    "stiffening": "(1,): largest stiffness of an element over that at rest, when the pace was looked at",
    "pace": "(1,): how much quicker it is than at rest, at least 1; in implicit runs, how much smaller steps had to be",
}


@dataclass
class State:
    """Time, motion, and the internal variables of every force term."""

    time: float  # [s]
    step_count: int  # steps made so far
    blocks: dict[str, Floats] = field(repr=False)

    @classmethod
    def at_rest(cls, model: Model, mode: Floats) -> "State":
        points = zeros(model.point_count, 8)
        points[:, :3] = model.rest_position
        own = {
            "points": points,
            "anchor": model.rest_position.copy(),
            "account": np.zeros(ACCOUNTS + len(model.terms)),
            "mode": mode.copy(),
            "pace": np.ones(1),
            "stiffening": np.ones(1),
        }
        blocks = own | {name: aligned(np.full(one.shape, one.start)) for name, one in model.variables.items()}
        if model.methods:
            blocks["push"] = np.zeros((model.point_count, 3))
        for method in model.methods:
            method.begin(blocks)
        return cls(0.0, 0, blocks)

    @property
    def points(self) -> Floats:
        return self.blocks["points"]

    @property
    def anchor(self) -> Floats:
        return self.blocks["anchor"]

    @property
    def push(self) -> Floats:
        return self.blocks["push"]

    @property
    def account(self) -> Floats:
        return self.blocks["account"]

    @property
    def mode(self) -> Floats:
        return self.blocks["mode"]

    @property
    def pace(self) -> Floats:
        return self.blocks["pace"]

    @property
    def stiffening(self) -> Floats:
        return self.blocks["stiffening"]

    @property
    def position(self) -> Floats:
        """[m], (point_count, 3), a view."""
        return self.points[:, :3]

    @property
    def velocity(self) -> Floats:
        """[m/s], (point_count, 3), a view."""
        return self.points[:, 4:7]

    def copy(self) -> "State":
        return State(self.time, self.step_count, {name: aligned(block) for name, block in self.blocks.items()})

    def assign(self, other: "State") -> None:
        """Take over the other state's values, without allocating where blocks have their size."""
        self.time, self.step_count = other.time, other.step_count
        for name, block in other.blocks.items():
            mine = self.blocks.get(name)
            if mine is not None and mine.shape == block.shape:
                mine[...] = block
            else:
                self.blocks[name] = aligned(block)

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.points).all())

    def arrays(self) -> dict[str, Any]:
        """For checkpoints."""
        return {"time": np.asarray(self.time), "step_count": np.asarray(self.step_count), **self.blocks}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> "State":
        blocks = {name: aligned(array) for name, array in arrays.items() if name not in ("time", "step_count")}
        return cls(float(arrays["time"]), int(arrays["step_count"]), blocks)
