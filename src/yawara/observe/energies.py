"""The energy account: what came in is kinetic, stored, lifted, dissipated, or taken by guards, by contact and by an implicit scheme.

Stored and kinetic energy are read off the state; work and dissipation are integrated along the run with the scheme's own weights,
each by itself, so that the balance is a check and not a definition.

Backward Euler damps: a spring that is stretched by de in a step takes k de^2/2 more than it then stores, and a mass whose velocity changes
by dv loses m dv^2/2. These are no errors of the balance but what the scheme takes, and have a column of their own.
"""

from dataclasses import dataclass

import numpy as np

from yawara.contact.tools.form import FORM, INVERSE_INERTIA
from yawara.frame import Frame
from yawara.integrators import SCHEMES
from yawara.integrators.scheme import Scheme
from yawara.model import Model
from yawara.observe.measure import Column
from yawara.observe.recorder import History
from yawara.scene.compile import Compiled
from yawara.stages import SEMI_IMPLICIT
from yawara.state import DISSIPATED, INTO_SPRINGS, TAKEN_BY_CONTACT, TAKEN_BY_GUARDS, WORK_OF_DRIVES, WORK_OF_FORCES, State

NAMES = (
    "kinetic", "stored", "potential", "dissipated", "guards", "contact", "scheme", "work_of_drives", "work_of_forces", "balance_error",
)  # fmt: skip


@dataclass(frozen=True)
class Energies:
    """All energies [J]; the potential energy of gravity counts from the natural state."""

    start: float  # [J], kinetic and stored before anything has happened
    springs: float  # [J], of it stored in bodies
    touching: float  # [J], of it stored in contacts
    scheme: Scheme

    @classmethod
    def of(cls, compiled: Compiled) -> "Energies":
        control = compiled.control.stretch(0.0, compiled.scene.time.frame_time)
        frame = Frame(0, compiled.model, compiled.state, control, 0.0)
        found = frame.evaluation
        start = kinetic_energy(frame.model, frame.state) + found.stored
        return cls(start, found.stored - found.touching, found.touching, SCHEMES[compiled.scene.time.integrator])

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"energy.{name}", "J") for name in NAMES)

    def values(self, frame: Frame) -> tuple[float, ...]:
        kinetic, potential = kinetic_energy(frame.model, frame.state), potential_energy(frame)
        stored, touching, account = frame.evaluation.stored, frame.evaluation.touching, frame.state.account
        drives, forces, dissipated, guards, contact, into_springs = (
            account[n] for n in (WORK_OF_DRIVES, WORK_OF_FORCES, DISSIPATED, TAKEN_BY_GUARDS, TAKEN_BY_CONTACT, INTO_SPRINGS)
        )
        contact += self.touching - touching  # what contacts took is in their springs, or lost
        scheme = into_springs - (stored - touching - self.springs) if self.scheme.is_implicit else 0.0
        since = self._lag(frame) * (frame.evaluation.storing + lifting(frame))
        error = drives + forces - (kinetic - self.start + stored + potential + dissipated + guards + contact + scheme - since)
        values = (kinetic, stored, potential, dissipated, guards, contact, scheme, drives, forces, error)
        return tuple(float(value) for value in values)

    def _lag(self, frame: Frame) -> float:
        """[s]: by how much velocities are older than positions: semi-implicit Euler has those of the middle of each step.

        The balance leaves out what weight and springs did since then.
        """
        moves_with_new_velocity = bool(self.scheme.stages) and self.scheme.stages[0][0] == SEMI_IMPLICIT
        return 0.5 * float(frame.log[-1, -1]) if moves_with_new_velocity and len(frame.log) else 0.0


def kinetic_energy(model: Model, state: State) -> float:
    """[J], with that of tools that turn freely."""
    tool = model.arrays.tool
    inverse = tool.form[INVERSE_INERTIA::FORM]
    turning = np.divide(state.points[tool.point, 7] ** 2, inverse, out=np.zeros(len(inverse)), where=inverse > 0.0)
    return 0.5 * float(np.dot(model.arrays.point.mass, (state.velocity**2).sum(axis=1)) + turning.sum())


def potential_energy(frame: Frame) -> float:
    """[J], of gravity."""
    point = frame.model.arrays.point
    fall = (frame.state.position - frame.model.rest_position) * point.gravity[:3]
    return -float(np.sum(point.mass[:, None] * fall))


def lifting(frame: Frame) -> float:
    """[W]: how fast potential energy grows."""
    point = frame.model.arrays.point
    return -float(np.sum(point.mass[:, None] * frame.state.velocity * point.gravity[:3]))


def largest_energy(history: History) -> float:
    """[J], of all accounts over the run."""
    wanted = [n for n, name in enumerate(history.names) if name.startswith("energy.") and name != "energy.balance_error"]
    return float(np.abs(history.table[:, wanted]).max(initial=0.0))


def balance_error(history: History, noise: float = 0.0) -> float:
    """Largest error of the energy balance over the run, relative to the largest energy in it; 0 if that is `noise` [J] or less."""
    scale = largest_energy(history)
    return float(np.abs(history["energy.balance_error"]).max() / scale) if scale > noise else 0.0
