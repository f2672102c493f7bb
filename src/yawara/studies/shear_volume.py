"""Shear and volume elements of Hirai 2005, ch. 4, as printed and repaired: their moduli, and the press of sec. 4.5.

As printed, eq. (4.2) with (4.3) drives shears away from rest; (4.13) has the sign that restores, and is used here. Four corners of a
square then have the shear modulus exactly. Three corners of a triangle do not, though the source lays bodies out in triangles: they are
3/2 too stiff against stretching and 5/2 against shearing along their short sides, and their force has no potential. The forms `cot` and
`deviatoric` are repairs of ours. Young's modulus and Poisson's ratio follow from the forces of an evenly strained sheet of 4 by 4 cells,
5 wide, with K = 10 and G = 1; in a plane E = 4 K G/(K + G) and nu = (K - G)/(K + G).

The press has the printed numbers, taken for SI units: spacing 5, mass 30, K_ela = 10, K_vis = 1 and three sets of shear coefficients;
down within 10 s, back within 10 s, at rest until 30 s. The source does not say how large the body is and how far it is pressed: 40 by 20,
pressed by 6 here, between plates without friction, in triangles (of squares, any rectangle of the same area is at rest). It says that the
elastic body returns, the viscoplastic one keeps its shape, the rheological one returns in part, and that no triangle is turned over.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from yawara.frame import Frame
from yawara.kernels.kinds import Floats
from yawara.scene.bodies import Sheet
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene
from yawara.scene.scene import Scene, Time
from yawara.simulate import Result, simulate
from yawara.studies.row import StudyRow, near

NAME, TITLE = "shear_volume", "shear and volume elements: moduli, and a press of three bodies"
BULK, SHEAR, SPACING = 10.0, 1.0, 5.0  # [Pa], [Pa], [m]
SMALL = 1e-6  # strain
YOUNG, POISSON = 4.0 * BULK * SHEAR / (BULK + SHEAR), (BULK - SHEAR) / (BULK + SHEAR)
SETS = {"elastic": (1.0, 1.0, 1e5), "viscoplastic": (0.0, 5.0, 5.0), "rheological": (1.0, 1.0, 10.0)}  # G1 [Pa], Gv1, Gv2 [Pa s]
COUNTS, DEPTH = (9, 5), 6.0  # points, [m]
FORMS = ("printed", "cot", "deviatoric")


def moduli(form: str, pattern: str = "triangles", bulk: float = BULK) -> Floats:
    """Stresses xx, yy, xy [Pa] over strains xx, yy and shear angle, (3, 3), of an evenly strained sheet."""
    elements = {"type": "shear_volume", "form": form, "shear_modulus": SHEAR, "bulk_modulus": bulk}
    sheet: Any = Sheet(counts=(5, 5), spacing=SPACING, thickness=1.0, mass=30.0, pattern=pattern, elements=elements)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"sheet": sheet}))
    X, size, columns = compiled.model.rest_position, compiled.model.bodies[0].rest_size, []
    for strain in ([[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]], [[0.0, 0.5], [0.5, 0.0]]):
        both = []
        for sign in (SMALL, -SMALL):
            state = compiled.state.copy()
            state.position[:, :2] += sign * X[:, :2] @ np.array(strain)
            force = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force
            both.append(-force.T @ state.position / size)  # sum of force times place: the virial
        stress = (both[0] - both[1]) / (2.0 * SMALL)
        columns.append([stress[0, 0], stress[1, 1], stress[0, 1]])
    return np.array(columns).T


def pulled(C: Floats, angle: float) -> tuple[float, float]:
    """Young's modulus [Pa] and Poisson's ratio of a pull at an angle [rad] to the grid."""
    c, s = np.cos(angle), np.sin(angle)
    xx, yy, xy = np.linalg.solve(C, [c * c, s * s, c * s])
    along, across = c * c * xx + s * s * yy + c * s * xy, s * s * xx + c * c * yy - c * s * xy
    return float(1.0 / along), float(-across / along)


def press(form: str, name: str) -> Scene:
    """A body with one of the printed sets of coefficients, under a plate that goes down and back."""
    G1, Gv1, Gv2 = SETS[name]
    elements = {
        "type": "shear_volume", "form": form, "shear_modulus": G1, "shear_viscosity": Gv1, "shear_flow": Gv2,
        "bulk_modulus": BULK, "bulk_viscosity": 1.0,
    }  # fmt: skip
    body = {"shape": "sheet", "counts": COUNTS, "spacing": SPACING, "thickness": 1.0, "mass": 30.0, "pattern": "alternating"}
    width, height = ((count - 1) * SPACING for count in COUNTS)
    up, down = [0.0, 0.0, 0.0], [0.0, -DEPTH, 0.0]
    plate = {
        "shape": "box", "size": [2.0 * width, SPACING, SPACING], "origin": [0.5 * width, height + 0.5 * SPACING, 0.0],
        "motion": {"type": "path", "times": [0.0, 10.0, 20.0], "displacement": [up, down, up]},
    }  # fmt: skip
    data = {
        "time": {"end": 30.0, "frame": 0.5},
        "body": {name: {**body, "elements": elements}},
        "fix": [{"body": name, "points": "bottom", "axes": "y"}, {"body": name, "points": {"near": [0.5 * width, 0.0, 0.0]}}],
        "tool": {"plate": plate},
    }
    return read_scene(data)


def left_over(result: Result) -> float:
    """Loss of height in the middle of the top at the end, over the depth of the press."""
    top = result.compiled.model.point_count - len(result.compiled.model.tools) - 1 - COUNTS[0] // 2
    return float((COUNTS[1] - 1) * SPACING - result.state.position[top, 1]) / DEPTH


def rows() -> Iterator[StudyRow]:
    yield from _of_moduli()
    yield from _of_presses()


def _of_moduli() -> Iterator[StudyRow]:
    yield near(NAME, "printed, squares: shear modulus over G", "1", 1.0, moduli("printed", "braced", 0.0)[2, 2] / SHEAR, 1e-6)
    for form in FORMS:
        C = moduli(form, bulk=0.0) / SHEAR
        stretch, shear = (1.5, 2.5) if form == "printed" else (1.0, 1.0)
        yield _found(f"{form}, triangles: modulus against stretching over G", 0.5 * (C[0, 0] - C[0, 1]), stretch)
        yield _found(f"{form}, triangles: modulus against shearing over G", C[2, 2], shear)
        C = moduli(form)
        for way, degrees, young, poisson in DIRECTIONS:
            E, nu = pulled(C, np.radians(degrees))
            expected = (young, poisson) if form == "printed" else (YOUNG, POISSON)
            yield _found(f"{form}, triangles, {way}: Young's modulus", E, expected[0], "Pa")
            yield _found(f"{form}, triangles, {way}: Poisson's ratio", nu, expected[1])


# ways of pulling, angles to the grid [degrees], and what follows there from triangles as printed
DIRECTIONS = (
    ("along the sides", 0.0, 5.217391, 0.739130),
    ("along the diagonals", 45.0, 9.523810, 0.904762),
    ("across the diagonals", -45.0, 6.896552, 0.379310),
)


def _found(row: str, ours: float, expected: float, unit: str = "1") -> StudyRow:
    """The source prints no number; ours is that of theory, or of the form as printed."""
    return StudyRow(NAME, row, unit, None, float(ours), expected - 1e-5, expected + 1e-5)


BOUNDS = {"elastic": (None, 0.03), "rheological": (0.1, 0.6), "viscoplastic": (0.7, None)}


def _of_presses() -> Iterator[StudyRow]:
    for form in ("printed", "deviatoric"):
        for name, (low, high) in BOUNDS.items():
            result = simulate(press(form, name))
            yield StudyRow(NAME, f"press, {form}, {name}: height lost over depth", "1", None, left_over(result), low, high)
            turned = float(result.history[f"{name}.inverted"].max())
            yield StudyRow(NAME, f"press, {form}, {name}: triangles turned over", "triangles", 0.0, turned, high=0.0)
            force = float(np.abs(result.history["plate.force_y"]).max())
            yield StudyRow(NAME, f"press, {form}, {name}: largest force", "N", None, force)
