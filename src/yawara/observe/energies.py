"""The energy account: what came in is kinetic, stored, lifted, dissipated, or taken by guards.

Stored and kinetic energy are read off the state; work and dissipation are integrated along the run with the scheme's own weights,
each by itself, so that the balance is a check and not a definition.
"""

from dataclasses import dataclass

import numpy as np

from yawara.frame import Frame
from yawara.model import Model
from yawara.observe.measure import Column
from yawara.state import DISSIPATED, TAKEN_BY_GUARDS, WORK_OF_DRIVES, WORK_OF_FORCES, State

NAMES = ("kinetic", "stored", "potential", "dissipated", "guards", "work_of_drives", "work_of_forces", "balance_error")


@dataclass(frozen=True)
class Energies:
    """All energies [J]; the potential energy of gravity counts from the natural state."""

    start: float  # [J], kinetic energy of the first velocities

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"energy.{name}", "J") for name in NAMES)

    def values(self, frame: Frame) -> tuple[float, ...]:
        kinetic, potential = kinetic_energy(frame.model, frame.state), potential_energy(frame)
        stored, account = frame.evaluation.stored, frame.state.account
        drives, forces, dissipated, guards = (account[n] for n in (WORK_OF_DRIVES, WORK_OF_FORCES, DISSIPATED, TAKEN_BY_GUARDS))
        error = drives + forces - (kinetic - self.start + stored + potential + dissipated + guards)
        return tuple(float(value) for value in (kinetic, stored, potential, dissipated, guards, drives, forces, error))


def kinetic_energy(model: Model, state: State) -> float:
    """[J]"""
    return 0.5 * float(np.dot(model.arrays.point.mass, (state.velocity**2).sum(axis=1)))


def potential_energy(frame: Frame) -> float:
    """[J], of gravity."""
    point = frame.model.arrays.point
    return -float(np.dot(point.mass, (frame.state.position - frame.model.rest_position) @ point.gravity[:3]))
