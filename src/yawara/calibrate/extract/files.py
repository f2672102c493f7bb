"""What an extraction leaves behind: the law and the material for a scene, all numbers, and a page."""

import json
from pathlib import Path
from typing import Any

import tomli_w

from yawara.calibrate.extract.outcome import Extraction
from yawara.calibrate.extract.report import extraction_page
from yawara.files import write_text
from yawara.laws import ThreeElement, Voigt
from yawara.summary import versions

LAW, MATERIAL, NUMBERS, REPORT = "law.toml", "material.toml", "extraction.json", "report.html"
HEAD = "# Extracted by least squares from"


def write_extraction(extraction: Extraction, directory: Path) -> list[Path]:
    """Write all files; returns where they are. A law that is not chosen is not written, and no older one stays beside the report."""
    contents = {}
    if not extraction.refusal:
        contents[LAW] = law_text(extraction)
        material = material_text(extraction)
        if material is not None:
            contents[MATERIAL] = material
    for name in {LAW, MATERIAL} - set(contents):
        _remove_older(directory / name)
    contents[NUMBERS] = json.dumps({**extraction.as_dict(), "versions": versions()}, indent=2) + "\n"
    contents[REPORT] = extraction_page(extraction)
    for name, text in contents.items():
        write_text(directory / name, text)
    return [directory / name for name in contents]


def _remove_older(path: Path) -> None:
    """Of an earlier extraction; what somebody else wrote stays."""
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace").startswith(HEAD):
        path.unlink()


def law_text(extraction: Extraction) -> str:
    """TOML with a table `law`, for `body.NAME.law` of a scene: one link that answers as the specimen did."""
    shape = extraction.specimen.shape
    scale, of = 1.0, "the specimen as one link"
    if extraction.stressed:
        scale, of = (shape, "the specimen as one link") if shape else (1.0, "a link of 1 m^2 section and 1 m length")
    return f"{_head(extraction)}# Stiffness [N/m] and viscosity [N s/m] of {of}.\n\n" + tomli_w.dumps(
        {"law": _scaled(extraction, scale)}
    )


def material_text(extraction: Extraction) -> str | None:
    """TOML with a table `material`, for `body.NAME.material` of a scene; None if the law is not a material's, or no modulus is known."""
    law, specimen = extraction.fit.law, extraction.specimen
    scale = 1.0 if extraction.stressed else 1.0 / specimen.shape if specimen.shape else None
    if scale is None or not isinstance(law, Voigt | ThreeElement):
        return None
    k, c = (law.k, law.c) if isinstance(law, Voigt) else (law.k1, law.c1)
    table: dict[str, Any] = {"youngs_modulus": scale * k, "viscosity": scale * c}
    if isinstance(law, ThreeElement):
        table["flow_viscosity"] = scale * law.c2
    table["source"] = f"extracted from {_names(extraction)}"
    note = "# Add density [kg/m^3] and poisson: they are not in the curves.\n"
    if specimen.density:
        table, note = {"density": specimen.density, **table}, "# Add poisson: it is not in the curves.\n"
    return f"{_head(extraction)}{note}\n" + tomli_w.dumps({"material": table})


def _scaled(extraction: Extraction, scale: float) -> dict[str, Any]:
    given = extraction.fit.law.model_dump()
    return {
        key: value if key == "type" else [scale * item for item in value] if isinstance(value, tuple | list) else scale * value
        for key, value in given.items()
    }


def _head(extraction: Extraction) -> str:
    return f"{HEAD} {_names(extraction)}.\n"


def _names(extraction: Extraction) -> str:
    return ", ".join(Path(curve.name).name for curve in extraction.curves)
