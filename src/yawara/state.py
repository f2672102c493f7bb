"""Everything a run remembers. Saved and loaded, a run goes on bit for bit."""

from dataclasses import dataclass, fields

import numpy as np

from yawara.model import ContactArrays, Floats, Model

# What a contact remembers: whose it is (0: nobody's), the integral of its depth [m s], and the stretch of its friction spring (3) [m].
# Nodes, edges and faces each have room for a few; nodes that bounce, for how far they were put back.
KEY, SUM, STRETCH, MEMORY = 0, 1, 2, 5
SLOTS_OF_NODE, SLOTS_OF_EDGE, SLOTS_OF_FACE = 3, 2, 2

WORK_OF_DRIVES, WORK_OF_FORCES, DISSIPATED, TAKEN_BY_GUARDS, TAKEN_BY_CONTACT = 0, 1, 2, 3, 4  # places in State.account
INTO_SPRINGS = 5  # what went into springs, and into motion, beyond what moves, in an implicit scheme
ACCOUNTS = 6


def contact_rows(contact: ContactArrays) -> int:
    """Room for contacts: of nodes, of edges and faces with tools, of edges with each other; and for nodes that bounce."""
    edges, bouncing = len(contact.edge) + len(contact.pair_edge), len(contact.node) if len(contact.bounce) else 0
    return SLOTS_OF_NODE * len(contact.node) + SLOTS_OF_EDGE * edges + SLOTS_OF_FACE * len(contact.face) + bouncing


@dataclass
class State:
    """Time, motion, and the memory of every force term."""

    time: float  # [s]
    step_count: int  # steps made so far
    points: Floats  # (point_count, 8): x y z 0 [m], vx vy vz 0 [m/s]; of tools, the angle [rad] and its rate instead of 0
    memory: Floats  # of links [m], then of cells [m^3] or [m^2], as their laws define them
    anchor: Floats  # [m], (point_count, 3): where a driven point was caught; its drive counts from there
    account: Floats  # [J], (ACCOUNTS,): work of drives and of point forces, dissipated, taken by guards and by contact, given to springs
    mode: Floats  # (point_count, 4): the quickest vibration, as far as the step control has found it
    sought: Floats  # [m], (node_count, 3): where nodes were when candidates for contact were last looked for; not a number before
    contact: Floats  # (contact_count, MEMORY): what contacts remember, see contact/response.py
    pace: Floats  # (1,): how much quicker it is than at rest, at least 1; in implicit runs, how much smaller steps had to be

    @classmethod
    def at_rest(cls, model: Model, mode: Floats) -> "State":
        points = np.zeros((model.point_count, 8))
        points[:, :3] = model.rest_position
        anchor, account = model.rest_position.copy(), np.zeros(ACCOUNTS)
        contact = np.zeros((contact_rows(model.arrays.contact), MEMORY))
        sought = np.full((len(model.arrays.contact.node) if len(model.arrays.contact.side) else 0, 3), np.nan)
        return cls(0.0, 0, points, np.zeros(model.memory_count), anchor, account, mode.copy(), sought, contact, np.ones(1))

    @property
    def position(self) -> Floats:
        """[m], (point_count, 3), a view."""
        return self.points[:, :3]

    @property
    def velocity(self) -> Floats:
        """[m/s], (point_count, 3), a view."""
        return self.points[:, 4:7]

    def copy(self) -> "State":
        return State(self.time, self.step_count, *(getattr(self, field.name).copy() for field in fields(self)[2:]))

    def assign(self, other: "State") -> None:
        """Take over the other state's values without allocating."""
        self.time, self.step_count = other.time, other.step_count
        for field in fields(self)[2:]:
            getattr(self, field.name)[...] = getattr(other, field.name)

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.points).all() and np.isfinite(self.memory).all())

    def arrays(self) -> dict[str, Floats]:
        """For checkpoints."""
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Floats]) -> "State":
        return cls(float(arrays["time"]), int(arrays["step_count"]), *(np.array(arrays[field.name]) for field in fields(cls)[2:]))
