"""How a rigid rectangular tool pushes the points of a lattice's face: a digital operation of Nogami et al. 2003.

Nogami et al. 2003, section 2.5; the same in Noborio et al. 2003 (Eurographics), section 2.5. Lengths are in cells of
the lattice (side l = 1), so that nothing here has a unit.

What the papers leave open, and what is done here:
- Forces start from the *corners* of the tool's cells ("mass points" of the tool), not from the cells' middles. Only then does a tool of
  one cell by five touch two rows of six alike, and one between the rows gives the printed large row between two smaller ones.
- Cells are counted from the tool's lowest corner; the rests are at its far ends. So a tool that is not a whole number of cells long
  does not push quite symmetrically.
- Minor forces are shared among the points of the object in the same way as major ones.
- What thresholds drop, and what lands beside the face, is lost in the papers. Here all shares are scaled up to the whole force,
  unless `renormalise` is off.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from yawara.kernels.kinds import Floats

LEAST = 0.25  # of a cell: smaller rests and smaller parts of a cell count for nothing
ROUNDING = 1e-9  # of a cell: places closer than this are the same
FURTHEST = 1e6  # [cells] from the face; further away places are lost in rounding


class Diagonal(StrEnum):
    """The minor force at the corner of the tool where both rests meet."""

    AS_PRINTED = "as printed"  # (m^2 + n^2) / l^2, in all three copies of the papers; 2 where both rests are nearly whole cells
    BILINEAR = "bilinear"  # m n / l^2, which goes over into a major force


@dataclass(frozen=True)
class ToolAxis:
    """The tool's grid along one axis of the face."""

    place: Floats  # of the grid points that lie on the face, majors first, increasing
    is_minor: Floats  # 1.0 for the one at the end of the rest, else 0.0
    major_count: int  # with those beside the face
    rest: float  # m or n: share of the minor force; 0 if it is dropped


def tool_axis(low: float, high: float, count: int) -> ToolAxis:
    """Grid of a tool from `low` to `high`, on a face of `count` points along this axis."""
    whole = int(np.floor(high - low + ROUNDING))
    rest = high - low - whole
    if rest < LEAST - ROUNDING:
        rest = 0.0
    # only those on the face: a tool may be far larger than the body
    first, last = max(0, int(np.ceil(-ROUNDING - low))), min(whole, int(np.floor(count - 1 + ROUNDING - low)))
    place: Floats = low + np.arange(first, last + 1, dtype=np.float64)
    is_minor = np.zeros(len(place))
    if rest and -ROUNDING <= high <= count - 1 + ROUNDING:
        place, is_minor = np.append(place, high), np.append(is_minor, 1.0)
    return ToolAxis(place, is_minor, whole + 1, rest)


def landing(place: Floats, count: int) -> Floats:
    """Shares of forces at `place` along one axis among the points 0 to count - 1, (place_count, count).

    A force at s in its cell gives the near point l - s if s <= 0.75 l, the far one s if s >= 0.25 l. The products of two axes are the
    papers' opposite areas: f_a = s t, f_b = (l - s) t, f_c = (l - s)(l - t), f_d = s (l - t), with their four conditions.
    """
    shares = np.zeros((len(place), count))
    inside = np.flatnonzero((place >= -ROUNDING) & (place <= count - 1 + ROUNDING))
    cell = np.clip(np.floor(place[inside]).astype(int), 0, count - 2)
    s = np.clip(place[inside] - cell, 0.0, 1.0)
    shares[inside, cell] = np.where(s <= 1.0 - LEAST + ROUNDING, 1.0 - s, 0.0)
    shares[inside, cell + 1] = np.where(s >= LEAST - ROUNDING, s, 0.0)
    return shares


def face_shares(
    low: tuple[float, float],
    high: tuple[float, float],
    counts: tuple[int, int],
    *,
    diagonal: Diagonal | str = Diagonal.AS_PRINTED,
    renormalise: bool = True,
) -> Floats:
    """Share of the tool's whole force on each point of a face, (counts[0], counts[1]).

    ValueError if the tool reaches no point, or is out of reach.
    """
    if max(map(abs, (*low, *high))) > FURTHEST:
        raise ValueError(f"has corners more than {FURTHEST:g} cells away from the face")
    one, two = (tool_axis(*ends) for ends in zip(low, high, counts, strict=True))
    m, n = one.rest, two.rest
    corner = (m * m + n * n if diagonal == Diagonal.AS_PRINTED else m * n) if m and n else 0.0
    # f* = 1 at majors, f_2* = (m/l) f* and f_4* = (n/l) f* at the ends of the rests, f_1* where both meet
    p, q = one.is_minor[:, None], two.is_minor[None, :]
    tool = (1 - p) * (1 - q) + m * p * (1 - q) + n * (1 - p) * q + corner * p * q
    whole = one.major_count * two.major_count + m * two.major_count + n * one.major_count + corner
    shares: Floats = landing(one.place, counts[0]).T @ tool @ landing(two.place, counts[1])
    if not shares.any():
        raise ValueError("has none of its grid points on the face")
    return shares / (shares.sum() if renormalise else whole)
