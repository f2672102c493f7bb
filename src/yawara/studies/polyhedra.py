"""Elements that keep their shapes beside springs: rotations, cost, a fall on the floor, and bodies that were crushed or mixed up.

Miyazaki et al. 1999 give one table and pictures. Table 1 has the angular acceleration of a cube that comes from a rotation not quite
found, see `cube_drop.py`. Neither edge nor restitution, friction and tilt are told; those below were looked for, and come nearest. The
motion is chaotic, so decades are compared, of geometric means over five tilts. Fig. 4 shows 3 x 3 x 3 cubes falling on a floor: springs end
with corners that have changed places, elements do not. Section 4 tells that two passes cost about 5 % more than springs.
"""

import math
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.kernels.rotation import LINEAR
from yawara.laws import Voigt
from yawara.scene.bodies import Lattice, MassSharing
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.scene import Scene, Time
from yawara.simulate import Observer, Result, simulate
from yawara.studies.cube_drop import Cube, fall, rodrigues
from yawara.studies.row import StudyRow

NAME, TITLE = "polyhedra", "elements that keep their shapes beside springs (Miyazaki et al. 1999, Table 1, Fig. 4, sec. 4)"

TILTS = ((0.5, 0.3, 0.2), (0.3, 0.7, 0.1), (0.9, 0.4, 0.3), (0.2, 0.2, 0.6), (0.7, 0.1, 0.4))  # [rad]
EDGE, RESTITUTION, FRICTION, WINDOW = 0.03, 0.9, 0.1, 10.0  # [m], -, -, [s]
STEPS = {1e4: 0.006, 1e5: 0.002, 1e6: 0.0006}  # [s], by k/m [1/s^2]
COLUMNS = {"A": (1, 1), "B": (10, 1), "C": (1, 2), "D": (1, 3)}  # by how much the step is divided, passes
PRINTED = {  # mean, deviation, largest [1/s^2]; nan where a dash is printed, for less than could be measured
    (1e4, "A"): (4.52554, 4.49862, 30.875971),
    (1e4, "B"): (0.032915, 0.037503, 0.320008),
    (1e4, "C"): (0.000493, 0.002110, 0.060352),
    (1e4, "D"): (math.nan, math.nan, 0.000001),
    (1e5, "A"): (1.987712, 1.683120, 9.119262),
    (1e5, "B"): (0.030974, 0.028445, 0.157926),
    (1e5, "C"): (math.nan, 0.000001, 0.000017),
    (1e5, "D"): (math.nan, math.nan, math.nan),
    (1e6, "A"): (1.301888, 1.297613, 7.570902),
    (1e6, "B"): (0.005511, 0.005129, 0.034552),
    (1e6, "C"): (math.nan, math.nan, math.nan),
    (1e6, "D"): (math.nan, math.nan, math.nan),
}
DECADE, NOTHING = 10.0, 1e-6
COST_POINTS, COST_STEPS, COST_RUNS = 13, 200, 5  # along each edge
UP = 1.0  # [m], of the falling body's lowest point
RECOVERY = 6.0  # [s]


def rows() -> Iterator[StudyRow]:
    yield from table_1()
    yield from _cost()
    yield from _falls()
    yield from _recoveries()


# ---- Table 1


def table_1() -> Iterator[StudyRow]:
    means = {}
    for (rate2, column), printed in PRINTED.items():
        part, passes = COLUMNS[column]
        found = measured(rate2, STEPS[rate2] / part, passes)
        means[rate2, column] = found[0]
        for what, one, ours in zip(("mean", "deviation", "largest"), printed, found, strict=True):
            name = (
                f"k/m = {rate2:g} 1/s2, {column}: step {STEPS[rate2] / part:g} s, {passes} of the printed passes, alpha, {what}"
            )
            yield StudyRow(NAME, name, "1/s^2", None if math.isnan(one) else one, ours, *_bounds(rate2, column, what, one))
    for rate2 in STEPS:
        for less, more in (("B", "A"), ("C", "B"), ("D", "C")):
            name = f"k/m = {rate2:g} 1/s2, {less} over {more}"
            yield StudyRow(NAME, name, "1", _ratio(rate2, less, more), means[rate2, less] / means[rate2, more], high=0.2)


def measured(rate2: float, dt: float, passes: int) -> Floats:
    """Mean, deviation and largest alpha [1/s^2]."""
    cubes = [Cube(EDGE, tilt, RESTITUTION, FRICTION) for tilt in TILTS]
    sizes = [fall(cube, rate2, dt, LINEAR, passes, WINDOW)[0] for cube in cubes]
    found: Floats = np.exp(np.log([(one.mean(), one.std(), one.max()) for one in sizes]).mean(axis=0))
    return found


def _bounds(rate2: float, column: str, what: str, printed: float) -> tuple[float | None, float | None]:
    """Decades, where the source has a mean of A or C; nothing to be seen, where it has none with three passes, or small steps."""
    if what != "mean" or column == "B":
        return None, None
    if not math.isnan(printed):
        return printed / DECADE, DECADE * printed
    return (None, NOTHING) if column == "D" or rate2 == 1e6 else (None, None)


def _ratio(rate2: float, less: str, more: str) -> float | None:
    ratio = PRINTED[rate2, less][0] / PRINTED[rate2, more][0]
    return None if math.isnan(ratio) else ratio


# ---- bodies


def body(points: int, *, cells: bool, edge: float, k: float, damping: float, height: float = 0.0) -> Lattice:
    """Points of 1 kg: corners of cubes that keep their shapes, or links of the same k to all 26 neighbours."""
    mass, origin = float(points**3), (0.0, 0.0, height)
    if cells:
        elements = {"type": "polyhedra", "k": k, "D": damping}
        return Lattice(
            counts=(points,) * 3, spacing=edge, mass=mass, mass_sharing=MassSharing.EQUAL, origin=origin, elements=elements
        )
    law = Voigt(k=k, c=damping)
    return Lattice(counts=(points,) * 3, spacing=edge, mass=mass, mass_sharing=MassSharing.EQUAL, origin=origin, law=law)


def run(compiled: Compiled, position: Floats | None = None, observers: Sequence[Observer] = ()) -> Result:
    """Without words on a body that is inside out, or loses energy to a coarse step: that is what is looked at."""
    if position is not None:
        state = compiled.state.copy()
        state.position[: len(position)] = position
        compiled = replace(compiled, start=state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return simulate(compiled, observers=observers, strict=False)


def _cost() -> Iterator[StudyRow]:
    """The quickest of some runs each, in turn: on a busy machine others are slower for no reason of their own."""
    scenes = [
        compile_scene(
            Scene(time=_time(COST_STEPS * 1e-3, 1), body={"body": body(COST_POINTS, cells=cells, edge=0.1, k=1e3, damping=2.0)})
        )
        for cells in (True, False)
    ]
    seconds = np.array([[_seconds(one) for one in scenes] for _ in range(COST_RUNS)]).min(axis=0) / COST_STEPS
    size = f"{COST_POINTS}^3 points, one thread"
    yield StudyRow(NAME, f"a step of cells, two passes, {size}", "ms", None, 1e3 * seconds[0])
    yield StudyRow(NAME, f"a step of links to 26 neighbours, {size}", "ms", None, 1e3 * seconds[1])
    yield StudyRow(NAME, "cells over links", "1", 1.05, seconds[0] / seconds[1])


def _seconds(compiled: Compiled) -> float:
    begun = time.perf_counter()
    run(compiled)
    return time.perf_counter() - begun


def _time(end: float, frames: int) -> Time:
    return Time(end=end, frame=end / frames, step=1e-3, integrator="semi_implicit_euler", threads=1)


# ---- Fig. 4


def falling(rate2: float, *, cells: bool) -> Compiled:
    """3 x 3 x 3 cubes above a floor; k/m = `rate2` [1/s^2]."""
    floor = {"shape": "floor", "friction": 0.3}
    contact = {"method": "bounce", "restitution": 0.5, "itself": False, "bodies": False}
    fallen = body(4, cells=cells, edge=0.1, k=rate2, damping=2.0, height=UP)
    scene = {
        "time": _time(3.0, 60),
        "gravity": (0, 0, -9.8),
        "body": {"body": fallen},
        "tool": {"floor": floor},
        "contact": contact,
    }
    return compile_scene(Scene.model_validate(scene))


def tilted(compiled: Compiled, tilt: tuple[float, float, float]) -> Floats:
    """[m], positions of a body that stands on a corner."""
    place = compiled.model.rest_position[:64] - compiled.model.rest_position[:64].mean(axis=0)
    place = place @ rodrigues(np.array(tilt)).T
    place[:, 2] += UP - place[:, 2].min()
    return np.asarray(place)


def _falls() -> Iterator[StudyRow]:
    for rate2 in (1e3, 1e4):
        for tilt in (None, TILTS[0]):
            for cells in (True, False):
                compiled = falling(rate2, cells=cells)
                inverted = run(compiled, None if tilt is None else tilted(compiled, tilt)).history["body.inverted"]
                name = f"{'cells' if cells else 'links'} fall {'flat' if tilt is None else 'on a corner'}, k/m = {rate2:g} 1/s2"
                yield StudyRow(NAME, f"{name}: inverted tetrahedra of 135, at most", "1", None, float(inverted.max()))
                bounds = (None, 0.0) if cells else (1.0, None) if rate2 == 1e3 else (None, None)
                failing = "" if bounds[0] is None else " (shown failing)"
                yield StudyRow(NAME, f"{name}: at the end{failing}", "1", 0.0 if cells else None, float(inverted[-1]), *bounds)


# ---- recovery


def crushed() -> dict[str, Floats | None]:
    """What is done to a body about its middle; None: its points are put anywhere."""
    return {
        "crushed flat": np.diag([1.0, 1.0, 0.0]),
        "inverted": np.diag([1.0, 1.0, -0.5]),
        "mirrored": np.diag([1.0, 1.0, -1.0]),
        "a line": np.diag([0.0, 0.0, 1.0]),
        "a point": np.zeros((3, 3)),
        "random": None,
    }


def recovered(points: int, what: str, *, cells: bool) -> tuple[float, float]:
    """The farthest point from where it belongs, over the edge, once it is known how the body lies; and inverted tetrahedra over all."""
    given = body(points, cells=cells, edge=0.1, k=1e4, damping=20.0 if points == 2 else 5.0)
    compiled = compile_scene(Scene(time=_time(RECOVERY, 3), body={"body": given}))
    rest, map_ = compiled.model.rest_position - compiled.model.rest_position.mean(axis=0), crushed()[what]
    place = np.random.default_rng(2).normal(0.0, 0.05, rest.shape) if map_ is None else rest @ map_
    result = run(compiled, place)
    found = result.state.position - result.state.position.mean(axis=0)
    u, _, vt = np.linalg.svd(found.T @ rest)
    best = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
    off = np.linalg.norm(found - rest @ best.T, axis=1).max() / 0.1
    return float(off), float(result.history["body.inverted"][-1]) / len(compiled.model.bodies[0].elements)


def _recoveries() -> Iterator[StudyRow]:
    for points in (2, 4):
        for what in crushed():
            for cells in (True, False):
                off, inverted = recovered(points, what, cells=cells)
                size = "one cube" if points == 2 else "3 x 3 x 3 cubes"
                name = f"{size}, {what}, {'cells' if cells else 'links'}, {RECOVERY:g} s later"
                bounds = (None, 0.1) if cells else (0.3, None) if what != "random" else (None, None)
                failing = "" if bounds[0] is None else " (shown failing)"
                yield StudyRow(NAME, f"{name}: farthest point from its place, over the edge{failing}", "1", None, off, *bounds)
                yield StudyRow(NAME, f"{name}: inverted tetrahedra", "1", None, inverted, None, 0.0 if cells else None)
