"""Nonlinear springs as people write them; their equations are in families/spring.py."""

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.kernels.kinds import Floats
from yawara.laws.families.spring import EXPONENTIAL, POLYNOMIAL, TABLE, spring_columns

PositiveStiffness = Annotated[float, Quantity("N/m", gt=0, remedy="without the spring use another law")]
Number = Annotated[float, Quantity("1")]
LARGEST_HARDENING = 100.0
TRIED = np.linspace(-0.9, 2.0, 291)  # strains at which a polynomial must rise


class Exponential(Part):
    """k l0 (exp(a x) - 1)/a at the strain x: stiffens in tension with a > 0, in compression with a < 0."""

    type: Literal["exponential"] = "exponential"
    k: PositiveStiffness = Field(description="stiffness at rest")
    hardening: Number = Field(description="a: stiffness grows by exp(a x)")

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        if not 1e-6 <= abs(self.hardening) <= LARGEST_HARDENING:
            raise fail(
                f"hardening must be from 1e-6 to {LARGEST_HARDENING:g} in size (got {self.hardening:g}); "
                "for a linear spring use another law"
            )
        return self

    kind: ClassVar[int] = EXPONENTIAL

    @property
    def entries(self) -> tuple[float, ...]:
        return (self.hardening,)


class Polynomial(Part):
    """k l0 (x + a2 x^2 + a3 x^3 + ...) at the strain x."""

    type: Literal["polynomial"] = "polynomial"
    k: PositiveStiffness = Field(description="stiffness at rest")
    a: tuple[Number, ...] = Field(description="a2, a3, ...: one to four numbers")

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if not 1 <= len(self.a) <= 4:
            raise fail(f"a must have one to four numbers (got {len(self.a)}); leave out those of higher orders")
        slope: Floats = np.ones_like(TRIED) + sum((n + 2) * a * TRIED ** (n + 1) for n, a in enumerate(self.a))
        if not (slope > 0.0).all():
            where = TRIED[np.argmin(slope)]
            raise fail(
                f"a must let the tension rise from a strain of -0.9 to 2 (got {slope.min():.3g} of the slope at rest at {where:.2g}); "
                "lower even orders, or raise odd ones"
            )
        return self

    kind: ClassVar[int] = POLYNOMIAL

    @property
    def entries(self) -> tuple[float, ...]:
        return tuple(self.a)


class Table(Part):
    """Straight lines between measured points: tension over the natural length [N/m] at strains."""

    type: Literal["table"] = "table"
    strain: tuple[Number, ...] = Field(description="strains, increasing, 0 among them")
    tension: tuple[Annotated[float, Quantity("N/m")], ...] = Field(
        description="tension over natural length there, increasing, 0 at 0"
    )

    @model_validator(mode="after")
    def _is_a_curve(self) -> Self:
        x, f = np.array(self.strain), np.array(self.tension)
        if len(x) != len(f) or len(x) < 2:
            raise fail(f"strain and tension must have as many values, at least 2 (got {len(x)} and {len(f)}); give one for each")
        if not (np.diff(x) > 0.0).all() or not (np.diff(f) > 0.0).all():
            raise fail(
                "strain and tension must increase from value to value (got some that do not); sort them, and leave out plateaus"
            )
        if 0.0 not in self.strain or self.tension[self.strain.index(0.0)] != 0.0:
            raise fail("tension must be 0 at strain 0 (got none there, or another); add the point 0, 0")
        return self

    kind: ClassVar[int] = TABLE

    @property
    def k(self) -> float:
        """[N/m], at rest: the steeper one of the lines that meet there."""
        x, f = np.array(self.strain), np.array(self.tension)
        slope, at = np.diff(f) / np.diff(x), self.strain.index(0.0)
        return float(slope[max(at - 1, 0) : at + 1].max())

    @property
    def entries(self) -> tuple[float, ...]:
        pairs = zip(self.strain, self.tension, strict=True)
        return tuple(value for x, f in pairs for value in (x, f / self.k))


AnySpring = Annotated[Exponential | Polynomial | Table, Field(discriminator="type")]


def spring_values(spring: "Exponential | Polynomial | Table", like: Floats) -> dict[str, Floats]:
    """The columns of a spring, for links of number and shape as `like`."""
    values = (spring.kind, len(spring.entries), *spring.entries)
    return {
        column.name: np.full_like(like, value) for column, value in zip(spring_columns(len(spring.entries)), values, strict=True)
    }
