"""From what a user writes to curves: columns with units, numbers with units, and which of them a protocol takes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from yawara.calibrate.extract.choice import choose
from yawara.calibrate.extract.criterion import CRITERIA
from yawara.calibrate.extract.curve import Curve, Observed, Quantity
from yawara.calibrate.extract.families import MOST_PARTS, candidates
from yawara.calibrate.extract.outcome import Extraction, Specimen
from yawara.calibrate.extract.plausible import doubtful_span
from yawara.calibrate.extract.protocols import PROTOCOLS, Columns, creep, press_release, recovery, relaxation
from yawara.calibrate.reading.checks import averaged
from yawara.calibrate.reading.table import ColumnChoice, read_table
from yawara.calibrate.units import to_si
from yawara.checks import LARGEST, SceneError, nearest


@dataclass(frozen=True)
class ExtractRequest:
    """The options of `yawara extract`, as written."""

    protocol: str
    model: str = "auto"
    elements: str = "auto"
    own: str = ""
    time: str = "1"
    force: str = ""
    displacement: str = ""
    stress: str = ""
    strain: str = ""
    noise: str = ""
    load: str = ""
    load_time: str = ""
    stretch: str = ""
    ramp_time: str = ""
    release: str = ""
    begin: str = ""
    tare: bool = False
    average: bool = False
    criterion: str = "aicc"
    section: str = ""
    length: str = ""
    density: str = ""

    @property
    def stressed(self) -> bool:
        return bool(self.stress or self.strain)

    @property
    def units(self) -> tuple[str, str]:
        """SI units of what stands for force and for displacement."""
        return ("Pa", "1") if self.stressed else ("N", "m")


def extract_law(paths: Sequence[Path], request: ExtractRequest) -> Extraction:
    """Read, check, fit. Nothing is written; whatever is wrong is a SceneError."""
    _check(request)
    parts = None if request.elements == "auto" else int(request.elements)
    levels = candidates(request.model, parts=parts, own=request.own)
    curves, warnings = [], []
    for path in paths:
        columns = _columns(path, request)
        warnings += _doubtful(columns, request)
        curves.append(_from(request, _curve(columns, request)))
    specimen = Specimen(*(quantity(option, getattr(request, option.strip("-")), unit) for option, unit in
                          (("--section", "m^2"), ("--length", "m"), ("--density", "kg/m^3"))))  # fmt: skip
    warnings += _too_far(curves, specimen, request)
    try:
        choice = choose(curves, levels, criterion=request.criterion)
    except ValueError as error:
        if isinstance(error, SceneError):
            raise
        raise SceneError([("--model", str(error))], source=", ".join(map(str, paths))) from None
    return Extraction(tuple(curves), choice, request.stressed, specimen, tuple(warnings))


def _check(request: ExtractRequest) -> None:
    problems = []
    for option, value, valid in (("--protocol", request.protocol, PROTOCOLS), ("--criterion", request.criterion, CRITERIA)):
        if value not in valid:
            problems.append((option, f"'{value}' is not known; {nearest(value, valid)}"))
    if request.elements != "auto" and not (request.elements.isdigit() and 1 <= int(request.elements) <= 2 * MOST_PARTS):
        problems.append(
            ("--elements", f"must be auto or a number from 1 to {2 * MOST_PARTS} (got {request.elements}); change it")
        )
    if request.stressed and (request.force or request.displacement):
        problems.append(("--stress, --strain", "cannot be mixed with --force and --displacement; give one pair"))
    if problems:
        raise SceneError(problems, source="the command")


def column(option: str, written: str, dimension: str) -> ColumnChoice:
    """From 'COLUMN' or 'COLUMN:unit'."""
    name, colon, unit = written.rpartition(":")
    if not colon:
        name, unit = written, ""
    try:
        if unit:
            to_si(unit, dimension)
    except ValueError as error:
        raise SceneError([(option, str(error))], source="the command") from None
    return ColumnChoice(name, dimension=dimension, unit=unit)


def quantity(option: str, written: str, dimension: str) -> float | None:
    """From 'NUMBER:unit'; without a unit it is in SI. None if nothing is written."""
    if not written:
        return None
    number, _, unit = written.partition(":")
    try:
        value = float(number) * to_si(unit or dimension, dimension)
    except ValueError as error:
        what = str(error) if unit and "could not convert" not in str(error) else f"must be a number with a unit (got '{written}')"
        raise SceneError([(option, f"{what}; write for example 1.5:{dimension}")], source="the command") from None
    if not 0.0 < value <= LARGEST:
        condition = "> 0" if not value > 0.0 else f"<= {LARGEST:g}"
        what = f"must be {condition} {dimension} (got {written}); give its magnitude"
        raise SceneError([(option, what)], source="the command")
    return value


def _columns(path: Path, request: ExtractRequest) -> Columns:
    force_unit, displacement_unit = request.units
    wanted = {"time": column("--time", request.time, "s")}
    for name, option, written, unit in (
        ("force", "--stress" if request.stressed else "--force", request.stress or request.force, force_unit),
        ("displacement", "--strain" if request.stressed else "--displacement", request.strain or request.displacement, displacement_unit),
        ("noise", "--noise", request.noise, displacement_unit if request.protocol in ("creep", "recovery") else force_unit),
    ):  # fmt: skip
        if written:
            wanted[name] = column(option, written, unit)
    found = read_table(path, wanted)
    times = found.pop("time")
    if request.average:
        names = list(found)
        times, *merged = averaged(times, *found.values())
        found = dict(zip(names, merged, strict=True))
    if request.tare:
        found = {name: values if name == "noise" else values - values[0] for name, values in found.items()}
    return Columns(str(path), times, found.get("force"), found.get("displacement"), found.get("noise")).checked()


def _curve(columns: Columns, request: ExtractRequest) -> Curve:
    force_unit, displacement_unit = request.units
    load, stretch = quantity("--load", request.load, force_unit), quantity("--stretch", request.stretch, displacement_unit)
    load_time, ramp_time = quantity("--load-time", request.load_time, "s"), quantity("--ramp-time", request.ramp_time, "s")
    match request.protocol:
        case "relaxation":
            return relaxation(columns, stretch=stretch, ramp_time=ramp_time or 0.0)
        case "creep":
            return creep(columns, load=load, load_time=load_time)
        case "recovery":
            if columns.force is not None:
                return creep(columns)
            if load is None or load_time is None:
                what = "are needed for a recovery without a column of force (got not both); say what acted, and how long"
                raise SceneError([("--load, --load-time", what)], source="the command")
            return recovery(columns, load=load, load_time=load_time)
    return press_release(columns, release=quantity("--release", request.release, "s"))


def _from(request: ExtractRequest, curve: Curve) -> Curve:
    """Rows from `--from` on; what was done before still counts."""
    begin = quantity("--from", request.begin, "s")
    if begin is None:
        return curve
    kept = []
    for item in curve.observed:
        late = item.times >= begin
        kept.append(Observed(item.quantity, item.times[late], item.values[late], item.noise[late], item.noise_known))
    if not any(len(item.times) for item in kept):
        raise SceneError(
            [("--from", f"must leave rows (got {begin:g} s, after the last one); give an earlier time")], source=curve.name
        )
    return replace(
        curve, observed=tuple(item for item in kept if len(item.times)), notices=(*curve.notices, f"fitted from {begin:g} s on")
    )


def _doubtful(columns: Columns, request: ExtractRequest) -> list[str]:
    force_unit, displacement_unit = request.units
    spans = (
        ("time", columns.times, "s"),
        ("force", columns.force, force_unit),
        ("displacement", columns.displacement, displacement_unit),
    )
    found = (doubtful_span(what, values, unit) for what, values, unit in spans if values is not None)
    return [f"{columns.name}: {words}" for words in found if words]


def _too_far(curves: Sequence[Curve], specimen: Specimen, request: ExtractRequest) -> list[str]:
    """A displacement larger than the specimen."""
    if request.stressed or not specimen.length:
        return []
    moved = [curve.course.values for curve in curves if curve.prescribed is Quantity.DISPLACEMENT]
    moved += [item.values for curve in curves for item in curve.observed if item.quantity is Quantity.DISPLACEMENT]
    largest = max(float(np.abs(values).max()) for values in moved)
    if largest <= specimen.length:
        return []
    return [f"the displacement ({largest:.4g} m) is larger than the specimen ({specimen.length:.4g} m): check both units"]
