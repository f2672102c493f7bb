"""The energy account: what came in is kinetic, stored, lifted, dissipated, or taken by guards and by contact.

Stored and kinetic energy are read off the state; work and dissipation are integrated along the run with the scheme's own weights,
each by itself, so that the balance is a check and not a definition.
"""

from dataclasses import dataclass

import numpy as np

from yawara.contact.tools.form import FORM, INVERSE_INERTIA
from yawara.frame import Frame
from yawara.model import Model
from yawara.observe.measure import Column
from yawara.scene.compile import Compiled
from yawara.state import DISSIPATED, TAKEN_BY_CONTACT, TAKEN_BY_GUARDS, WORK_OF_DRIVES, WORK_OF_FORCES, State

NAMES = ("kinetic", "stored", "potential", "dissipated", "guards", "contact", "work_of_drives", "work_of_forces", "balance_error")


@dataclass(frozen=True)
class Energies:
    """All energies [J]; the potential energy of gravity counts from the natural state."""

    start: float  # [J], kinetic energy of the first velocities, and what contacts store that are there from the start

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"energy.{name}", "J") for name in NAMES)

    def values(self, frame: Frame) -> tuple[float, ...]:
        kinetic, potential = kinetic_energy(frame.model, frame.state), potential_energy(frame)
        stored, account = frame.evaluation.stored, frame.state.account
        drives, forces, dissipated, guards, contact = (
            account[n] for n in (WORK_OF_DRIVES, WORK_OF_FORCES, DISSIPATED, TAKEN_BY_GUARDS, TAKEN_BY_CONTACT)
        )
        error = drives + forces - (kinetic - self.start + stored + potential + dissipated + guards + contact)
        values = (kinetic, stored, potential, dissipated, guards, contact, drives, forces, error)
        return tuple(float(value) for value in values)


def first_energy(compiled: Compiled) -> float:
    """[J]: kinetic and stored, before anything has happened."""
    control = compiled.control.stretch(0.0, compiled.scene.time.frame_time)
    frame = Frame(0, compiled.model, compiled.state, control, 0.0)
    return kinetic_energy(frame.model, frame.state) + frame.evaluation.stored


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
