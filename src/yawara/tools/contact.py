"""How bodies touch: the law of the force, friction, and what touches what."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail


class Method(StrEnum):
    """What happens where one thing would penetrate another."""

    IMPULSE = "impulse"  # at the end of a step, so that nothing ends inside: no number to guess, no step in the force
    TIME_INTEGRATED = "time_integrated"  # penalty with the time integral of the penetration: none is left at rest
    PENALTY = "penalty"  # spring and damper: the load decides how deep things sink in
    BOUNCE = "bounce"  # points are sent back off tools at once; for light bodies


Coefficient = Annotated[float, Quantity("1", ge=0, le=10, remedy="0 slides freely, 0.3 is common, 1 and more is rubber")]
Restitution = Annotated[float, Quantity("1", ge=0, le=1, remedy="0 stays on the surface, 1 comes back as fast as it came")]
Stiffness = Annotated[float, Quantity("N/m", gt=0, remedy="leave it out to have it derived from mass and step")]
Damping = Annotated[float, Quantity("N s/m", ge=0, remedy="leave it out for 0.3 of the critical one")]
Integral = Annotated[float, Quantity("N/(m s)", ge=0, remedy="leave it out to have it derived from stiffness and damping")]
Zone = Annotated[float, Quantity("m", ge=0, remedy="leave it out; a point's weight over the stiffness, halved, is a good value")]


class Contact(Part):
    """The contact of a scene's bodies with tools, with each other and with themselves."""

    method: Method = Field(Method.IMPULSE, description="'impulse', 'time_integrated', 'penalty' or 'bounce'")
    friction: Coefficient = Field(0.0, description="Coulomb's coefficient, where a tool has none of its own")
    restitution: Restitution | None = Field(
        None, description="speed after an impact over that before it; if left out, 0, and 0.5 with 'bounce'; not for springs"
    )
    stiffness: Stiffness | None = Field(None, description="K of every contact; if left out, from mass and step")
    damping: Damping | None = Field(None, description="C of every contact; if left out, 0.3 of the critical one")
    integral: Integral | None = Field(None, description="I of every contact; if left out, 0.3 C K / m")
    zone: Zone | None = Field(None, description="width of the zone in front of a surface where its force begins")
    bodies: bool = Field(True, description="whether different bodies touch")
    itself: bool = Field(True, description="whether a body touches itself")

    @property
    def rebound(self) -> float:
        """Speed after an impact over that before it."""
        usual = 0.5 if self.method is Method.BOUNCE else 0.0
        return usual if self.restitution is None else self.restitution

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        springs = {name: value for name in ("stiffness", "damping", "integral", "zone") if (value := getattr(self, name))}
        if self.method in (Method.IMPULSE, Method.BOUNCE) and springs:
            raise fail(
                f"{' and '.join(springs)} must be left out (got method '{self.method}'), which has no springs; "
                "set method to 'time_integrated' or 'penalty'"
            )
        if self.method is Method.PENALTY and (self.integral or self.zone):
            raise fail(
                "integral and zone must be left out (got method 'penalty'), as only 'time_integrated' has them; change method"
            )
        if self.method in (Method.TIME_INTEGRATED, Method.PENALTY) and self.restitution is not None:
            raise fail(
                f"restitution must be left out (got method '{self.method}'), where dampers decide how fast things come back; "
                "change damping, or set method to 'impulse' or 'bounce'"
            )
        return self
