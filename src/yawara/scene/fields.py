"""Field types that scene parts share: vectors and counts with units and bounds, body references, axes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from yawara.checks import Quantity, fail, nearest

LARGEST_COUNT = 100_000  # points along one axis; more is a slip of the finger


@dataclass(frozen=True)
class VectorQuantity:
    """Three numbers with an SI unit, or two in a plane."""

    unit: str
    size: int = 3

    def check(self, value: Any) -> tuple[float, ...]:
        if (
            isinstance(value, str)
            or (not isinstance(value, Sequence) and not hasattr(value, "__len__"))
            or len(value) != self.size
        ):
            expected, example = ("three numbers x, y, z", "[0.0, 0.0, 1.0]") if self.size == 3 else ("two numbers", "[0.0, 0.01]")
            if self.size == 3 and isinstance(value, int | float) and not isinstance(value, bool):
                example = f"[0.0, 0.0, {value}]"
            raise fail(f"must be {expected} in {self.unit} (got {value!r}); write for example {example}")
        number = Quantity(self.unit)
        return tuple(number.check(item) for item in value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(list)
        )


@dataclass(frozen=True)
class Counts:
    """Numbers of points along the axes."""

    axes: int
    least: tuple[int, ...] = field(default=(2, 2, 2))

    def check(self, value: Any) -> tuple[int, ...]:
        if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != self.axes:
            raise fail(f"must be {self.axes} whole numbers of points (got {value!r}); write for example {[6] * self.axes}")
        for item, least in zip(value, self.least, strict=False):
            if isinstance(item, bool) or not hasattr(item, "__index__"):
                raise fail(f"must be whole numbers of points (got {item!r}); leave out the decimals")
            if item < least:
                raise fail(f"must be >= {least} points along each axis (got {item}); the body would be empty")
            if item > LARGEST_COUNT:
                raise fail(f"must be <= {LARGEST_COUNT} points along each axis (got {item}); use a larger spacing")
        return tuple(int(item) for item in value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(list)
        )


@dataclass(frozen=True)
class AxisLetters:
    """A choice of x, y and z."""

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or not value or set(value) - set("xyz") or len(set(value)) != len(value):
            raise fail(f"must name axes by the letters x, y, z (got {value!r}); write for example 'z' or 'xyz'")
        return "".join(sorted(value))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)


@dataclass(frozen=True)
class Choice:
    """One of some names."""

    names: tuple[str, ...]

    def check(self, value: Any) -> str:
        if value not in self.names:
            raise fail(f"{value!r} is not known; {nearest(str(value), self.names)}")
        return str(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)


Axes = Annotated[str, AxisLetters()]
Position = Annotated[tuple[float, float, float], VectorQuantity("m")]
PlanePosition = Annotated[tuple[float, float], VectorQuantity("m", 2)]
Velocity = Annotated[tuple[float, float, float], VectorQuantity("m/s")]
Acceleration = Annotated[tuple[float, float, float], VectorQuantity("m/s^2")]
ForceVector = Annotated[tuple[float, float, float], VectorQuantity("N")]
Length = Annotated[float, Quantity("m", gt=0, remedy="give a positive length in metres")]
Duration = Annotated[float, Quantity("s", gt=0, remedy="give a positive time in seconds")]
Instant = Annotated[float, Quantity("s", ge=0, remedy="time begins at 0")]
