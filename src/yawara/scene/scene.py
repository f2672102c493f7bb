"""A scene: bodies, what is done to them, for how long, and what is to be kept. The same object in Python and in a TOML file."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ModelWrapValidatorHandler, SerializeAsAny, ValidationError, model_validator
from pydantic_core import InitErrorDetails

from yawara.checks import Part, Quantity, explained, fail
from yawara.core.options import reads
from yawara.methods.beside import MethodOptions
from yawara.scene.actions import Drive, Fix, Force
from yawara.scene.bodies import AnyBody
from yawara.scene.consistency import problems
from yawara.scene.fields import Acceleration, Duration
from yawara.scene.probes import AnyProbe
from yawara.scene.push import Push
from yawara.scene.tools import AnyTool
from yawara.terms.options import TermOptions
from yawara.tools.contact import Contact

FORMAT: Literal[1] = 1
LARGEST_STEP_COUNT = 1e10


class IntegratorName(StrEnum):
    EULER = "euler"
    SEMI_IMPLICIT_EULER = "semi_implicit_euler"
    RK4 = "rk4"
    IMPLICIT_EULER = "implicit_euler"
    QUASI_STATIC = "quasi_static"


class Time(Part):
    """How long, how often to look, and how to step."""

    end: Duration = Field(description="when the run ends; it begins at 0")
    frame: Duration | None = Field(None, description="time between two rows of the history; a 200th of the run if left out")
    step: Duration | None = Field(
        None, description="largest time step; if left out, the largest stable one, but a tenth of a frame at most"
    )
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
    report: bool = Field(True, description="a page with pictures and curves, report.html")
    energies: bool = Field(True, description="follow stored, kinetic and dissipated energy and the work done")
    energy_tolerance: Annotated[float, Quantity("1", ge=0.0, remedy="0.1 accepts a tenth, 1 nearly anything")] = Field(
        0.1, description="what share of the largest energy may be missing in the balance before a run counts as failed"
    )


AnyTerm = Annotated[SerializeAsAny[TermOptions], reads(TermOptions)]
AnyMethod = Annotated[SerializeAsAny[MethodOptions], reads(MethodOptions)]


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
    push: tuple[Push, ...] = Field((), description="rigid tools that push lattices")
    tool: dict[str, AnyTool] = Field({}, description="rigid tools by name")
    contact: Contact | None = Field(
        None, description="how bodies touch; if left out, they touch tools only, by this table's own defaults"
    )
    term: dict[str, AnyTerm] = Field({}, description="further force terms by name, of packages that bring some")
    method: dict[str, AnyMethod] = Field({}, description="further methods of stepping by name, of packages that bring some")
    probe: dict[str, AnyProbe] = Field({}, description="further measurements by name")
    output: Output = Field(Output(), description="what is kept")

    @model_validator(mode="wrap")
    @classmethod
    def _consistent(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Names and references are reported together with whatever else is wrong."""
        found = problems(data) if isinstance(data, Mapping) else []
        details = [InitErrorDetails(type=fail(what), loc=place, input=given) for place, given, what in found]
        try:
            scene = handler(data)
        except ValidationError as error:
            raise ValidationError.from_exception_data("Scene", explained(cls, error) + details) from None
        if details:
            raise ValidationError.from_exception_data("Scene", details)
        return scene
