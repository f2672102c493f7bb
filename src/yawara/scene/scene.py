"""A scene: bodies, what is done to them, for how long, and what is to be kept. The same object in Python and in a TOML file."""

import re
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails

from yawara.checks import Part, Quantity, fail, nearest
from yawara.scene.actions import Drive, Fix, Force
from yawara.scene.bodies import AnyBody
from yawara.scene.fields import Acceleration, Duration
from yawara.scene.probes import AnyProbe

FORMAT: Literal[1] = 1
LARGEST_STEP_COUNT = 1e10
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class IntegratorName(StrEnum):
    EULER = "euler"
    SEMI_IMPLICIT_EULER = "semi_implicit_euler"
    RK4 = "rk4"


class Time(Part):
    """How long, how often to look, and how to step."""

    end: Duration = Field(description="when the run ends; it begins at 0")
    frame: Duration | None = Field(None, description="time between two rows of the history; a 200th of the run if left out")
    step: Duration | None = Field(None, description="largest time step; the model's largest stable step if left out")
    integrator: IntegratorName = Field(IntegratorName.SEMI_IMPLICIT_EULER, description="scheme")
    threads: Annotated[int, Quantity("1", ge=0, le=64, whole=True)] = Field(0, description="solver threads; 0 chooses by size")

    @property
    def frame_time(self) -> float:
        """[s]"""
        return self.frame if self.frame is not None else self.end / 200

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.frame is not None and self.frame > self.end:
            raise fail(f"frame must be <= end = {self.end:g} s (got {self.frame:g} s); look more often")
        if self.step is not None and self.end / self.step > LARGEST_STEP_COUNT:
            raise fail(
                f"step must leave fewer than {LARGEST_STEP_COUNT:g} steps until {self.end:g} s (got {self.step:g} s); raise it"
            )
        if self.step is not None and self.step > self.end:
            raise fail(f"step must be <= end = {self.end:g} s (got {self.step:g} s); lower it, or leave it out")
        if self.end / self.frame_time > 1e7:
            raise fail(f"frame must leave fewer than 1e7 rows until {self.end:g} s (got {self.frame_time:g} s); raise it")
        return self


class Output(Part):
    """What a run keeps beside its history."""

    positions: bool = Field(True, description="point positions of every frame, in history.h5")
    vtu: bool = Field(False, description="a VTU file per frame, and a .pvd that lists them")
    ply: bool = Field(False, description="each body's surface at the end")
    glb: bool = Field(False, description="an animation for viewers and CG programs")
    energies: bool = Field(True, description="follow stored, kinetic and dissipated energy and the work done")


class Scene(Part):
    """Everything a run needs."""

    format: Literal[1] = Field(FORMAT, description="version of the scene format")
    name: str = Field("scene", description="title for reports")
    gravity: Acceleration = Field((0.0, 0.0, 0.0), description="acceleration of free fall")
    time: Time = Field(description="duration and stepping")
    body: dict[str, AnyBody] = Field(description="bodies by name")
    fix: tuple[Fix, ...] = Field((), description="points that are held")
    drive: tuple[Drive, ...] = Field((), description="points that are moved")
    force: tuple[Force, ...] = Field((), description="forces on points")
    probe: dict[str, AnyProbe] = Field({}, description="further measurements by name")
    output: Output = Field(Output(), description="what is kept")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = [*self._bad_names(), *self._unknown_bodies(), *self._double_names()]
        if problems:
            details = [InitErrorDetails(type=fail(what), loc=place, input=given) for place, given, what in problems]
            raise ValidationError.from_exception_data("Scene", details)
        return self

    def _bad_names(self) -> Iterator[tuple[tuple[str | int, ...], Any, str]]:
        if not self.body:
            yield ("body",), {}, "must have at least one body (got none); add a table [body.NAME]"
        for table, names in (("body", self.body), ("probe", self.probe)):
            for name in names:
                if not NAME.fullmatch(name):
                    yield (table, name), name, f"name must be letters, digits, - and _ (got {name!r}); it becomes a column name"

    def _unknown_bodies(self) -> Iterator[tuple[tuple[str | int, ...], Any, str]]:
        places: list[tuple[tuple[str | int, ...], str]] = []
        for table, actions in (("fix", self.fix), ("drive", self.drive), ("force", self.force)):
            places += [((table, index, "body"), action.body) for index, action in enumerate(actions)]
        for name, probe in self.probe.items():
            places.append((("probe", name, "body"), probe.body))
            if other := getattr(probe, "other_body", ""):
                places.append((("probe", name, "other_body"), other))
        for place, body in places:
            if body not in self.body:
                yield place, body, f"there is no body '{body}'; {nearest(body, self.body)}"

    def _double_names(self) -> Iterator[tuple[tuple[str | int, ...], Any, str]]:
        named = [action.name for action in (*self.fix, *self.drive, *self.force) if action.name]
        for name, count in Counter([*named, *self.probe, *self.body]).items():
            if count > 1:
                yield (name,), name, f"name '{name}' is used {count} times for bodies, actions or probes; give each its own"
