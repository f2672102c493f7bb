"""Units as people write them, in SI."""

from yawara.checks import nearest

GRAVITY = 9.80665  # [m/s^2], standard, of a gram-force
_PERCENT = {"-": 1.0, "%": 1e-2, "percent": 1e-2, "permille": 1e-3, "m/m": 1.0, "mm/mm": 1.0, "ustrain": 1e-6}

# What is measured -> unit -> factor to SI. The name of what is measured is its SI unit.
UNITS: dict[str, dict[str, float]] = {
    "1": _PERCENT,
    "m": {"nm": 1e-9, "um": 1e-6, "mm": 1e-3, "cm": 1e-2, "dm": 0.1, "km": 1e3, "in": 0.0254, "inch": 0.0254, "ft": 0.3048},
    "m^2": {"um^2": 1e-12, "mm^2": 1e-6, "cm^2": 1e-4, "in^2": 0.0254**2},
    "m^3": {
        "um^3": 1e-18, "mm^3": 1e-9, "cm^3": 1e-6, "dm^3": 1e-3, "ul": 1e-9, "ml": 1e-6, "mL": 1e-6, "cl": 1e-5, "l": 1e-3,
        "L": 1e-3, "cc": 1e-6,
    },
    "s": {"us": 1e-6, "ms": 1e-3, "sec": 1.0, "seconds": 1.0, "min": 60.0, "h": 3600.0, "hr": 3600.0, "d": 86400.0, "day": 86400.0},
    "m/s": {"um/s": 1e-6, "mm/s": 1e-3, "cm/s": 1e-2, "mm/min": 1e-3 / 60, "cm/min": 1e-2 / 60, "m/min": 1 / 60},
    "1/s": {"Hz": 1.0, "1/min": 1 / 60, "%/s": 1e-2, "%/min": 1e-2 / 60},
    "N": {
        "uN": 1e-6, "mN": 1e-3, "cN": 1e-2, "kN": 1e3, "MN": 1e6, "gf": 1e-3 * GRAVITY, "kgf": GRAVITY, "lbf": 0.45359237 * GRAVITY,
    },
    "Pa": {
        "mPa": 1e-3, "hPa": 1e2, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "N/mm^2": 1e6, "N/cm^2": 1e4, "N/m^2": 1.0, "kN/m^2": 1e3,
        "bar": 1e5, "mbar": 1e2, "atm": 101325.0, "psi": 0.45359237 * GRAVITY / 0.0254**2, "kgf/cm^2": GRAVITY * 1e4,
    },
    "1/Pa": {"1/kPa": 1e-3, "1/MPa": 1e-6, "1/GPa": 1e-9, "MPa^-1": 1e-6, "kPa^-1": 1e-3, "Pa^-1": 1.0, "GPa^-1": 1e-9},
    "Pa s": {"mPa s": 1e-3, "kPa s": 1e3, "MPa s": 1e6, "P": 0.1, "cP": 1e-3},
    "N/m": {"mN/m": 1e-3, "kN/m": 1e3, "N/mm": 1e3, "N/cm": 1e2, "mN/mm": 1.0, "uN/um": 1.0},
    "N s/m": {"mN s/m": 1e-3, "kN s/m": 1e3, "N s/mm": 1e3, "N s/cm": 1e2},
    "kg": {"ug": 1e-9, "mg": 1e-6, "g": 1e-3, "t": 1e3},
    "kg/m^3": {"g/cm^3": 1e3, "g/ml": 1e3, "kg/l": 1e3, "g/l": 1.0, "mg/ml": 1.0},
}  # fmt: skip

_SPELLINGS = {"µ": "u", "μ": "u", "²": "^2", "³": "^3", "**": "^", "·": " ", "*": " "}
_POWERS = {unit.replace("^", ""): unit for dimension in UNITS.values() for unit in dimension if unit[-2:] in ("^2", "^3")}


def to_si(unit: str, dimension: str) -> float:
    """What a number in `unit` is to be multiplied by to be in SI; `dimension` is the SI unit of what is measured."""
    if dimension not in UNITS:
        raise ValueError(f"'{dimension}' is not measured here; {nearest(dimension, UNITS)}")
    name, known = spelled(unit), UNITS[dimension]
    if name == dimension:
        return 1.0
    if name in known:
        return known[name]
    other = next((measured for measured, units in UNITS.items() if name == measured or name in units), None)
    strange = f"is a unit of {other}, not of {dimension}" if other else "is not a known unit"
    raise ValueError(f"'{unit}' {strange}; known for {dimension}: {', '.join([dimension, *known])}")


def is_unit(unit: str, dimension: str | None = None) -> bool:
    """Whether it can be converted: for `dimension`, or for anything."""
    dimensions = UNITS if dimension is None else (dimension,)
    return any(spelled(unit) == measured or spelled(unit) in UNITS[measured] for measured in dimensions)


def spelled(unit: str) -> str:
    """A unit as it stands in the table: 'µm', 'mm²' and 'mm2' become 'um', 'mm^2' and 'mm^2'."""
    name = " ".join(unit.split())
    for written, ours in _SPELLINGS.items():
        name = name.replace(written, ours)
    return _POWERS.get(name, name)
