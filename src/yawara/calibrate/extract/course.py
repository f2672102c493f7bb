"""What was done to a specimen: a displacement or a force that runs in straight pieces."""

from dataclasses import dataclass

import numpy as np

from yawara.kernels.kinds import Floats


@dataclass(frozen=True)
class Course:
    """Knots, straight in between, zero before the first. Two knots of the same time are a jump."""

    times: Floats  # [s], (knot_count,), not decreasing
    values: Floats  # [m], [N], [1] or [Pa], (knot_count,)

    def at(self, times: Floats) -> Floats:
        """Values in between; at a jump the one before it, and the last one for ever after."""
        later = np.searchsorted(self.times, times, side="left").clip(1, len(self.times) - 1)
        begin, end = self.times[later - 1], self.times[later]
        share = np.divide(times - begin, end - begin, out=np.ones_like(times), where=end > begin)
        inside = self.values[later - 1] + share.clip(0.0, 1.0) * (self.values[later] - self.values[later - 1])
        return np.where(times < self.times[0], 0.0, np.where(times > self.times[-1], self.values[-1], inside))


def step(value: float, begin: float, end: float) -> Course:
    """Nothing until `begin` [s], then at once `value` until `end` [s]."""
    return Course(np.array([begin, begin, end]), np.array([0.0, value, value]))


def ramp_and_hold(value: float, ramp_time: float, end: float) -> Course:
    """From 0 to `value` in `ramp_time` [s] from time 0, then held until `end` [s]."""
    return Course(np.array([0.0, ramp_time, max(end, ramp_time)]), np.array([0.0, value, value]))


def straightened(times: Floats, values: Floats, tolerance: float) -> Course:
    """A measured course as few straight pieces, each row within about `tolerance` [unit of the values].

    Corners are rows (Ramer 1972, Douglas & Peucker 1973); then their values are those of least squares, so that noise averages out.
    A damper's force is viscosity times speed: without this, the noise of a displacement would appear in the force many times larger.
    """
    corners = np.array(_corners(times, values, tolerance))
    hats = np.stack([np.interp(times, times[corners], unit) for unit in np.eye(len(corners))], axis=1)
    level = _levels(np.asarray(np.linalg.lstsq(hats, values, rcond=None)[0], np.float64), 0.5 * tolerance)
    if not level.any():
        return Course(times[corners], np.zeros(len(corners)))
    shared = np.stack([hats[:, level == n].sum(axis=1) for n in range(1, level.max() + 1)], axis=1)
    best = np.append(0.0, np.linalg.lstsq(shared, values, rcond=None)[0])
    return Course(times[corners], best[level])


def _levels(values: Floats, near: float) -> "np.typing.NDArray[np.int64]":
    """Numbers of levels, 0 for zero: neighbours that are near are one level, so that what is held has no speed at all."""
    level = np.zeros(len(values), np.int64)
    for i, value in enumerate(values):
        before = values[i - 1] if i else 0.0
        stays = abs(value - before) < near
        level[i] = (level[i - 1] if i else 0) if stays else level.max() + 1
    return level


def _corners(times: Floats, values: Floats, tolerance: float) -> list[int]:
    found, open_pieces = [0, len(times) - 1], [(0, len(times) - 1)]
    while open_pieces:
        first, last = open_pieces.pop()
        chord = np.interp(times[first : last + 1], times[[first, last]], values[[first, last]])
        away = np.abs(values[first : last + 1] - chord)
        worst = int(away.argmax())
        if away[worst] > tolerance and last - first > 1:
            found.append(first + worst)
            open_pieces += [(first, first + worst), (first + worst, last)]
    return sorted(found)
