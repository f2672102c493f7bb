"""A bar of one material at three resolutions: Young's modulus, Poisson's ratio and relaxation time against what was asked.

The ends slide on plates, the sides are free. Young's modulus is the force over section and strain, Poisson's ratio comes from the volume
that the bar's surface encloses, V/V0 = (1 + e) (1 - nu e)^2, the relaxation time from the logarithm of the force while the bar is held.
Links alone give 1/4, a pressure in each cell up to 0.49. A truss has a soft layer at free sides, where every other point hangs on one link
across: with links alone (nu = 1/4) and 4 cells across, it seems to have 0.219; so trusses begin with 8.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from yawara.materials import Material
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Lattice, Truss
from yawara.scene.scene import IntegratorName, Scene, Time
from yawara.simulate import Result, simulate
from yawara.studies.row import StudyRow, near

NAME, TITLE = "moduli", "Young's modulus, Poisson's ratio and relaxation time at three resolutions"
WIDTH, HEIGHT, STRAIN = 0.04, 0.08, 0.01  # [m], [m], 1
YOUNG, RELAXATION = 1e4, 2.0  # [Pa], [s]
CELLS: dict[Any, tuple[int, ...]] = {Lattice: (4, 6, 8), Truss: (8, 10, 12)}  # across
POISSON = (0.25, 0.35, 0.45)


def _pull(shape: Any, cells: int, material: Material, end: float) -> Result:
    """Pulled by 1 % within 0.2 s, then held; slowly enough that nothing swings."""
    spacing = WIDTH / cells
    bar = shape(counts=(cells + 1, cells + 1, 2 * cells + 1), spacing=spacing, material=material)
    middle = WIDTH / 2 if cells % 2 == 0 else (cells // 2) * spacing
    fixes = (
        Fix(body="bar", points="bottom", axes="z"),
        Fix(body="bar", points={"min": (middle, middle, 0.0), "max": (middle, middle, HEIGHT)}, axes="xy"),
        Fix(body="bar", points={"near": (WIDTH, middle, 0.0)}, axes="y"),
    )
    up = (0.0, 0.0, STRAIN * HEIGHT)
    pull = Drive(
        name="pull", body="bar", points="top", axes="z", times=(0.0, 0.2), displacement=((0, 0, 0), up), interpolation="smooth"
    )
    scene = Scene(
        time=Time(end=end, frame=0.05, step=0.01, integrator=IntegratorName.IMPLICIT_EULER),
        body={"bar": bar},
        fix=fixes,
        drive=(pull,),
    )
    return simulate(scene)


def measured(shape: Any, cells: int, poisson: float) -> tuple[float, float, float]:
    """Young's modulus [Pa], Poisson's ratio, relaxation time [s]."""
    elastic = _pull(shape, cells, Material(density=1000.0, youngs_modulus=YOUNG, poisson=poisson, retardation_time=0.02), 1.0)
    young = float(elastic.history["pull.force_z"][-1]) / WIDTH**2 / STRAIN
    volume = elastic.history["bar.volume"]
    poisson_found = (1.0 - float(np.sqrt(volume[-1] / volume[0] / (1.0 + STRAIN)))) / STRAIN
    flowing = Material(density=1000.0, youngs_modulus=YOUNG, poisson=poisson, retardation_time=0.02, relaxation_time=RELAXATION)
    history = _pull(shape, cells, flowing, 2.0).history
    held = history["time"] >= 0.5
    slope = np.polyfit(history["time"][held], np.log(history["pull.force_z"][held]), 1)[0]
    return young, poisson_found, -1.0 / float(slope)


def rows() -> Iterator[StudyRow]:
    for shape in (Lattice, Truss):
        for poisson in POISSON:
            for cells in CELLS[shape]:
                young, ratio, relaxation = measured(shape, cells, poisson)
                name = f"{shape.__name__.lower()}, {cells} cells across, nu = {poisson:g}"
                yield near(NAME, f"{name}: Young's modulus", "Pa", YOUNG, young, 0.02 * YOUNG)
                yield near(NAME, f"{name}: Poisson's ratio", "1", poisson, ratio, 0.02)
                yield near(NAME, f"{name}: relaxation time", "s", RELAXATION, relaxation, 0.02 * RELAXATION)
