"""Incompressibility by constraint stabilisation, Hirai 2005, sec. 4.3: reference numbers, presses, locking, iterations.

The source prints equations and pictures, no figures. Three of its printed equations were found to be wrong by finite differences: the last
entry of A in a plane, the factor of the convective term in space (1/6 for 1/3), and the forces, which eq. (4.53) leaves out. The pressures
below follow from the corrected ones by hand: a triangle (0,0), (1,0), (0,1) with the area 0.6 at rest and 1 kg at each corner, at rest and
moving, and a tetrahedron at the corner of a cube with the volume 0.2 at rest; w = 10 /s.

Free modes are counted with one constraint per triangle in n x n squares with their diagonals all one way, top and bottom held: n - 1 are
left. Presses lead the top of a glued lattice of 5 x 5 x 5 points down to 60 % of its height. "Ups and downs" is the sum of all changes of
the force that the press feels, over its range: 1 if it only rises. E is 3 G if only shear is left (eqs. 4.61, 4.62); in plane strain 4 G.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from yawara.core.geometry import Geometry
from yawara.frame import Frame
from yawara.journey import Journey
from yawara.kernels.kinds import Floats
from yawara.laws import Voigt
from yawara.meshes.facets import cell_sizes
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Lattice, Sheet, Truss
from yawara.scene.bodies.from_cells import geometry_of_cells
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.scene import Scene, Time
from yawara.simulate import simulate
from yawara.studies.row import StudyRow, near

NAME, TITLE = "incompressible", "volumes that stay the same by constraints"
RATE = 10.0  # [1/s]
CELLS = (
    ("triangle at rest", ((0, 0), (1, 0), (0, 1)), 0.6, ((0, 0), (0, 0), (0, 0)), 10.0),
    ("triangle that moves", ((0, 0), (1, 0), (0, 1)), 0.6, ((0.1, 0), (-0.2, 0.3), (0.05, -0.1)), 13.955),
    ("tetrahedron that moves", ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), 0.2,
     ((0.1, 0, 0.2), (-0.2, 0.3, 0), (0.05, -0.1, 0.1), (0, 0.2, -0.3)), 37.51),
)  # fmt: skip
SHORT = 1e-9  # [s]
HEIGHT, KEPT, STEADY = 0.6, 1e-4, 1.02  # of the press; relative error of a volume; ups and downs
SHEAR = {"type": "shear_volume", "shear_modulus": 100.0, "shear_viscosity": 20.0, "bulk_modulus": 0.0}  # [Pa], [Pa s]


def rows() -> Iterator[StudyRow]:
    yield from _of_cells()
    yield from _of_locking()
    yield from _of_presses()
    yield from _of_moduli()
    yield from _of_iterations()


# ---- one cell


class _Triangle(Sheet):
    def geometry(self) -> Geometry:
        return _one_cell(CELLS[0][1])


class _Tetrahedron(Truss):
    def geometry(self) -> Geometry:
        return _one_cell(CELLS[2][1])


def _one_cell(corners: Sequence[Sequence[float]]) -> Geometry:
    position = np.zeros((len(corners), 3))
    position[:, : len(corners) - 1] = corners
    return geometry_of_cells(position, np.arange(len(corners))[None])


def pressure_of(corners: Sequence[Any], rest: float, velocity: Sequence[Any]) -> float:
    """[Pa], of one cell, 1 kg at each corner; larger at rest than it is."""
    count = len(corners)
    kind: Any = _Triangle if count == 3 else _Tetrahedron
    table = {"per": "element", "rate": RATE}
    own = kind(counts=(2,) * (count - 1), spacing=1.0, mass=float(count), law=Voigt(k=0.0, c=1e-9), incompressible=table)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": own}))
    _term(compiled).rest[:] = rest
    state = compiled.state.copy()
    state.velocity[:, : count - 1] = velocity
    Runner(compiled.model, SCHEMES["rk4"]).advance(state, compiled.control.stretch(0.0, 1.0), 0, 1, SHORT)
    return float(state.blocks["incompressible.pressure"][0])


def _term(compiled: Compiled) -> Any:
    return next(term for term in compiled.model.terms if term.name == "incompressible")


def _of_cells() -> Iterator[StudyRow]:
    for name, corners, rest, velocity, expected in CELLS:
        found = pressure_of(corners, rest, velocity)
        yield StudyRow(NAME, f"{name}: pressure", "Pa", None, found, expected - 1e-5, expected + 1e-5)


# ---- locking


def free_modes(n: int) -> int:
    """Of n x n squares, told by the notice of the scene."""
    table: Any = {"per": "element"}
    own = Sheet(counts=(n + 1, n + 1), spacing=0.01, mass=1.0, law=Voigt(k=1.0, c=0.1), incompressible=table)
    fix = tuple(Fix(body="it", points=face) for face in ("bottom", "top"))
    (notice,) = compile_scene(Scene(time=Time(end=1.0), body={"it": own}, fix=fix)).notices
    return int(notice.split(" free modes left")[0].split()[-1])


def _of_locking() -> Iterator[StudyRow]:
    for n in (4, 8, 12):
        row = f"a constraint per triangle, {n} x {n} squares held above and below: free modes"
        yield StudyRow(NAME, row, "1", None, free_modes(n), n - 1, n - 1)


# ---- presses


class Errors:
    """The largest relative error of a volume, over all frames."""

    def __init__(self, compiled: Compiled) -> None:
        self.term, self.largest = _term(compiled), 0.0

    def observe(self, frame: Frame) -> None:
        (group,) = self.term.groups
        now = np.bincount(group.of, group.thickness * cell_sizes(frame.state.position, group.corner))
        self.largest = max(self.largest, float(np.abs(now / self.term.rest - 1.0).max()))


def press(per: str, integrator: Any, points: int = 5) -> Scene:
    height = (points - 1) * 0.01
    table: Any = {"per": per}
    own = Lattice(counts=(points,) * 3, spacing=0.01, density=1000.0, law=Voigt(k=100.0, c=0.5), incompressible=table)
    down = ((0.0, 0.0, 0.0), (0.0, 0.0, -(1.0 - HEIGHT) * height))
    drive = Drive(name="press", body="it", points="top", times=(0.0, 0.8), displacement=down, interpolation="smooth")
    time = Time(end=1.0, frame=0.01, integrator=integrator)
    return Scene(time=time, body={"it": own}, fix=(Fix(body="it", points="bottom"),), drive=(drive,))


def ups_and_downs(force: Floats) -> float:
    return float(np.abs(np.diff(force)).sum() / np.ptp(force))


def _of_presses() -> Iterator[StudyRow]:
    for integrator in ("semi_implicit_euler", "rk4"):
        for per in ("body", "cell", "patch"):
            compiled = compile_scene(press(per, integrator))
            errors = Errors(compiled)
            history = simulate(compiled, observers=[errors]).history
            what = f"press to 60 %, {integrator}, per {per}"
            yield StudyRow(NAME, f"{what}: largest error of a volume", "1", None, errors.largest, high=KEPT)
            yield StudyRow(
                NAME, f"{what}: ups and downs of the force", "1", None, ups_and_downs(history["press.force_z"]), high=STEADY
            )


# ---- moduli


def pulled(own: Any, axis: str) -> float:
    """[N], of a pull by 1e-3 between rollers, once all is at rest."""
    number = "xyz".index(axis)
    move = [0.0, 0.0, 0.0]
    move[number] = 1e-3 * (own.counts[number] - 1) * own.spacing
    pull = Drive(
        name="pull", body="it", points="top", axes=axis, times=(0.0, 1.0), displacement=((0, 0, 0), tuple(move)),
        interpolation="smooth",
    )  # fmt: skip
    scene = Scene(
        time=Time(end=3.0, frame=0.1), body={"it": own}, fix=(Fix(body="it", points="bottom", axes=axis),), drive=(pull,)
    )
    return float(simulate(scene).history[f"pull.force_{axis}"][-1])


def _of_moduli() -> Iterator[StudyRow]:
    options: Any = {"spacing": 0.1, "density": 30.0, "elements": SHEAR, "incompressible": {"per": "body"}}
    block, sheet = Truss(counts=(3, 3, 4), **options), Sheet(counts=(4, 5), thickness=0.05, **options)
    yield near(NAME, "block: Young's modulus over G", "1", 3.0, pulled(block, "z") / (0.2 * 0.2 * 1e-3 * 100.0), 0.01)
    ours = pulled(sheet, "y") / (0.3 * 0.05 * 1e-3 * 100.0)
    yield StudyRow(NAME, "sheet in plane strain: Young's modulus over G", "1", None, ours, 3.99, 4.01)


# ---- iterations


def iterations(per: str, points: int) -> tuple[int, float]:
    """Constraints, and steps of conjugate residuals per step of time, in the middle of a press."""
    compiled = compile_scene(press(per, "semi_implicit_euler", points))
    with Journey(compiled) as journey:
        journey.next_frame(0.01)
        counts = next(one[0].values["counts"] for one in journey._runner.crew.records if "counts" in one[0].values)
        counts[:] = 0.0
        journey.next_frame(0.02)
        return len(_term(compiled).rest), float(counts[0] / counts[1])


def _of_iterations() -> Iterator[StudyRow]:
    for per in ("body", "cell", "patch"):
        for points in (4, 6, 9, 13):
            constraints, many = iterations(per, points)
            cells = 5 * (points - 1) ** 3
            yield StudyRow(
                NAME, f"per {per}, {cells} tetrahedra, {constraints} constraints: iterations per step", "1", None, many
            )
