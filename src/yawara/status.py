"""How a run ended; the values are the sentences the user reads."""

from dataclasses import dataclass
from enum import StrEnum


class StepStatus(StrEnum):
    DONE = "The run is complete."
    IMBALANCED = "The run came to its end, but its energies do not add up: by more than output.energy_tolerance."
    NOT_FINITE = "A value is no longer a finite number."
    UNSTABLE = "The energies no longer add up: more was dissipated or stored than ever came in."
    NOT_SOLVED = "The equations of an implicit step could not be solved."
    TOO_FAST = "Something moves too fast for its contacts to be caught: it could pass through what it runs into."
    CONTRADICTED = "Constraints contradict each other, and are missed further and further."
    FLOWN_APART = "A body has flown apart: a point is further away than a million times the scene's size."


@dataclass(frozen=True)
class Failure:
    """Where and when a run went wrong, and what helps."""

    status: StepStatus
    body: str
    element: str  # such as "point 17" or "link 204 (points 17, 40)"
    time: float  # [s]
    step: float  # [s]
    needed_step: float | None = None  # [s], if that is known

    @property
    def remedy(self) -> str:
        if self.needed_step is not None:
            return f"set time.step to {self.needed_step:.2g} s or less (steps were {self.step:.3g} s), or let things move more slowly"
        if self.status is StepStatus.TOO_FAST:  # no number of steps would do
            return "let things move more slowly, or make what they run into thicker"
        if self.status is StepStatus.CONTRADICTED:  # nor here
            return "ask for fewer of them (incompressible.per = 'patch' or 'body'), or hold and lead fewer points of the body"
        return f"lower time.step below {self.step:.3g} s (half of it is a good try), or load the body more slowly and less"

    def __str__(self) -> str:
        return f"{self.status} Body '{self.body}', {self.element}, at t = {self.time:.6g} s; {self.remedy}."


class SimulationError(RuntimeError):
    """A run that could not go on; the last good state is kept."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(str(failure))
