"""A line of a study: what the source prints, what we get, and whether that is close enough."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class StudyRow:
    """`low` and `high` bound what counts as the printed result; without a printed number there is no verdict."""

    study: str
    row: str
    unit: str
    printed: float | None
    ours: float
    low: float | None = None
    high: float | None = None

    @property
    def ok(self) -> bool | None:
        if self.low is None and self.high is None:
            return None
        return bool((self.low is None or self.ours >= self.low) and (self.high is None or self.ours <= self.high))

    def as_dict(self) -> dict[str, Any]:
        """With the keys study row unit printed ours low high ok."""
        return {**asdict(self), "ours": float(self.ours), "ok": self.ok}


def near(study: str, row: str, unit: str, printed: float, ours: float, tolerance: float) -> StudyRow:
    """A printed number that ours should meet within `tolerance`, in the row's unit."""
    return StudyRow(study, row, unit, printed, float(ours), printed - tolerance, printed + tolerance)
