"""The file that tells `yawara fit` what to do: scenes, parameters, what was measured, how to search."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from yawara.calibrate.intervals import IntervalMethod
from yawara.calibrate.observation.cloud import CAMERA_NOISE, FAR_AWAY
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.problem import Objective
from yawara.calibrate.search import AnySearch
from yawara.checks import Part, Quantity, fail
from yawara.old_names import current_column
from yawara.scene.fields import Position
from yawara.scene.file import read_toml, scene_error

FORMAT: Literal[1] = 1

Moment = Annotated[float, Quantity("s", ge=0, remedy="give the time of the scene at which it was taken")]
Length = Annotated[float, Quantity("m", gt=0, remedy="give metres: 0.5 mm is 0.0005")]
LengthOrZero = Annotated[float, Quantity("m", ge=0, remedy="give metres: 0.5 mm is 0.0005")]
Volume = Annotated[float, Quantity("m^3", gt=0, remedy="give cubic metres: 1 cm^3 is 1e-6")]
Noise = Annotated[float, Quantity("the curve's SI unit", gt=0, remedy="give the standard deviation of one reading")]
Weight = Annotated[float, Quantity("1", gt=0, remedy="leave it out to count all readings by their noise alone")]
Factor = Annotated[float, Quantity("1", remedy="-1 turns a sign")]
Shift = Annotated[float, Quantity("s", remedy="give seconds")]
Evaluations = Annotated[int, Quantity("1", ge=1, whole=True, remedy="leave it out to search until it has converged")]
Seed = Annotated[int, Quantity("1", ge=0, whole=True, remedy="any whole number")]

NAME = re.compile(r"[\w-]+")


def _column(value: Any) -> Any:
    return {"column": value} if isinstance(value, str | int) and not isinstance(value, bool) else value


class ColumnPart(Part):
    """A column of a table."""

    column: str | int = Field(description="its name, or its number from 1")
    unit: str = Field("", description="unit of its numbers; as its header tells, if left out")
    scale: Factor = Field(1.0, description="what its numbers are multiplied by besides")


AnyColumn = Annotated[ColumnPart, BeforeValidator(_column)]


class CloudPart(Part):
    """Points on a body's surface at one time."""

    file: str = Field(description="PLY, OBJ, STL, XYZ or CSV, as seen from this file")
    time: Moment = Field(description="when they were taken")
    body: str = Field("", description="body they belong to; the first one if left out")
    unit: str = Field("m", description="unit of the coordinates")
    move: Position = Field((0.0, 0.0, 0.0), description="what is added to the points, after the unit")
    noise: Length = Field(CAMERA_NOISE, description="standard deviation of a coordinate")
    ignore: LengthOrZero | None = Field(None, description="shorter distances do not count in S; the noise if left out")
    beyond: Length = Field(FAR_AWAY, description="points further away are counted")


class CurvePart(Part):
    """A number over time."""

    file: str = Field(description="table: CSV, or RepTate's")
    quantity: Annotated[str, AfterValidator(current_column)] = Field(
        description="column of the scene's history, such as press.force_z"
    )
    time: AnyColumn = Field(description="column of the times")
    value: AnyColumn = Field(description="column of the values")
    noise: Noise = Field(description="standard deviation of a reading, in SI")
    shift: Shift = Field(0.0, description="what is added to the times: 0 is the beginning of the scene")
    until: Moment | None = Field(None, description="leave out what is later, after the shift")
    every: Evaluations = Field(1, description="take every n-th row only")


class VolumePart(Part):
    """A body's volume at one time."""

    value: Volume = Field(description="measured volume")
    time: Moment = Field(description="when it was measured")
    noise: Volume = Field(description="standard deviation")
    body: str = Field("", description="the first body if left out")


class MarkerPart(Part):
    """A marked point over time."""

    file: str = Field(description="table of times and places")
    time: AnyColumn = Field(description="column of the times")
    x: AnyColumn = Field(description="column of x")
    y: AnyColumn = Field(description="column of y")
    z: AnyColumn = Field(description="column of z")
    body: str = Field("", description="the first body if left out")
    rest: Position | None = Field(None, description="where on the undeformed body; its place at 0 s if left out")
    noise: Length = Field(CAMERA_NOISE, description="standard deviation of a coordinate")


class ExperimentPart(Part):
    """A scene, and what was measured in it."""

    scene: str = Field(description="scene file, as seen from this file")
    set: tuple[str, ...] = Field((), description="values of the scene that are replaced, as 'time.end=2.0'")
    held_out: bool = Field(False, description="do not fit it, but compare in the end")
    weight: Weight = Field(1.0, description="of its squares beside those of other experiments")
    cloud: tuple[CloudPart, ...] = Field((), description="captured points")
    curve: tuple[CurvePart, ...] = Field((), description="forces, displacements, heights over time")
    volume: tuple[VolumePart, ...] = Field((), description="measured volumes")
    marker: tuple[MarkerPart, ...] = Field((), description="marked points")

    @model_validator(mode="after")
    def _has_something(self) -> Self:
        if not (self.cloud or self.curve or self.volume or self.marker):
            raise fail("needs something measured (got nothing); add a cloud, a curve, a volume or a marker")
        return self


class FitFile(Part):
    """An experiment file."""

    format: Literal[1] = Field(FORMAT, description="version of this format")
    name: str = Field("fit", description="title of the report")
    parameter: dict[str, Parameter] = Field(description="what is looked for, by name")
    experiment: dict[str, ExperimentPart] = Field(description="what was measured, by name")
    objective: Objective = Field(Objective.LEAST_SQUARES, description="what is made small")
    search: AnySearch | None = Field(None, description="how; by the number of parameters if left out")
    budget: Evaluations | None = Field(None, description="evaluations at most")
    seed: Seed = Field(0, description="of everything random")
    intervals: tuple[IntervalMethod, ...] = Field(
        (IntervalMethod.LINEAR, IntervalMethod.BOOTSTRAP), description="how the uncertainty is told"
    )

    @model_validator(mode="after")
    def _has_work(self) -> Self:
        if not any(not one.fixed for one in self.parameter.values()):
            raise fail("parameter must have a free entry (got none, or all fixed); set fixed = false in one of them")
        if not any(not one.held_out for one in self.experiment.values()):
            raise fail("experiment must have an entry that is fitted (got none, or all held out); set held_out = false in one")
        for name in (*self.parameter, *self.experiment):
            if not NAME.fullmatch(name):
                raise fail(f"names must be letters, digits, - and _ (got {name!r}); they become names of files and columns")
        targets = [path for one in self.parameter.values() for path in one.target]
        twice = sorted({path for path in targets if targets.count(path) > 1})
        if twice:
            raise fail(f"every target must belong to one parameter (got {', '.join(twice)} in two); leave it out in one of them")
        if self.objective is Objective.DISTANCE_SUM:
            if any(one.curve or one.volume or one.marker for one in self.experiment.values() if not one.held_out):
                raise fail("objective = 'distance_sum' counts clouds only, but other things were measured; use 'least_squares'")
            if self.search is not None and self.search.needs_residuals:
                raise fail(
                    f"objective = 'distance_sum' is no sum of squares, which search '{self.search.method}' needs; choose another"
                )
        return self


def read_fit_file(path: Path) -> FitFile:
    """Read and check an experiment file. SceneError lists everything that is wrong in it."""
    data = read_toml(path, "docs/calibration.md")
    return fit_file(data, source=str(path))


def fit_file(data: dict[str, Any], *, source: str) -> FitFile:
    try:
        return FitFile.model_validate(data)
    except ValidationError as error:
        raise scene_error(error, kind=FitFile, source=source) from None
