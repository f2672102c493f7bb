"""How the loop has done so far, as the parent reads it from the board."""

from dataclasses import dataclass
from typing import Any, Self

from yawara.haptics.histogram import Histogram
from yawara.shared import Block


@dataclass(frozen=True)
class Durations:
    """Of many ticks [s]; middle and p99 are upper bounds of the bins they fall into, at most 12 % too much."""

    middle: float
    p99: float
    largest: float
    late_share: float  # part of the ticks >= 0.5 ms

    @classmethod
    def of(cls, block: Block, name: str) -> Self:
        histogram, largest = Histogram(block[name]), block.value(f"max_{name}")
        middle, p99 = (min(histogram.quantile(part), largest) for part in (0.5, 0.99))
        return cls(middle, p99, largest, histogram.late_share)


@dataclass(frozen=True)
class LoopReport:
    """A moment in the life of a loop."""

    time: float  # [s], of `time.monotonic`; 0 before the first one
    ticks: int
    skipped: int
    rate: float  # [Hz]
    lateness: Durations  # of the beginning of a tick
    latency: Durations  # longest wait of a change of the hand until the force knew of it
    age: Durations  # of the contact model
    max_jump: float  # [N], between two ticks
    max_force: float  # [N]
    energy: float  # [J], given to the hand, net
    stale: int  # reads without news from the device
    unsound: int  # models and forces that were refused
    trips: int  # of the watchdog
    priority: int  # 0 ordinary, 1 raised, 2 real-time

    @classmethod
    def of(cls, block: Block) -> Self:
        fields: dict[str, Any] = {name: block.value(name) for name in ("time", "rate", "max_jump", "max_force", "energy")}
        fields |= {name: int(block.value(name)) for name in ("ticks", "skipped", "stale", "unsound", "trips", "priority")}
        fields |= {name: Durations.of(block, name) for name in ("lateness", "latency", "age")}
        return cls(**fields)
