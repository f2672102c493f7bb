"""A term whose springs hold the drawn surface of a filled body: its points have no mass, and forces arrive at the cells that carry them."""

import sys
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
import trimesh
from numba import uint64 as U

import yawara.terms
from yawara import Filled, Scene, Time, Voigt, simulate
from yawara.core.context import GIVEN, STORED
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Floats, Indices
from yawara.observe.energies import balance_error

STIFFNESS = 3.0  # [N/m], of each of some hundred springs


class Arrays(NamedTuple):
    point: Indices
    rest: Floats
    first: np.uint64
    last: np.uint64
    tally: Floats


def add_forces(ctx, mine):
    stored, given = 0.0, 0.0
    for n in range(mine.first, mine.last):
        p = U(mine.point[n])
        u = ctx.points[U(8) * p + U(2)] - mine.rest[n]
        ctx.forces[ctx.own + U(4) * p + U(2)] -= STIFFNESS * u
        stored += 0.5 * STIFFNESS * u * u
        given += STIFFNESS * u * ctx.points[U(8) * p + U(6)]
    mine.tally[STORED] = stored
    if ctx.finish:
        mine.tally[GIVEN] += ctx.ahead * given


def add_product(ctx, mine):
    for n in range(mine.first, mine.last):
        at = U(4) * U(mine.point[n]) + U(2)
        ctx.forces[ctx.own + at] += STIFFNESS * ctx.ahead * ctx.direction[at]


class SurfaceSprings(ForceTerm):
    name = "springs"
    kernels = sys.modules[__name__]

    def __init__(self, point, rest):
        self.point, self.rest = point, rest

    def shares(self, team):
        cut = np.searchsorted(self.point, team.first_point)
        return [Arrays(self.point, self.rest, int(a), int(b), team.tally[me]) for me, (a, b) in enumerate(pairwise(cut))]

    def reach(self, team):
        return [self.point[a:b] for a, b in pairwise(np.searchsorted(self.point, team.first_point))]


def build_springs(request):
    (piece,) = request.pieces
    point = np.arange(len(piece.geometry.position), len(piece.geometry.all_positions), dtype=np.uint32)
    return [SurfaceSprings(point, np.ascontiguousarray(request.rest_position[point, 2]))]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_forces_on_a_surface_that_is_only_drawn_reach_the_body(monkeypatch, tmp_path, integrator, threads):
    """All of it moves as one mass on as many springs as the surface has points."""
    monkeypatch.setattr(yawara.terms, "_rooms", [*yawara.terms._rooms, build_springs])
    trimesh.creation.box((0.1, 0.1, 0.1)).subdivide().export(tmp_path / "box.stl")
    body = Filled(file=str(tmp_path / "box.stl"), spacing=0.05, mass=1.0, law=Voigt(k=1e4, c=20.0), velocity=(0.0, 0.0, 0.3))
    time = Time(end=0.05, frame=0.005, integrator=integrator, step=2e-5, threads=threads)
    result = simulate(Scene(time=time, body={"box": body}))
    springs = next(term for term in result.compiled.model.terms if term.name == "springs")
    omega, mass = np.sqrt(STIFFNESS * len(springs.point)), result.compiled.model.point.mass
    assert balance_error(result.history) < 1e-3
    lifted = (mass * (result.state.position - result.compiled.model.rest_position)[:, 2]).sum()
    assert lifted == pytest.approx(0.3 / omega * np.sin(omega * 0.05), rel=0.02)
