"""Surfaces from formulas: closed, outward, of the right size."""

import numpy as np
import pytest

from surfaces import icosphere, torus_knot
from yawara.meshes.surface import clean_surface


@pytest.mark.parametrize("subdivisions", [0, 1, 3])
def test_icosphere(subdivisions):
    position, triangles = icosphere(subdivisions, radius=0.5)
    surface = clean_surface(position, triangles)
    assert surface.notices == ()  # nothing to repair: closed and outward
    assert len(triangles) == 20 * 4**subdivisions
    assert len(position) == len(triangles) // 2 + 2  # Euler
    assert np.linalg.norm(position, axis=1) == pytest.approx(np.full(len(position), 0.5), rel=1e-14)


def test_icosphere_volume_converges_in_second_order():
    error = [1.0 - clean_surface(*icosphere(level)).volume / (4.0 * np.pi / 3.0) for level in (2, 3, 4)]
    assert np.log2(np.array(error[:-1]) / error[1:]) == pytest.approx([2.0, 2.0], abs=0.1)


@pytest.mark.parametrize(("p", "q"), [(1, 0), (2, 3), (3, 2)])
def test_torus_knot_has_the_volume_of_its_tube(p, q):
    """Pappus: section times the length of the line through its centroid, here an inscribed polygon's and a fine polyline's."""
    position, triangles = torus_knot(p, q, segments=600, sides=20, radius=0.05, tube=0.008)
    surface = clean_surface(position, triangles)
    assert surface.notices == ()
    assert len(triangles) == 600 * 20 * 2
    centre = position.reshape(600, 20, 3).mean(axis=1)
    length = np.linalg.norm(np.roll(centre, -1, axis=0) - centre, axis=1).sum()
    section = 20 / 2 * 0.008**2 * np.sin(2 * np.pi / 20)
    assert surface.volume == pytest.approx(section * length, rel=2e-3)  # chords of 600 segments, squared
