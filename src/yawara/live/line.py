"""What session and solver say to each other, over the line between their processes.

Each message is a class of its own, and each end answers every kind: mypy tells which one was left out. Whatever else comes over the
line is an error, not a word to be overheard.
"""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from yawara.kernels.kinds import Floats
from yawara.live.messages import Order, Shapes
from yawara.live.recording import Recording
from yawara.shared import Layout

Reply = TypeVar("Reply")


# ---- questions, each with the type of its answer


class Question(Generic[Reply]):
    """What a session asks its solver."""


@dataclass(frozen=True)
class MarkHere(Question[int]):
    """Begin a recording with everything as it is; the answer is the tick."""


@dataclass(frozen=True)
class GiveRecording(Question[Recording]):
    """What was done since the mark, or since the body was new."""


@dataclass(frozen=True)
class GiveDigest(Question[str]):
    """Of the state, to compare it bit for bit."""


@dataclass(frozen=True)
class GiveWork(Question[Floats]):
    """[s], (tick_count,): how long each of the last ticks took."""


@dataclass(frozen=True)
class GiveLog(Question[str]):
    """Force [N], place [m] and height [m] of the last minutes, as CSV."""


AnyQuestion = MarkHere | GiveRecording | GiveDigest | GiveWork | GiveLog


# ---- to the solver


@dataclass(frozen=True)
class ShowIn:
    """Views go into the shared memory of this name; time begins."""

    window: str


@dataclass(frozen=True)
class CarryOut:
    """Before the next tick, unless a recording is played."""

    order: Order


@dataclass(frozen=True)
class SetSpeed:
    """1 is real time, 0 a pause."""

    factor: float  # [1], simulated time over real time


@dataclass(frozen=True)
class ColourBy:
    """Which values go with the views: one of `COLOURINGS`."""

    what: str


@dataclass(frozen=True)
class Play:
    """Do it again from where it began."""

    recording: Recording


@dataclass(frozen=True)
class Ask:
    """The answer carries the same number: one that comes too late is not taken for another."""

    number: int
    question: AnyQuestion


@dataclass(frozen=True)
class Stop:
    """End, and leave nothing behind."""


ToSolver = ShowIn | CarryOut | SetSpeed | ColourBy | Play | Ask | Stop


# ---- from the solver


@dataclass(frozen=True)
class Begun:
    """There is something to see; the session makes memory of this layout for it."""

    shapes: Shapes
    layout: Layout


@dataclass(frozen=True)
class Failed:
    """It ends here."""

    why: str


@dataclass(frozen=True)
class Notice:
    """What the user should know now."""

    text: str


@dataclass(frozen=True)
class Answer:
    """To the question of this number."""

    number: int
    reply: Any


FromSolver = Begun | Failed | Notice | Answer
