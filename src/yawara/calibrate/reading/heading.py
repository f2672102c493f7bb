"""What a heading says: which quantity, in which unit. 'Load (N)', 'Weg / mm' (DIN 461), 'Kraft in N', '力［N］', 'time_h'."""

import re
from dataclasses import dataclass

from yawara.calibrate.units import is_unit

_BRACKETS = re.compile(r"^(.*?)[(\[（［]\s*([^()\[\]（）［］]+?)\s*[)\]）］]\s*$")
_SLASH = re.compile(r"(\s*)[/／](\s*)")
_IN = re.compile(r"^(.+?)\s+in\s+(\S.*?)\s*$")
_PER = re.compile(r"^(.+)_per_([^_]+)$")


@dataclass(frozen=True)
class Heading:
    """A heading taken apart."""

    quantity: str  # without the unit, as written
    unit: str  # as written; empty if the heading tells none


def heading(name: str) -> Heading:
    """The parts of a heading; what only looks like a unit stays with the quantity."""
    name = name.strip()
    return _bracketed(name) or _divided(name) or _in_words(name) or _underscored(name) or Heading(name, "")


def _bracketed(name: str) -> Heading | None:
    """'Load (N)', 'Kraft [N]', and 'v / (mm/s)', as DIN has it for quotients. What is in brackets is a unit, known or not."""
    found = _BRACKETS.match(name)
    return Heading(found[1].rstrip().rstrip("/／").rstrip(), found[2]) if found else None


def _divided(name: str) -> Heading | None:
    """'Weg / mm', 't/s', 'Spannung / N/mm²'. A quotient of quantities ('stress/strain') and a unit alone ('N/mm') are no such thing."""
    if is_unit(name):
        return None
    for slash in _SLASH.finditer(name):
        quantity, unit = name[: slash.start()].strip(), name[slash.end() :].strip()
        apart = bool(slash[1] and slash[2])  # blanks on both sides: nobody writes a unit's own slash so
        if quantity and unit and (is_unit(unit) or (apart and " " not in unit)):
            return Heading(quantity, unit)
    return None


def _in_words(name: str) -> Heading | None:
    """'Kraft in N'."""
    found = _IN.match(name)
    return Heading(found[1], found[2]) if found and is_unit(found[2]) else None


def _underscored(name: str) -> Heading | None:
    """'time_h', 'creep_compliance_per_MPa'."""
    per = _PER.match(name)
    if per and is_unit(f"1/{per[2]}"):
        return Heading(per[1], f"1/{per[2]}")
    quantity, _, unit = name.rpartition("_")
    return Heading(quantity, unit) if quantity and is_unit(unit) else None
