"""The press of Hirai 2005, sec. 4.5, with every family of elements: an elastic, a viscoplastic and a rheological body side by side.

Coefficients are those of the study `shear_volume`, as printed; sizes and depth are ours, as the source gives none. A flat body stands for a
slice of a long one: the plane's K = 10 Pa is lambda + mu, so that the solid's is 10 - G/3. Families that take a material get the same
coefficients as times: a spring G1 with the dampers Gv1 beside it and Gv2 in series has the retardation time Gv1/G1 and the relaxation time
(Gv1 + Gv2)/G1. A material has a spring, which the viscoplastic set has not: theirs is 0.05 Pa there, a hundredth of what the dampers give.
Small-strain elements let volume flow along with shear, links have no bulk modulus of their own choice, and elements that keep their shapes
spring back in full: each shows what it can. All are pressed between plates without friction.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from yawara.scene.file import read_scene
from yawara.scene.scene import Scene
from yawara.simulate import simulate
from yawara.studies.row import StudyRow
from yawara.studies.shear_volume import BOUNDS, COUNTS, SETS, SPACING, left_over, press

NAME, TITLE = "continuum_press", "the press of three bodies, with every family of elements"
WEAK = 0.05  # [Pa], of a spring where there should be none
BULK = 10.0  # [Pa], of the plane
STRAIN = {"type": "continuum", "plane": "strain"}

# of each family that takes a material: the body's elements
FAMILIES: dict[str, dict[str, Any] | str] = {
    "continuum, squares": STRAIN | {"cells": "boxes"},
    "continuum, nodal triangles": STRAIN | {"cells": "nodal"},
    "continuum, simple triangles": STRAIN | {"cells": "simple"},
    "small strain": {"type": "small_strain", "plane": "strain"},
    "links": "links",
    "shape keeping": "polyhedra",
}


def material_of(name: str, family: str) -> dict[str, float]:
    G1, Gv1, Gv2 = SETS[name]
    G = G1 or WEAK
    times = {"retardation_time": Gv1 / G, "relaxation_time": (Gv1 + Gv2) / G}
    density = 30.0 / ((COUNTS[0] - 1) * (COUNTS[1] - 1) * SPACING**2)
    if family == "shape keeping":
        return {"density": density, "youngs_modulus": 4.0 * G, "retardation_time": Gv1 / G}
    if family == "links":
        return {"density": density, "shear_modulus": G, "poisson": 0.5, **times}
    K = BULK - G / 3.0
    nu = min((3.0 * K - 2.0 * G) / (2.0 * (3.0 * K + G)), 0.49 if family == "small strain" else 0.499)
    viscosity = {"bulk_viscosity": 1.0} if family.startswith("continuum") else {}
    return {"density": density, "shear_modulus": G, "poisson": nu, **times, **viscosity}


def press_of(family: str, name: str) -> Scene:
    data = press("deviatoric", name).model_dump(mode="json", exclude_unset=True)
    body = data["body"][name]
    for field in ("elements", "mass"):
        body.pop(field, None)
    body["material"] = material_of(name, family)
    body["elements"] = FAMILIES[family]
    return read_scene(data)


def scene_of(family: str, name: str) -> Scene:
    form = family.removeprefix("shear and volume, ")
    return press(form, name) if form != family else press_of(family, name)


def rows() -> Iterator[StudyRow]:
    for family in ("shear and volume, printed", "shear and volume, deviatoric", *FAMILIES):
        for name, (low, high) in BOUNDS.items():
            if family == "shape keeping" and name != "elastic":
                continue
            result = simulate(scene_of(family, name))
            yield StudyRow(NAME, f"{family}, {name}: height lost over depth", "1", None, left_over(result), low, high)
            turned = float(result.history[f"{name}.inverted"].max())
            yield StudyRow(NAME, f"{family}, {name}: triangles turned over", "triangles", 0.0, turned, high=0.0)
            force = float(np.abs(result.history["plate.force_y"]).max())
            yield StudyRow(NAME, f"{family}, {name}: largest force", "N", None, force)
