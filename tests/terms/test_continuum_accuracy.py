"""Continuum elements against solutions of elasticity: order of convergence, torsion, plates that are bonded; on even and uneven meshes."""

import meshio
import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, cg

from yawara import Lattice, Material, Mesh, Scene, Time, Truss, compile_scene
from yawara.methods.products import Products

MATERIAL = {"density": 1000.0, "youngs_modulus": 1.0, "poisson": 0.3, "retardation_time": 0.0}
BOXES, NODAL, SIMPLE = ({"type": "continuum", "cells": cells} for cells in ("boxes", "nodal", "simple"))


def compiled(body):
    return compile_scene(Scene(gravity=(0, 0, 0), time=Time(end=1.0), body={"body": body}))


class Stiffness:
    """K of a body at rest, by products."""

    def __init__(self, model):
        self.X, self._products = model.model.rest_position, Products(model.model, model.model.terms)
        self._products.linearise(model.state, 1.0)

    def __call__(self, u):
        return self._products.of(u)

    def solve(self, load, given, known):
        """u with K u = load where it is not known; `given` (point_count, 3), `known` of the same shape."""
        free = ~known.ravel()
        right = (load - self(np.where(known, given, 0.0))).ravel()[free]

        def product(v):
            full = np.zeros(self.X.size)
            full[free] = v
            return self(full.reshape(-1, 3)).ravel()[free]

        v, failed = cg(LinearOperator((len(right),) * 2, matvec=product, dtype=float), right, rtol=1e-9, maxiter=4000)
        assert not failed
        u = np.where(known, given, 0.0).ravel()
        u[free] = v
        return u.reshape(-1, 3)


def uneven(cells, tmp_path):
    """A unit cube of tetrahedra, six to a cube, whose inner points are moved by up to a fifth of the spacing."""
    geometry = Lattice(counts=(cells + 1,) * 3, spacing=1.0 / cells, material=Material(**MATERIAL)).geometry()
    X, corner = geometry.position.copy(), geometry.cells["hexahedron"][:, [0, 4, 3, 7, 1, 5, 2, 6]]  # by bits x, y, z
    tetrahedra = np.concatenate([corner[:, [0, a, a | b, 7]] for a, b in ((4, 2), (4, 1), (2, 4), (2, 1), (1, 4), (1, 2))])
    inner = ((X > 1e-9) & (X < 1.0 - 1e-9)).all(axis=1)
    X[inner] += np.random.default_rng(0).uniform(-0.2, 0.2, (inner.sum(), 3)) / cells
    volume = np.linalg.det(X[tetrahedra[:, 1:]] - X[tetrahedra[:, :1]])
    tetrahedra[volume < 0.0] = tetrahedra[volume < 0.0][:, [0, 2, 1, 3]]
    meshio.write(tmp_path / "uneven.vtu", meshio.Mesh(X, [("tetra", tetrahedra)]))
    return Mesh(file=str(tmp_path / "uneven.vtu"), elements="continuum", material=Material(**MATERIAL))


def wave_error(body):
    """Error, in the mean, of u = A sin(k . X), which ((lambda + mu)(A . k) k + mu k^2 A) sin(k . X) [N/m^3] hold; known at the outside."""
    model, material = compiled(body), Material(**MATERIAL)
    K, A, k = Stiffness(model), np.array([0.3, -0.5, 0.8]), np.array([1.5, 1.0, -0.7])
    X, wave = K.X, np.sin(K.X @ k)
    share = model.scene.body["body"].family.shares(model.scene.body["body"].geometry())
    push = (material.lame + material.shear) * (A @ k) * k + material.shear * (k @ k) * A
    outside = ((X < 1e-9) | (X > 1.0 - 1e-9)).any(axis=1)
    u = K.solve((share * wave)[:, None] * push, wave[:, None] * A, np.repeat(outside[:, None], 3, axis=1))
    return np.sqrt((((u - wave[:, None] * A) ** 2).sum(axis=1) * share).sum())


@pytest.mark.parametrize(("shape", "elements"), [(Lattice, BOXES), (Truss, NODAL), (Truss, SIMPLE)])
def test_errors_fall_with_the_square_of_the_spacing(shape, elements):
    errors = [
        wave_error(shape(counts=(n + 1,) * 3, spacing=1.0 / n, elements=elements, material=Material(**MATERIAL))) for n in (6, 12)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


def test_errors_fall_with_the_square_of_the_spacing_on_uneven_meshes(tmp_path):
    errors = [wave_error(uneven(n, tmp_path)) for n in (6, 12)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize(("nu", "cells", "ratio"), [(0.3, 4, None), (0.49, 2, 1.275), (0.49, 4, 1.267)])
def test_hexahedra_between_plates_that_are_bonded(nu, cells, ratio):
    """Apparent modulus over E of a cube: converged 1.0639 at 0.3 and 1.2197 at 0.49 (Taylor-Hood elements)."""
    material = Material(**MATERIAL | {"poisson": nu})
    K = Stiffness(compiled(Lattice(counts=(cells + 1,) * 3, spacing=1.0 / cells, elements=BOXES, material=material)))
    bottom, top = K.X[:, 2] < 1e-9, K.X[:, 2] > 1.0 - 1e-9
    known = np.repeat((bottom | top)[:, None], 3, axis=1)
    u = K.solve(np.zeros_like(K.X), np.where(top[:, None], [0.0, 0.0, 1.0], 0.0), known)
    found = K(u)[top, 2].sum()
    assert found == pytest.approx(ratio, abs=2e-3) if ratio else found == pytest.approx(1.0639, rel=0.02)


@pytest.mark.parametrize(("elements", "shape", "cells", "ratio"), [
    (BOXES, Lattice, 4, 1.143), (BOXES, Lattice, 8, 1.036), (NODAL, Truss, 4, 1.046), (NODAL, Truss, 8, 1.000),
])  # fmt: skip
def test_torsion(elements, shape, cells, ratio):
    """Torque over that of Saint-Venant, 0.140577 G a^4, of a square bar whose sections warp freely."""
    length = 2 * cells  # twice as long as wide; a slice in its middle
    body = shape(counts=(cells + 1, cells + 1, length + 1), spacing=1.0 / cells, elements=elements, material=Material(**MATERIAL))
    K = Stiffness(compiled(body))
    X = K.X - [0.5, 0.5, 0.0]
    turned = np.stack([-X[:, 1] * X[:, 2], X[:, 0] * X[:, 2], np.zeros(len(X))], axis=1)
    known = np.zeros(X.shape, bool)
    known[:, :2] = True
    known[np.argmin((X[:, :2] ** 2).sum(axis=1)), 2] = True  # nothing else holds it along its axis
    u = K.solve(np.zeros_like(X), turned, known)
    assert (u * K(u)).sum() / 2.0 / (0.140577 / 2.6) == pytest.approx(ratio, rel=0.02)
