"""A skin carried by the points of cells: linear fields exactly, others smoothly, nothing across a gap."""

import numpy as np
import pytest
import trimesh

from surfaces import icosphere, torus_knot
from yawara.meshes.carry import NEIGHBOURS, carriers
from yawara.meshes.embed import embed
from yawara.meshes.errors import MeshError
from yawara.meshes.fill import fill_bcc, fill_lattice
from yawara.meshes.subdivide import subdivided
from yawara.meshes.surface import clean_surface

FILLINGS = {"tetrahedra": fill_bcc, "lattice": fill_lattice}
SHAPES = {"ball": (icosphere(3, 0.05), 0.02), "knot": (torus_knot(segments=60, sides=8, tube=0.015), 0.012)}


@pytest.fixture(params=SHAPES)
def shape(request):
    surface, spacing = SHAPES[request.param]
    return subdivided(clean_surface(*surface), spacing), spacing


def carried(field, host, weight):
    return np.einsum("nk,nkx->nx", weight, field[host])


@pytest.mark.parametrize("fill", FILLINGS.values(), ids=FILLINGS)
def test_linear_fields_are_reproduced(shape, fill):
    skin, spacing = shape
    filling = fill(skin, spacing)
    host, weight = carriers(skin.position, filling.position, filling.tetrahedra)
    assert weight.sum(axis=1) == pytest.approx(np.ones(len(weight)), abs=1e-13)
    matrix, offset = np.random.default_rng(5).normal(size=(3, 3)), np.array([1.0, -2.0, 0.5])
    found = carried(filling.position @ matrix.T + offset, host, weight)
    assert np.abs(found - (skin.position @ matrix.T + offset)).max() < 1e-12
    assert np.abs(weight).sum(axis=1).max() < 2.0  # extrapolated by less than a cell


@pytest.mark.parametrize("fill", FILLINGS.values(), ids=FILLINGS)
def test_hosts_are_few_and_belong_together(shape, fill):
    """The corners of the nearest cell and of the cells at them; the rest of a row is filled up with nothing."""
    skin, spacing = shape
    filling = fill(skin, spacing)
    host, weight = carriers(skin.position, filling.position, filling.tetrahedra)
    cell, _ = embed(skin.position, filling.position, filling.tetrahedra)
    beside = [set(filling.tetrahedra[np.isin(filling.tetrahedra, one).any(axis=1)].ravel()) for one in filling.tetrahedra]
    assert all(set(row) <= beside[c] for row, c in zip(host, cell, strict=True))
    assert (weight != 0.0).sum(axis=1).mean() < 2 * NEIGHBOURS
    assert (host[weight == 0.0] == np.broadcast_to(host[:, :1], host.shape)[weight == 0.0]).all()


def test_nothing_hangs_on_what_lies_across_a_gap():
    """Two blocks, a third of a spacing apart: each one's skin stays where it is when the other goes away."""
    box = trimesh.creation.box((0.04, 0.04, 0.04)).subdivide().subdivide()
    one = clean_surface(np.array(box.vertices), np.array(box.faces, np.int64))
    filling = fill_bcc(one, 0.01)
    away = np.array([np.ptp(filling.position[:, 0]) + 0.003, 0.0, 0.0])
    position = np.concatenate([filling.position, filling.position + away])
    cells = np.concatenate([filling.tetrahedra, filling.tetrahedra + len(filling.position)])
    host, weight = carriers(one.position, position, cells)
    assert (host[weight != 0.0] < len(filling.position)).all()


def largest_step(filling, weights, count):
    """Of a field of chance that is carried to `count` points on a circle around a cylinder's side, from one to the next."""
    angle = np.linspace(0.0, 2.0 * np.pi, count)
    points = np.stack([0.03 * np.cos(angle), 0.03 * np.sin(angle), np.full(count, 0.0012)], axis=1)
    host, weight = weights(points, filling.position, filling.tetrahedra)
    field = np.random.default_rng(8).normal(size=(len(filling.position), 1))
    return np.abs(np.diff(carried(field, host, weight), axis=0)).max()


def of_nearest_cell(points, position, tetrahedra):
    cell, weight = embed(points, position, tetrahedra)
    return tetrahedra[cell], weight


@pytest.mark.parametrize("fill", FILLINGS.values(), ids=FILLINGS)
def test_the_skin_does_not_jump_from_cell_to_cell(fill):
    """Points half as far apart move half as far apart, also outside of the cells. The weights of the nearest cell leave jumps there."""
    cylinder = trimesh.creation.cylinder(radius=0.03, height=0.06, sections=64)
    filling = fill(clean_surface(np.array(cylinder.vertices), np.array(cylinder.faces, np.int64)), 0.01)
    coarse, fine = (largest_step(filling, carriers, count) for count in (10_000, 20_000))
    assert fine == pytest.approx(0.5 * coarse, rel=0.02)  # the points of the two do not coincide
    assert largest_step(filling, of_nearest_cell, 20_000) > 30 * fine


def test_cells_in_a_plane_carry_no_skin():
    position = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, 0.3, 1e-9)])
    with pytest.raises(MeshError, match=r"lie almost in a plane and carry no skin; give rounder cells"):
        carriers(np.array([(0.2, 0.2, 0.0)]), position, np.array([(0, 1, 2, 3)]))
