"""What is looked for: numbers of scenes, each with its bounds."""

from collections.abc import Mapping
from typing import Annotated, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from yawara.calibrate.space import Space
from yawara.checks import Part, Quantity, fail
from yawara.kernels.kinds import Floats
from yawara.old_names import current_path
from yawara.scene.scene import Scene

Number = Annotated[float, Quantity("the parameter's unit", remedy="give a plain number")]
LOG_FROM = 10.0  # upper over lower bound from which a positive parameter is searched by its logarithm, if nothing is said


def _as_paths(value: object) -> object:
    paths = (value,) if isinstance(value, str) else value
    if not isinstance(paths, list | tuple):
        return paths
    return tuple(current_path(Scene, one) if isinstance(one, str) else one for one in paths)


class Parameter(Part):
    """A number of the scenes that is looked for, or kept."""

    target: Annotated[tuple[str, ...], BeforeValidator(_as_paths)] = Field(
        description="path in the scenes, such as body.dough.law.k1; a list of paths that get the same value"
    )
    low: Number | None = Field(None, description="lower bound")
    high: Number | None = Field(None, description="upper bound")
    start: Number | None = Field(None, description="first guess, or the value it is fixed at; the scene's own if left out")
    unit: str = Field("", description="SI unit, to be sure; that of the scene if left out")
    log: bool | None = Field(None, description="search by its logarithm; if left out, when the bounds are far apart")
    fixed: bool = Field(False, description="keep it at its start")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.target:
            raise fail("target must name at least one path (got none); write for example target = 'body.dough.law.k1'")
        if self.fixed:
            return self
        if self.low is None or self.high is None:
            raise fail("needs low and high, in its unit, unless fixed = true; add them")
        if self.low >= self.high:
            raise fail(f"low must be < high (got {self.low:g} and {self.high:g}); swap them, or set fixed = true")
        if self.start is not None and not self.low <= self.start <= self.high:
            raise fail(f"start must be from low to high (got {self.start:g}, not in {self.low:g} to {self.high:g}); move it")
        if self.log and self.low <= 0.0:
            raise fail(f"low must be > 0 with log = true (got {self.low:g}); raise it, or set log = false")
        return self

    @property
    def is_log(self) -> bool:
        if self.low is None or self.high is None or self.low <= 0.0:
            return False
        return self.high / self.low >= LOG_FROM if self.log is None else self.log


def space_of(free: Mapping[str, Parameter], start: Mapping[str, float]) -> Space:
    """Of the free parameters, in their order."""
    names = tuple(free)
    low, high = (np.array([getattr(free[name], end) for name in names], float) for end in ("low", "high"))
    first: Floats = np.clip([start[name] for name in names], low, high)
    return Space(names, low, high, first, np.array([float(free[name].is_log) for name in names]))
