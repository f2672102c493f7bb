"""A term that moves points after a step: a ceiling stops every point that has come above it, in explicit and implicit schemes alike."""

import sys
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import pytest
from numba import uint64 as U

import yawara.terms
from yawara import Scene, Time, Truss, Voigt, simulate
from yawara.core.context import TAKEN
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Floats
from yawara.observe.energies import balance_error
from yawara.terms.options import TermOptions

HEIGHT = 0.25  # [m]


class Ceiling(TermOptions):
    type: Literal["ceiling"] = "ceiling"


class Arrays(NamedTuple):
    mass: Floats
    first: np.uint64
    last: np.uint64
    tally: Floats


def project(ctx, mine):
    """What the points have of motion is lost, but for what lifted them beyond."""
    for p in range(mine.first, mine.last):
        z, v = U(8) * p + U(2), U(8) * p + U(6)
        if ctx.points[z] > HEIGHT:
            mine.tally[TAKEN] += 0.5 * mine.mass[p] * ctx.points[v] ** 2
            ctx.points[z], ctx.points[v] = HEIGHT, 0.0


class CeilingTerm(ForceTerm):
    name = "ceiling"
    account = "ceiling"
    kernels = sys.modules[__name__]

    def __init__(self, mass):
        self.mass = mass

    def shares(self, team):
        return [Arrays(self.mass, int(a), int(b), team.tally[me]) for me, (a, b) in enumerate(pairwise(team.first_point))]


def build_ceiling(request):
    return [CeilingTerm(request.point.mass) for one in request.terms.values() if isinstance(one, Ceiling)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_points_are_put_back_in_every_scheme(monkeypatch, integrator, threads):
    monkeypatch.setattr(yawara.terms, "_rooms", [*yawara.terms._rooms, build_ceiling])
    body = Truss(counts=(3, 3, 3), spacing=0.1, law=Voigt(k=40.0, c=0.4), mass=2.7, velocity=(0.0, 0.0, 0.5))
    time = Time(end=0.3, frame=0.03, integrator=integrator, step=1e-4, threads=threads)
    result = simulate(Scene(time=time, body={"block": body}, term={"top": Ceiling()}))
    assert result.state.position[:, 2].max() == HEIGHT
    assert result.state.velocity[:, 2].mean() < 0.4
    assert balance_error(result.history) < 0.01  # of first order: what forces do on the way back is not booked
