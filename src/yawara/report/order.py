"""Which body to draw before which: sorting single faces by their middles fails where a large face meets small ones."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def drawing_order(boxes: Sequence[Floats], eye: Floats, *, alone: Collection[int] = ()) -> list[list[int]]:
    """Groups of bodies from far to near, by their boxes (2, 3) [m]; bodies of one group are entangled.

    Those that are to stay `alone` are in no group with others, however deep they are in each other.
    """
    groups = _groups(boxes, alone)
    merged = [_union([boxes[i] for i in group]) for group in groups]
    left, order = list(range(len(groups))), []
    while left:
        free = [a for a in left if not any(_hides(merged[a], merged[b], eye) for b in left if b != a)]
        # Three bodies may hide each other in a ring; then the farthest goes first
        far = max(free or left, key=lambda i: float(np.linalg.norm(merged[i].mean(axis=0) - eye)))
        left.remove(far)
        order.append(groups[far])
    return order


def _groups(boxes: Sequence[Floats], alone: Collection[int]) -> list[list[int]]:
    """Bodies joined until no two groups overlap."""
    groups = [[i] for i in range(len(boxes))]
    a, b = 0, 1
    while a < len(groups):
        if b >= len(groups):
            a, b = a + 1, a + 2
        elif {groups[a][0], groups[b][0]} & set(alone) or _gap_axes(
            *(_union([boxes[i] for i in groups[g]]) for g in (a, b))
        ).any():
            b += 1
        else:
            groups[a] += groups.pop(b)
            a, b = 0, 1
    return groups


def _hides(a: Floats, b: Floats, eye: Floats) -> bool:
    """Whether box a may cover a part of box b: on each axis that parts them, a stands on the side of the eye."""
    above, below = _gap_axes(a, b)
    if not (above | below).any():  # one is in the other: they are taken to be parted where the way out is shortest
        up, down = b[1] - a[0], a[1] - b[0]
        least = int(np.argmin(np.minimum(up, down)))
        above[least], below[least] = up[least] < down[least], up[least] >= down[least]
    on_a_side = np.where(above, eye > 0.5 * (a[0] + b[1]), eye < 0.5 * (a[1] + b[0]))
    return bool(on_a_side[above | below].all())


def _gap_axes(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """(2, 3): axes along which a lies above b, and below it; bodies in contact may dent each other a little."""
    slack = 0.1 * np.maximum(a[1] - a[0], b[1] - b[0])
    return np.stack([a[0] >= b[1] - slack, a[1] <= b[0] + slack])


def _union(boxes: Sequence[Floats]) -> Floats:
    return np.stack([np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)])
