"""Bad input is answered by name, unit, value, condition and remedy; all of it at once, before anything is built or written."""

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from yawara.old_names import current_keys
from yawara.slips import IN_PYTHON, annotations, call, kinds_of, place_of, short, slips, understood, wrong_kind

# Written units that we can convert in our heads for the user: (unit, factor to SI, SI unit)
_PREFIXED = {
    "nm": (1e-9, "m"), "um": (1e-6, "m"), "µm": (1e-6, "m"), "mm": (1e-3, "m"), "cm": (1e-2, "m"), "km": (1e3, "m"),
    "g": (1e-3, "kg"), "mg": (1e-6, "kg"), "us": (1e-6, "s"), "µs": (1e-6, "s"), "ms": (1e-3, "s"), "min": (60.0, "s"), "h": (3600.0, "s"),
    "mN": (1e-3, "N"), "kN": (1e3, "N"), "N/mm": (1e3, "N/m"), "N/cm": (1e2, "N/m"), "kN/m": (1e3, "N/m"),
    "g/cm3": (1e3, "kg/m^3"), "g/cm^3": (1e3, "kg/m^3"), "kPa": (1e3, "Pa"), "MPa": (1e6, "Pa"), "GPa": (1e9, "Pa"),
    "mm/s": (1e-3, "m/s"), "cm/s": (1e-2, "m/s"),
}  # fmt: skip

LARGEST = 1e30  # of any number, in SI units: beyond, products overflow, and nothing that one can touch is measured by it

# What the checker calls a wrong type, and how we say it: (expected, example)
WRONG_TYPE = {
    "tuple_type": ("a list", "[0.0, 1.0]"),
    "list_type": ("a list", "[0.0, 1.0]"),
    "string_type": ("text", '"dough"'),
    "bool_type": ("true or false", "true"),
    "bool_parsing": ("true or false", "true"),
    "dict_type": ("a table", "[table.name]"),
    "model_type": ("a table", '{ type = "voigt", k = 100.0, c = 1.0 }'),
    "model_attributes_type": ("a table", '{ type = "voigt", k = 100.0, c = 1.0 }'),
}


class SceneError(ValueError):
    """One or more things are wrong with the input; `problems` lists them as (place, what) pairs."""

    def __init__(self, problems: Iterable[tuple[str, str]], *, source: str = "the scene") -> None:
        self.problems, self.source = list(problems), source
        count = len(self.problems)
        head = f"{source} has {count} error{'s' if count > 1 else ''}:"
        super().__init__("\n".join([head, *(f"  {place}: {what}" if place else f"  {what}" for place, what in self.problems)]))


def nearest(name: str, valid: Iterable[str]) -> str:
    """The remedy for a name that is not valid."""
    valid = list(valid)
    close = difflib.get_close_matches(str(name).lower(), [item.lower() for item in valid], n=1, cutoff=0.55)
    if close:
        return f"did you mean '{next(item for item in valid if item.lower() == close[0])}'?"
    return f"valid: {', '.join(valid)}" if valid else "there is none to choose from"


def fail(message: str) -> PydanticCustomError:
    """An error that a validator can raise with a ready sentence."""
    return PydanticCustomError("yawara", "{message}", {"message": message})


@dataclass(frozen=True)
class Quantity:
    """A number with an SI unit and bounds, for use in `Annotated[float, Quantity("N/m", ge=0)]`."""

    unit: str
    gt: float | None = None
    ge: float | None = None
    le: float | None = None
    remedy: str = ""
    whole: bool = False

    @property
    def condition(self) -> str:
        lower = f"> {self.gt:g}" if self.gt is not None else f">= {self.ge:g}" if self.ge is not None else ""
        upper = f"<= {self.le:g}" if self.le is not None else ""
        return " and ".join(part for part in (lower, upper) if part)

    @property
    def label(self) -> str:
        return self.unit if self.unit != "1" else "(no unit)"

    def check(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # a NumPy scalar
                return self.check(value.item())
            raise fail(f"must be a number in {self.label} (got {value!r}); {self._number_remedy(value)}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if self.whole and not isinstance(value, int):
            raise fail(f"must be a whole number (got {value!r}); leave out the decimals")
        if not math.isfinite(number):
            raise fail(f"must be a finite number in {self.label} (got {short(value)}); give a finite value")
        if abs(number) > LARGEST:
            raise fail(f"must be within {LARGEST:g} {self.label} (got {number:g}); values are in {self.label}, check the unit")
        out_of_bounds = (
            (self.gt is not None and number <= self.gt)
            or (self.ge is not None and number < self.ge)
            or (self.le is not None and number > self.le)
        )
        if out_of_bounds:
            raise fail(f"must be {self.condition} {self.label} (got {value:g}); {self.remedy or 'change the value'}")
        return int(value) if self.whole else number

    def _number_remedy(self, value: Any) -> str:
        match = re.fullmatch(r"\s*([-+0-9.eE]+)\s*(\S.*?)\s*", value) if isinstance(value, str) else None
        if isinstance(value, str) and re.fullmatch(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?", value.strip()):
            return f"write {value.strip()} without quotes, in {self.label}"
        if match and (match[2] == self.unit or _PREFIXED.get(match[2], (0, ""))[1] == self.unit):
            factor = _PREFIXED.get(match[2], (1.0, ""))[0]
            try:
                return f"units are not written, values are in {self.unit}: write {float(match[1]) * factor:g}"
            except ValueError:
                pass
        return f"write a plain number, in {self.label}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(int if self.whole else float)
        )


class Part(BaseModel):
    """Anything that can stand in a scene: frozen, no unknown keys, errors that tell the remedy."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
    old_names: ClassVar[Mapping[str, str]] = {}  # of fields in earlier versions, and what they are called now

    if not TYPE_CHECKING:  # or checkers of types would forget the names of the keyword arguments

        def __init__(self, /, *unnamed: Any, **data: Any) -> None:
            """Called by programs only: SceneError answers them in their own words."""
            _construct(self, super().__init__, unnamed, data)

        __init__.__pydantic_base_init__ = True  # so that what is read from files does not come this way

    @model_validator(mode="wrap")
    @classmethod
    def _explain(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        details = []
        if isinstance(data, Mapping):
            data = understood(cls, current_keys(cls, data))
            details = [InitErrorDetails(type=fail(what), loc=(name,), input=given) for name, given, what in slips(cls, data)]
        slipped = {detail["loc"][0] for detail in details}
        try:
            part = handler(data)
        except ValidationError as error:
            others = [line for line in explained(cls, error) if not line["loc"] or line["loc"][0] not in slipped]
            raise ValidationError.from_exception_data(cls.__name__, [*details, *others]) from None
        if details:
            raise ValidationError.from_exception_data(cls.__name__, details)
        return part

    @classmethod
    def unit_of(cls, name: str) -> str:
        """SI unit of a field, empty if it has none."""
        field = cls.model_fields[name]
        return next((item.unit for item in (*field.metadata, *annotations(field.annotation)) if hasattr(item, "unit")), "")


def explained(cls: type[Part], error: ValidationError) -> list[InitErrorDetails]:
    """All lines of a report about a `cls`, in our words."""
    return [_explained(cls, dict(line)) for line in error.errors(include_url=False)]


def _construct(part: Part, build: Any, unnamed: tuple[Any, ...], data: dict[str, Any]) -> None:
    kind, token = type(part), IN_PYTHON.set(True)
    source = f"{kind.__name__}(...)"
    try:
        if unnamed:
            given = ", ".join(short(one) for one in unnamed)
            raise SceneError([("", f"must have a name for every value (got {given} without); write {call(kind)}")], source=source)
        build(**data)
    except ValidationError as error:
        raise part_error(kind, error, source=source) from None
    finally:
        IN_PYTHON.reset(token)


def part_error(cls: type[BaseModel], error: ValidationError, *, source: str) -> SceneError:
    """The report of a failed check of a `cls` in our words."""
    lines = error.errors(include_url=False)
    return SceneError(((place_of(cls, line["loc"]), line["msg"].removeprefix("Value error, ")) for line in lines), source=source)


def _tags(cls: type[Part], field: str, discriminator: str) -> list[str]:
    """The values that `discriminator` may have in a field of several kinds of parts."""
    return [kind.model_fields[discriminator].default for kind in kinds_of(cls, field)]


def _explained(cls: type[Part], line: dict[str, Any]) -> InitErrorDetails:
    """A line of a pydantic report, its own words replaced by ours where it concerns a field of `cls` itself."""
    place, given, context = line["loc"], line["input"], line.get("ctx", {})
    message, discriminator = line["msg"], str(context.get("discriminator")).strip("'")
    own = len(place) == 1
    if line["type"] == "extra_forbidden" and own and place[0] in cls.old_names:
        message = f"is now called {cls.old_names[str(place[0])]}, which is given, too; keep one of them"
    elif line["type"] == "extra_forbidden" and own:
        message = f"unknown {'keyword' if IN_PYTHON.get() else 'key'}; {nearest(str(place[0]), cls.model_fields)}"
    elif line["type"] == "missing" and own:
        unit = cls.unit_of(str(place[0]))
        added = f"{place[0]}=..." if IN_PYTHON.get() else "it"
        message = (
            f"is missing; add {added}{f' [{unit}]' if unit else ''}: {cls.model_fields[str(place[0])].description or 'required'}"
        )
    elif line["type"] == "union_tag_invalid":
        valid = re.findall(r"'([^']+)'", str(context.get("expected_tags", "")))
        message = f"{discriminator} '{context.get('tag')}' is not known; {nearest(str(context.get('tag')), valid)}"
    elif line["type"] == "union_tag_not_found":
        tags = ", ".join(_tags(cls, str(place[0]), discriminator))
        message = f"needs {discriminator}, which says what it is; add one of {tags}"
        if IN_PYTHON.get() and not isinstance(given, Mapping):
            message = wrong_kind(cls, str(place[0]), given)
    elif line["type"] in ("enum", "literal_error"):
        valid = re.findall(r"'([^']+)'", str(context.get("expected", "")))
        message = f"{given!r} is not known; {nearest(str(given), valid)}"
    elif line["type"] in WRONG_TYPE:
        message = _wrong_type(cls, line)
    elif line["type"] not in ("yawara", "value_error") and not message.endswith("change it accordingly"):
        message = f"{message[0].lower()}{message[1:]} (got {short(given)}); change it accordingly"
    return InitErrorDetails(type=fail(message.removeprefix("Value error, ")), loc=place, input=given)


def _wrong_type(cls: type[Part], line: dict[str, Any]) -> str:
    """What must be given instead, in the words of a program or of a file."""
    place, given, (expected, example) = line["loc"], line["input"], WRONG_TYPE[line["type"]]
    kinds = kinds_of(cls, str(place[0])) if len(place) == 1 else []
    if IN_PYTHON.get():
        if not place:
            return f"must be of the kind {cls.__name__} (got {short(given)}); write {call(cls)}"
        if kinds:
            return wrong_kind(cls, str(place[0]), given)
        expected, example = ("True or False", "True") if expected == "true or false" else (expected, example)
    elif not place:  # the part as a whole
        needed = [f"{name} = ..." for name, field in cls.model_fields.items() if field.is_required()]
        example = f"{{ {', '.join(needed)} }}"
    elif line["type"] == "dict_type":
        example = f"[{place[0]}.a_name]"
    elif len(kinds) == 1:
        example = f"[[{place[0]}]]" if expected == "a list" else f"[{place[0]}]"
    if expected == "a list" and isinstance(given, int | float):
        example = f"[{given}]"
    return f"must be {expected} (got {short(given)}); write for example {example}"
