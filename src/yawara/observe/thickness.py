"""How thick a body is along a strip: its extent along one axis, slice by slice along another."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from yawara.core.model import BodyRange
from yawara.frame import Frame
from yawara.kernels.kinds import Floats
from yawara.observe.measure import Column
from yawara.scene.probes import ThicknessProbe


@dataclass(frozen=True)
class Profile:
    """Of one instant."""

    middle: Floats  # [m], (part_count,): of the slices, from the body's rear end
    thickness: Floats  # [m], (part_count,); NaN where the body has a gap
    length: float  # [m]


@dataclass(frozen=True)
class Thickness:
    """A measure: thinnest, mean and thickest slice, and the length of the body."""

    name: str
    body: BodyRange
    probe: ThicknessProbe

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"{self.name}.{part}", "m") for part in ("least", "mean", "greatest", "length"))

    def values(self, frame: Frame) -> tuple[float, ...]:
        found = self.profile(frame.state.position)
        known = found.thickness[np.isfinite(found.thickness)]
        return float(known.min()), float(known.mean()), float(known.max()), found.length

    def profile(self, position: Floats) -> Profile:
        """At these positions (point_count, 3) of the whole model."""
        along, axis = ("xyz".index(letter) for letter in (self.probe.along, self.probe.axis))
        return profile(position[:, along], position[:, axis], self._sides, self.probe.parts)

    @cached_property
    def _sides(self) -> NDArray[np.int64]:
        triangles = self.body.triangles.astype(np.int64)
        return np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)


def profile(along: Floats, across: Floats, sides: NDArray[np.int64], parts: int) -> Profile:
    """Slices from the least to the greatest `along` of points that sides (count, 2) of triangles connect.

    The extent of a surface in a slice is that of its points there and of its sides where they enter and leave: so it is exact, and there
    is one even where slices are finer than the mesh.
    """
    used = np.unique(sides)
    begin, end = float(along[used].min()), float(along[used].max())
    if not end > begin:  # it has no length: all slices are one
        return Profile(np.zeros(parts), np.full(parts, np.ptp(across[used])), 0.0)
    cuts = np.linspace(begin, end, parts + 1)
    slice_of = np.clip(np.searchsorted(cuts, along[used], side="right") - 1, 0, parts - 1)
    low, high = np.full(parts, np.inf), np.full(parts, -np.inf)
    np.minimum.at(low, slice_of, across[used])
    np.maximum.at(high, slice_of, across[used])
    forward = np.where((along[sides[:, 0]] <= along[sides[:, 1]])[:, None], sides, sides[:, ::-1])
    first, last = along[forward[:, 0]], along[forward[:, 1]]
    for n, cut in enumerate(cuts[1:-1]):
        met = (first <= cut) & (cut <= last) & (first < last)
        share = (cut - first[met]) / (last[met] - first[met])
        crossing = (1.0 - share) * across[forward[met, 0]] + share * across[forward[met, 1]]
        for part in (n, n + 1):
            low[part] = min(low[part], crossing.min(initial=np.inf))
            high[part] = max(high[part], crossing.max(initial=-np.inf))
    thickness = np.where(high >= low, high - low, np.nan)
    return Profile(0.5 * (cuts[1:] + cuts[:-1]) - begin, thickness, end - begin)
