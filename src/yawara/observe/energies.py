"""The energy account: what came in is kinetic, stored, lifted, dissipated, or taken by barriers, by contact and by an implicit scheme.

Stored and kinetic energy are read off the state; work and dissipation are integrated along the run with the scheme's own weights,
each by itself, so that the balance is a check and not a definition.

Backward Euler damps: a spring that is stretched by de in a step takes k de^2/2 more than it then stores, and a mass whose velocity changes
by dv loses m dv^2/2. These are no errors of the balance but what the scheme takes, and have a column of their own.
"""

from dataclasses import dataclass

import numpy as np

from yawara.core.method import Energy
from yawara.core.model import Model
from yawara.core.stages import SEMI_IMPLICIT
from yawara.core.state import ACCOUNTS, DISSIPATED, INTO_SPRINGS, WORK_OF_DRIVES, WORK_OF_FORCES, State
from yawara.frame import Frame
from yawara.methods import SCHEMES
from yawara.methods.scheme import Scheme
from yawara.observe.measure import Column
from yawara.observe.recorder import History
from yawara.scene.compile import Compiled

BEFORE, AFTER = ("kinetic", "stored", "potential", "dissipated"), ("scheme", "work_of_drives", "work_of_forces", "balance_error")


@dataclass(frozen=True)
class Energies:
    """All energies [J]; the potential energy of gravity counts from the natural state."""

    start: float  # [J], kinetic and stored before anything has happened
    springs: float  # [J], of it stored in bodies
    touching: float  # [J], of it stored in contacts
    scheme: Scheme
    accounts: tuple[tuple[str, tuple[int, ...]], ...]  # names of the terms' own accounts, and their places in the state's
    by_impulse: str  # name of the account that holds what its term stores as well

    @classmethod
    def of(cls, compiled: Compiled) -> "Energies":
        control = compiled.control.stretch(0.0, compiled.scene.time.frame_time)
        frame = Frame(0, compiled.model, compiled.state, control, 0.0)
        found = frame.evaluation
        beside = energy_beside(compiled.model, compiled.state)
        start = kinetic_energy(frame.model, frame.state) + found.stored + beside.kinetic + beside.stored + beside.potential
        terms = compiled.model.terms
        names = dict.fromkeys(term.account for term in terms if term.account)
        places = tuple((name, tuple(ACCOUNTS + n for n, term in enumerate(terms) if term.account == name)) for name in names)
        by_impulse = next((term.account for term in terms if term.by_impulse), "")
        scheme = SCHEMES[compiled.scene.time.integrator]
        return cls(start, found.stored - found.touching, found.touching, scheme, places, by_impulse)

    @property
    def names(self) -> tuple[str, ...]:
        return (*BEFORE, *(name for name, _ in self.accounts), *AFTER)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"energy.{name}", "J") for name in self.names)

    def values(self, frame: Frame) -> tuple[float, ...]:
        kinetic, potential = kinetic_energy(frame.model, frame.state), potential_energy(frame)
        stored, touching, account = frame.evaluation.stored, frame.evaluation.touching, frame.state.account
        drives, forces, dissipated, into_springs = (
            account[n] for n in (WORK_OF_DRIVES, WORK_OF_FORCES, DISSIPATED, INTO_SPRINGS)
        )
        taken = {name: sum(account[n] for n in places) for name, places in self.accounts}
        if self.by_impulse:
            taken[self.by_impulse] += self.touching - touching  # what contacts took is in their springs, or lost
        scheme = into_springs - (stored - touching - self.springs) if self.scheme.is_implicit else 0.0
        since = self._lag(frame) * (frame.evaluation.storing + lifting(frame))
        beside = energy_beside(frame.model, frame.state)
        kinetic, stored, potential = kinetic + beside.kinetic, stored + beside.stored, potential + beside.potential
        dissipated, drives, forces = (
            dissipated + beside.dissipated,
            drives + beside.work_of_drives,
            forces + beside.work_of_forces,
        )
        went = kinetic - self.start + stored + potential + dissipated + sum(taken.values()) + scheme - since
        values = (kinetic, stored, potential, dissipated, *taken.values(), scheme, drives, forces, drives + forces - went)
        return tuple(float(value) for value in values)

    def _lag(self, frame: Frame) -> float:
        """[s]: by how much velocities are older than positions: semi-implicit Euler has those of the middle of each step.

        The balance leaves out what weight and springs did since then.
        """
        moves_with_new_velocity = bool(self.scheme.stages) and self.scheme.stages[0][0] == SEMI_IMPLICIT
        return 0.5 * float(frame.log[-1, -1]) if moves_with_new_velocity and len(frame.log) else 0.0


def energy_beside(model: Model, state: State) -> Energy:
    """Of all methods beside that of the force terms."""
    return sum((method.energy(state) for method in model.methods), Energy())


def kinetic_energy(model: Model, state: State) -> float:
    """[J], with that of tools that turn freely."""
    turning = float(np.dot(model.tool_inertia, state.points[list(model.tool_points), 7] ** 2)) if model.tools else 0.0
    return 0.5 * (float(np.dot(model.point.mass, (state.velocity**2).sum(axis=1))) + turning)


def potential_energy(frame: Frame) -> float:
    """[J], of gravity."""
    point = frame.model.point
    fall = (frame.state.position - frame.model.rest_position) * point.gravity[:3]
    return -float(np.sum(point.mass[:, None] * fall))


def lifting(frame: Frame) -> float:
    """[W]: how fast potential energy grows."""
    point = frame.model.point
    return -float(np.sum(point.mass[:, None] * frame.state.velocity * point.gravity[:3]))


def largest_energy(history: History) -> float:
    """[J], of all accounts over the run."""
    wanted = [n for n, name in enumerate(history.names) if name.startswith("energy.") and name != "energy.balance_error"]
    return float(np.abs(history.table[:, wanted]).max(initial=0.0))


def balance_error(history: History, noise: float = 0.0) -> float:
    """Largest error of the energy balance over the run, relative to the largest energy in it; 0 if that is `noise` [J] or less."""
    scale = largest_energy(history)
    return float(np.abs(history["energy.balance_error"]).max() / scale) if scale > noise else 0.0
