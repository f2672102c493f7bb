"""Which sets of values are run: all combinations, value by value together, or a sample."""

from collections.abc import Sequence
from math import prod

import numpy as np
from scipy.stats import qmc

from yawara.calibrate.sweep.axes import Axis
from yawara.checks import SceneError
from yawara.kernels.kinds import Floats

MOST = 1_000_000  # runs of one sweep


def points_of(axes: Sequence[Axis], *, sample: int | None = None, seed: int = 0, together: bool = False) -> Floats:
    """(run_count, axis_count), in the axes' units; of a grid, the last axis changes first."""
    if sample is not None and together:
        raise SceneError([("--together", "cannot be used with --sample; leave out one of them")], source="the command")
    if sample is not None:
        return _sample(axes, sample, seed)
    missing = [axis.path for axis in axes if not axis.values and axis.count is None]
    if missing:
        what = "needs a COUNT: LOW:HIGH:COUNT; or draw from the range with --sample N"
        raise SceneError([(f"--over {path}", what) for path in missing], source="the command")
    return _side_by_side(axes) if together else _grid(axes)


def _grid(axes: Sequence[Axis]) -> Floats:
    _refuse_too_many(prod(len(axis.values) or axis.count or 0 for axis in axes), "lower a COUNT, or draw with --sample N")
    return np.stack([values.ravel() for values in np.meshgrid(*(axis.steps for axis in axes), indexing="ij")], axis=1)


def _side_by_side(axes: Sequence[Axis]) -> Floats:
    counts = {axis.path: len(axis.steps) for axis in axes}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{path}: {count}" for path, count in counts.items())
        what = f"needs as many values of each parameter (got {told}); make them equal, or leave it out for all combinations"
        raise SceneError([("--together", what)], source="the command")
    _refuse_too_many(len(axes[0].steps), "lower COUNT")
    return np.stack([axis.steps for axis in axes], axis=1)


def _sample(axes: Sequence[Axis], count: int, seed: int) -> Floats:
    """A Latin hypercube (McKay, Beckman & Conover 1979): each of `count` equal parts of every range has one point."""
    _refuse_too_many(count, "draw fewer")
    shares = qmc.LatinHypercube(len(axes), seed=seed).random(count)
    return np.stack([axis.at(shares[:, n]) for n, axis in enumerate(axes)], axis=1)


def _refuse_too_many(count: int, remedy: str) -> None:
    if count > MOST:
        raise SceneError([("--over", f"must give at most {MOST:,} runs (got {count:,}); {remedy}")], source="the command")
