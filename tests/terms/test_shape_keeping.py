"""Bodies pressed flat and let go: with an inversion barrier they come back, without it they stay inside out; and pressures keep volume."""

from functools import cache

import numpy as np
import pytest

import yawara as yw
from yawara.meshes.facets import cell_sizes
from yawara.observe.energies import balance_error

SPACING, PRESSED, RELEASED = 0.01, 0.5, 0.7  # [m], [s], [s]
SPRINGY = yw.Voigt(k=200.0, c=2.0)
SHAPES = {  # kind, counts, axis of the height, further fields
    "sheet": (yw.Sheet, (7, 7), 1, {"pattern": "triangles"}),
    "alternating": (yw.Sheet, (7, 7), 1, {"pattern": "alternating"}),
    "truss": (yw.Truss, (5, 5, 5), 2, {}),
}
SHARES = (0.5, 0.1)  # of the height that is left
SIZE = {"sheet": "b.area", "alternating": "b.area", "truss": "b.volume"}


def press(shape, share, *, end=1.5, law=SPRINGY, time=None, **effects):
    """Held at the bottom, pressed down at the top in half a second, held, let go. A sheet stays in its plane."""
    kind, counts, up, fields = SHAPES[shape]
    down = [0.0, 0.0, 0.0]
    down[up] = -(1.0 - share) * SPACING * (counts[up] - 1)
    flat = up == 1
    above = {"min": (-1.0, 0.5 * SPACING, -1.0), "max": (1.0, 1.0, 1.0)}
    drive = yw.Drive(
        name="press", body="b", points="top", axes="xy" if flat else "xyz", times=[0.0, PRESSED, RELEASED],
        displacement=[(0, 0, 0), down, down], interpolation="smooth", release=RELEASED,
    )  # fmt: skip
    scene = yw.Scene(
        time=yw.Time(end=end, frame=0.02, **(time or {})),
        body={"b": kind(counts=counts, spacing=SPACING, law=law, density=1000.0, **fields, **effects)},
        fix=[yw.Fix(body="b", points="bottom"), *([yw.Fix(body="b", points=above, axes="z")] if flat else [])],
        drive=[drive],
    )
    return yw.simulate(scene)


@cache
def with_barrier(shape, share):
    return press(shape, share, inversion_barrier={})


@cache
def without_barrier(shape, share):
    return press(shape, share)


each_press = pytest.mark.parametrize(("shape", "share"), [(shape, share) for shape in SHAPES for share in SHARES])


@each_press
def test_bodies_with_a_barrier_come_back(shape, share):
    """All cells the right way round, every point where it was within 1 % of the height."""
    run = with_barrier(shape, share)
    assert run.history["b.inverted"][-1] == 0
    assert np.isfinite(run.history.table).all()
    assert run.state.is_finite()
    moved = np.linalg.norm(run.state.position - run.compiled.model.rest_position, axis=1)
    assert moved.max() < 0.01 * run.history["b.height"][0]
    pressed = run.history[f"press.displacement_{'xyz'[SHAPES[shape][2]]}"].min()
    assert pressed == pytest.approx(-(1.0 - share) * run.history["b.height"][0])


@each_press
def test_while_pressed_few_cells_are_inside_out(shape, share):
    """None at half the height; flatter than their barriers, of hundreds of cells a handful."""
    inverted = with_barrier(shape, share).history["b.inverted"].max()
    assert inverted == 0 if share == 0.5 else inverted <= 5


@pytest.mark.parametrize(
    ("shape", "share"), [("sheet", 0.5), ("sheet", 0.1), ("alternating", 0.1), ("truss", 0.5), ("truss", 0.1)]
)
def test_bodies_without_a_barrier_stay_inside_out(shape, share):
    """The same scenes: links alone have other shapes in which they rest."""
    run = without_barrier(shape, share)
    assert run.history["b.inverted"][-1] > 0
    moved = np.linalg.norm(run.state.position - run.compiled.model.rest_position, axis=1)
    assert moved.max() > 0.1 * run.history["b.height"][0]


@each_press
def test_energies_add_up(shape, share):
    """With what barriers take and give counted by itself."""
    for run in (with_barrier(shape, share), without_barrier(shape, share)):
        assert balance_error(run.history) < 0.05
        assert run.history["energy.dissipated"][-1] > 0.0
    assert np.abs(with_barrier(shape, share).history["energy.barriers"]).max() > 0.0
    assert "energy.barriers" not in without_barrier(shape, share).history.names


@pytest.mark.parametrize("shape", ["sheet", "truss"])
def test_three_element_bodies_keep_their_cells_too(shape):
    """They do not come back in full, but the right way round."""
    law = yw.ThreeElement(k1=200.0, c1=2.0, c2=100.0)
    run = press(shape, 0.3, law=law, inversion_barrier={})
    assert run.history["b.inverted"][-1] == 0
    assert 0.3 < run.history["b.height"][-1] / run.history["b.height"][0] < 0.99
    assert balance_error(run.history) < 0.05


@pytest.mark.parametrize(("step", "error"), [(1e-2, 0.2), (2e-3, 0.15), (5e-4, 0.05)])
def test_barriers_in_implicit_steps(step, error):
    """However large the steps that are asked for, and though many barriers go on and off: coarse energies, the right shape."""
    run = press("sheet", 0.1, inversion_barrier={}, time={"integrator": "implicit_euler", "step": step})
    assert run.history["b.inverted"][-1] == 0
    moved = np.linalg.norm(run.state.position - run.compiled.model.rest_position, axis=1)
    assert moved.max() < 0.01 * run.history["b.height"][0]
    assert balance_error(run.history) < error


@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "implicit_euler"])
@pytest.mark.parametrize("shape", ["sheet", "truss"])
def test_a_pressure_in_the_whole_keeps_the_volume(shape, scheme):
    """Within 1 % while pressed to 70 % of the height; links alone let a quarter go."""
    time = {"integrator": scheme, **({"step": 0.01} if scheme == "implicit_euler" else {})}
    size = press(
        shape, 0.7, end=RELEASED, time=time, inversion_barrier={}, volume={"cavity": 1.5e6, "cavity_damping": 1.5e3}
    ).history[SIZE[shape]]
    assert np.abs(size / size[0] - 1.0).max() < 0.01


@pytest.mark.parametrize("shape", ["sheet", "truss"])
def test_without_it_volume_is_lost(shape):
    size = press(shape, 0.7, end=RELEASED, inversion_barrier={}).history[SIZE[shape]]
    assert np.abs(size / size[0] - 1.0).max() > 0.1


@pytest.mark.parametrize("shape", ["sheet", "truss"])
def test_pressures_in_the_cells_keep_each_cell(shape):
    """Of the whole as well as of each: none is pressed to less than three quarters."""
    run = press(shape, 0.7, end=RELEASED, inversion_barrier={}, volume={"cells": 5e5, "cells_damping": 500.0})
    cells = run.compiled.model.bodies[0].elements.astype(int)
    now, rest = (cell_sizes(position, cells) for position in (run.state.position, run.compiled.model.rest_position))
    assert (now / rest).min() > 0.75
    assert run.history[SIZE[shape]][-1] == pytest.approx(run.history[SIZE[shape]][0], rel=0.1)
