"""Which law a curve supports: the simplest that explains it, of those whose parameters the data tell."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from yawara.calibrate.extract.criterion import CRITERIA, doubts
from yawara.calibrate.extract.curve import Curve
from yawara.calibrate.extract.families import Family
from yawara.calibrate.extract.fit import Fit, fit
from yawara.calibrate.extract.objections import misses, objections
from yawara.checks import SceneError

PAYS = (
    4.0  # what the criterion must fall by for a law of more parameters: below, both have support (Burnham & Anderson 2002, 2.6)
)
ENOUGH = 2  # numbers of parameters in a row that bring nothing better end the search, where nothing good was found yet


@dataclass(frozen=True)
class Choice:
    """All laws that were tried, and the best of them, which is chosen unless something speaks against it."""

    fits: tuple[Fit, ...]
    best: Fit
    criterion: str  # aicc or bic
    objections: tuple[str, ...] = ()

    @property
    def chosen(self) -> Fit | None:
        return None if self.objections else self.best

    @property
    def sound(self) -> bool:
        """Whether the best law has no doubts, and is chosen."""
        return not self.objections and not doubts(self.best)


def choose(curves: Sequence[Curve], levels: Sequence[Sequence[Family]], *, criterion: str = "aicc") -> Choice:
    """Fit laws of ever more parameters, those of a level have equally many; it ends when more of them do not help.

    Laws without doubts come first, then those that may be chosen at all, then those that are near the data; of these the least criterion.
    """
    score = CRITERIA[criterion]
    fits: list[Fit] = []
    idle = 0
    for level in levels:
        before = best_of(fits, curves, score)
        fits += _fitted(curves, level, is_first=not fits)
        idle = idle + 1 if before is not None and best_of(fits, curves, score) is before else 0
        if idle and (idle == ENOUGH or _rank(before, curves) == 0):
            break
    best = best_of(fits, curves, score)
    assert best is not None, "the first law is fitted, or the reason why not was raised"
    return Choice(tuple(fits), best, criterion, tuple(objections(best, curves)))


def _fitted(curves: Sequence[Curve], level: Sequence[Family], *, is_first: bool) -> Iterator[Fit]:
    """Those that can answer what was done, and have fewer parameters than there are rows."""
    rows = sum(len(observed.times) for curve in curves for observed in curve.observed)
    refusals: list[ValueError] = []
    for candidate in level:
        try:
            if is_first or len(candidate.names) + 3 <= rows:
                yield fit(curves, candidate)
        except SceneError:
            raise
        except ValueError as refusal:  # a damper answers a step with an infinite force
            refusals.append(refusal)
    if is_first and len(refusals) == len(level):
        raise refusals[0]


def best_of(fits: Sequence[Fit], curves: Sequence[Curve], score: Callable[[Fit], float]) -> Fit | None:
    """Of those with the least rank the simplest whose criterion is not far above the least."""
    if not fits:
        return None
    ranks = [_rank(item, curves) for item in fits]
    equals = [item for item, rank in zip(fits, ranks, strict=True) if rank == min(ranks)]
    least = min(score(item) for item in equals)
    return min((item for item in equals if score(item) <= least + PAYS), key=lambda item: (len(item.values), score(item)))


def _rank(fitted: Fit | None, curves: Sequence[Curve]) -> int:
    """0 for a law without doubts, 1 for one that may be chosen, 2 for one that is near the data at least, 3 for the others."""
    if fitted is None or misses(fitted, curves):
        return 3
    if objections(fitted, curves):
        return 2
    return 1 if doubts(fitted) else 0
