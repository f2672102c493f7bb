"""A force term that lives in this file: no file of the package knows it.

An elastic foundation holds every point of a body at its height: a spring that stiffens, a damper, and a Maxwell arm that forgets,

    f = -(k u + b u^3 + c u' + k2 (u - q)),   q' = (u - q)/tau,   u the displacement along z.

It runs in every scheme and on every number of threads, its energies add up, its stable step is found, and a run is taken up bit for bit.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import pytest
from numba import uint64 as U

import yawara.terms
from yawara import Scene, Time, Truss, Voigt, compile_scene, simulate
from yawara.core.context import DISSIPATED, GIVEN, STIFFENED, STORED
from yawara.core.stages import FREEZE, integrate_range
from yawara.core.term import ForceTerm, Variable
from yawara.core.threads import ask_to_stop
from yawara.frame import Frame
from yawara.kernels.kinds import Floats, Indices
from yawara.methods.fields import Fields
from yawara.methods.tangent import Tangent
from yawara.observe.energies import balance_error
from yawara.scene.file import read_scene
from yawara.scene.refill import refill
from yawara.terms.options import TermOptions

# ---- what the scene says


class Foundation(TermOptions):
    type: Literal["foundation"] = "foundation"
    body: str
    k: float  # [N/m], of every point
    b: float = 0.0  # [N/m^3]
    c: float = 0.0  # [N s/m]
    k2: float = 0.0  # [N/m]
    tau: float = 1.0  # [s]


def numbers_of(options: Foundation) -> Floats:
    return np.array([options.k, options.b, options.c, options.k2, options.tau])


# ---- what the kernels see


class Arrays(NamedTuple):
    point: Indices
    rest: Floats  # [m]
    number: Floats  # k, b, c, k2, tau
    first: np.uint64
    last: np.uint64
    arm: Floats  # internal variables q [m]
    arm_start: Floats
    arm_total: Floats
    rate: Floats
    slope: Floats
    noted: Floats
    tally: Floats


def add_forces(ctx, mine):
    k, b, c, k2, tau = mine.number[0], mine.number[1], mine.number[2], mine.number[3], mine.number[4]
    point, rest, q, rate, points, forces, own = mine.point, mine.rest, mine.arm, mine.rate, ctx.points, ctx.forces, ctx.own
    stored, power, stiffened = 0.0, 0.0, 1.0
    for n in range(mine.first, mine.last):
        p = U(point[n])
        u, v = points[U(8) * p + U(2)] - rest[n], points[U(8) * p + U(6)]
        e = u - q[n]
        rate[n] = e / tau
        forces[own + U(4) * p + U(2)] -= k * u + b * u**3 + c * v + k2 * e
        stored += 0.5 * k * u * u + 0.25 * b * u**4 + 0.5 * k2 * e * e
        power += c * v * v + k2 * e * e / tau
        stiffened = max(stiffened, 1.0 + 3.0 * b * u * u / k)
    mine.tally[STIFFENED] = stiffened
    if ctx.stage != FREEZE:
        count = mine.last - mine.first
        integrate_range(ctx.stage, q, mine.arm_start, mine.arm_total, mine.first, rate, mine.first, count, ctx.step, ctx.weight)
    mine.tally[STORED] = stored
    mine.tally[DISSIPATED] += ctx.weight * power


def look_around(ctx, mine):
    if mine.tally[STIFFENED] > ctx.allowed:
        ask_to_stop(ctx)


def add_end_forces(ctx, mine):
    k, b, c, k2, tau, dt = mine.number[0], mine.number[1], mine.number[2], mine.number[3], mine.number[4], ctx.ahead
    q, stored, power, given = mine.arm, 0.0, 0.0, 0.0
    for n in range(mine.first, mine.last):
        p = U(mine.point[n])
        u, v = ctx.points[U(8) * p + U(2)] - mine.rest[n], ctx.points[U(8) * p + U(6)]
        e = (u - q[n]) / (1.0 + dt / tau)
        f = k * u + b * u**3 + c * v + k2 * e
        ctx.forces[ctx.own + U(4) * p + U(2)] -= f
        mine.slope[n] = (k + 3.0 * b * u * u) * dt + c + k2 * dt / (1.0 + dt / tau)
        if ctx.finish:
            q[n] += dt * e / tau
        stored += 0.5 * k * u * u + 0.25 * b * u**4 + 0.5 * k2 * e * e
        power += c * v * v + k2 * e * e / tau
        given += f * v
    if ctx.finish:
        mine.tally[STORED] = stored
        mine.tally[DISSIPATED] += dt * power
        mine.tally[GIVEN] += dt * given


def add_product(ctx, mine):
    for n in range(mine.first, mine.last):
        at = U(4) * U(mine.point[n]) + U(2)
        ctx.forces[ctx.own + at] += mine.slope[n] * ctx.direction[at]


def add_diagonal(ctx, mine):
    for n in range(mine.first, mine.last):
        ctx.forces[ctx.own + U(4) * U(mine.point[n]) + U(2)] += mine.slope[n]


def note(ctx, mine):
    k, b = mine.number[0], mine.number[1]
    for n in range(mine.first, mine.last):
        u = ctx.points[U(8) * U(mine.point[n]) + U(2)] - mine.rest[n]
        mine.noted[n] = k * u + b * u**3


# ---- what the core asks


class FoundationTerm(ForceTerm):
    kernels = sys.modules[__name__]
    tangent = ("slope",)
    stiffens = True

    def __init__(self, name: str, options: Foundation, point: Indices, rest: Floats) -> None:
        self.name, self.options, self.point, self.rest = name, options, point, rest
        self.number = numbers_of(options)

    @property
    def variables(self):
        return {"arm": Variable("m", (len(self.point),))}

    def cost(self, point_count):
        return 5.0 * np.bincount(self.point, minlength=point_count)

    def shares(self, team) -> Sequence[NamedTuple]:
        cut, none = np.searchsorted(self.point, team.first_point), np.zeros(0)
        shared = [np.zeros(len(self.point)) for _ in range(3)]
        return [
            Arrays(self.point, self.rest, self.number, int(cut[me]), int(cut[me + 1]), none, none, none, *shared, team.tally[me])
            for me in range(team.threads)
        ]

    def reach(self, team):
        cut = np.searchsorted(self.point, team.first_point)
        return [self.point[a:b] for a, b in pairwise(cut)]

    def refill(self, request):
        options = request.terms[self.name]
        if options.body != self.options.body:
            return None

        def write():
            self.options, self.number[:] = options, numbers_of(options)

        return write

    def stress(self, model, record, state):
        found = np.zeros((model.point_count, 6))
        found[self.point, 2] = record.values["noted"]
        return found

    def blame(self, state):
        bad = np.flatnonzero(~np.isfinite(state.blocks[f"{self.name}.arm"]))
        return ("block", f"foundation of point {bad[0]}") if bad.size else None


def build(request):
    found = []
    for name, options in request.terms.items():
        if isinstance(options, Foundation):
            piece = next(piece for piece in request.pieces if piece.name == options.body)
            point = (piece.offset + np.arange(len(piece.geometry.position))).astype(np.uint32)
            found.append(FoundationTerm(name, options, point, np.ascontiguousarray(request.rest_position[point, 2])))
    return found


# ---- the tests

WEAK = Voigt(k=1e-6, c=0.0)
SCHEMES = ["euler", "semi_implicit_euler", "rk4", "implicit_euler"]


@pytest.fixture(autouse=True)
def foundation(monkeypatch):
    monkeypatch.setattr(yawara.terms, "_rooms", [*yawara.terms._rooms, build])


def scene(law=WEAK, integrator="rk4", threads=1, end=0.5, step=None, velocity=(0.0, 0.0, 0.3), **options):
    body = Truss(counts=(4, 3, 3), spacing=0.1, law=law, mass=3.6, velocity=velocity, mass_sharing="equal")
    time = Time(end=end, frame=end / 10, integrator=integrator, threads=threads, step=step)
    return Scene(time=time, body={"block": body}, term={"bed": Foundation(body="block", **{"k": 40.0, **options})})


class Seen:
    """What frames showed."""

    def __init__(self, what):
        self.what, self.found = what, []

    def observe(self, frame):
        self.found.append(self.what(frame))


def test_a_mass_on_its_spring_swings_as_it_should():
    result = simulate(scene(end=1.0, step=1e-3))
    omega = np.sqrt(40.0 / 0.1)
    assert result.state.position[:, 2] - result.compiled.model.rest_position[:, 2] == pytest.approx(
        0.3 / omega * np.sin(omega), abs=1e-5
    )


@pytest.mark.parametrize("integrator", SCHEMES[1:])
def test_energies_add_up(integrator):
    options = {"b": 4e4, "c": 0.2, "k2": 30.0, "tau": 0.05}
    result = simulate(scene(law=Voigt(k=40.0, c=0.4), integrator=integrator, step=2e-4, **options))
    assert balance_error(result.history) < 1e-3
    assert result.history["energy.dissipated"][-1] > 0.1 * result.history["energy.kinetic"][0]


@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_is_taken_up_bit_for_bit(integrator, threads):
    asked = scene(law=Voigt(k=40.0, c=0.4), integrator=integrator, threads=threads, end=0.1, step=1e-4, k2=30.0, tau=0.05, c=0.3)
    seen = Seen(lambda frame: frame.state.copy())
    whole = simulate(asked, observers=[seen]).state
    again = simulate(asked, start=(5, seen.found[5])).state
    assert all(block.tobytes() == again.blocks[name].tobytes() for name, block in whole.blocks.items())
    assert np.abs(whole.blocks["bed.arm"]).max() > 0.0


@pytest.mark.parametrize("integrator", SCHEMES)
def test_threads_agree(integrator):
    one, two = (
        simulate(scene(law=Voigt(k=40.0, c=0.4), integrator=integrator, threads=count, end=0.1, step=1e-4, k2=30.0, c=0.3)).state
        for count in (1, 2)
    )
    np.testing.assert_allclose(two.points, one.points, rtol=0, atol=1e-11)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_the_stable_step_is_found_from_its_tangent(integrator):
    """2/omega for semi-implicit Euler, 2.83/omega for Runge-Kutta; with a margin."""
    step = compile_scene(scene(k=4e6, integrator=integrator)).model.stable_step[integrator]
    limit = {"semi_implicit_euler": 2.0, "rk4": 2.828}[integrator] / np.sqrt(4e6 / 0.1)
    assert 0.7 * limit < step < limit


def test_a_foundation_that_stiffens_a_hundredfold_makes_steps_smaller():
    """k + 3 b u^2 is 100 k at the turning point: the watch sees it, and the energies add up."""
    asked = scene(k=40.0, b=40.0 * 33 / 0.02**2, velocity=(0.0, 0.0, 2.3), end=0.2)
    seen = Seen(lambda frame: float(frame.state.pace[0]))
    result = simulate(asked, observers=[seen])
    assert np.abs(result.history["energy.balance_error"]).max() < 0.01 * result.history["energy.kinetic"][0]
    assert max(seen.found) > 3.0


def test_fields_and_blame():
    compiled = compile_scene(scene())
    state = compiled.state.copy()
    state.position[:, 2] += 0.01
    assert Fields(compiled.model).stress(state)[:36, 2, 2] == pytest.approx(0.4, rel=1e-3)
    force = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force
    assert force[:, 2] == pytest.approx(-0.4, rel=1e-3)
    state.blocks["bed.arm"][7] = np.nan
    bed = next(term for term in compiled.model.terms if term.name == "bed")
    assert bed.blame(state) == ("block", "foundation of point 7")


def test_a_scene_file_may_ask_for_it():
    text = {
        "time": {"end": 0.1},
        "body": {
            "block": {"shape": "chain", "counts": [2], "spacing": 0.1, "mass": 1.0, "law": {"type": "voigt", "k": 1.0, "c": 0.1}}
        },
        "term": {"bed": {"type": "foundation", "body": "block", "k": 3.0}},
    }
    assert read_scene(text).term["bed"] == Foundation(body="block", k=3.0)
    text["term"]["bed"]["type"] = "foundatoin"
    with pytest.raises(ValueError, match="'foundatoin' is not known; did you mean 'foundation'"):
        read_scene(text)


@pytest.mark.parametrize("integrator", SCHEMES[1:])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_body_without_links_is_held_by_it_alone(monkeypatch, integrator, threads):
    geometry = Truss.geometry
    monkeypatch.setattr(Truss, "geometry", lambda body: replace(geometry(body), links=np.zeros((0, 2), np.int64)))
    asked = scene(integrator=integrator, threads=threads, end=0.2, step=2e-4, k=40.0, c=0.3)
    result = simulate(asked)
    assert [term.name for term in result.compiled.model.terms] == ["bed"]
    assert balance_error(result.history) < 1e-3
    up = result.state.position[:, 2] - result.compiled.model.rest_position[:, 2]
    omega, rate = np.sqrt(40.0 / 0.1 - 1.5**2), 1.5
    expected = 0.3 / omega * np.exp(-rate * 0.2) * np.sin(omega * 0.2)
    assert up == pytest.approx(expected, abs=2e-4)
    Fields(result.compiled.model).residual_strain(result.state)


def test_its_matrix_is_found_from_its_products():
    compiled = compile_scene(scene(law=Voigt(k=40.0, c=0.4), c=0.3))
    B = Tangent(compiled.model).at(compiled.state, 0.01).sparse
    without = Tangent(compile_scene(scene(law=Voigt(k=40.0, c=0.4), k=0.0)).model).at(compiled.state, 0.01).sparse
    own = (B - without).toarray()
    expected = np.diag(np.tile([0.0, 0.0, 40.0 * 0.01 + 0.3 + 0.0], compiled.model.point_count))
    np.testing.assert_allclose(own, expected, atol=1e-12)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "implicit_euler"])
def test_it_takes_new_numbers_without_being_built(integrator):
    old, new = (scene(integrator=integrator, end=0.1, step=1e-4, **numbers) for numbers in ({}, {"k": 4e4, "c": 0.7, "k2": 9.0}))
    compiled, fresh = compile_scene(old), compile_scene(new)
    simulate(compiled)
    filled = refill(compiled, new)
    assert filled is not None
    assert filled.model is compiled.model
    assert filled.model.stable_step["rk4"] == fresh.model.stable_step["rk4"]
    one, two = (simulate(each).state for each in (filled, fresh))
    assert all(block.tobytes() == two.blocks[name].tobytes() for name, block in one.blocks.items())


def test_a_table_of_another_name_is_built():
    compiled = compile_scene(scene())
    other = compiled.scene.model_copy(update={"term": {"base": Foundation(body="block", k=40.0)}})
    assert refill(compiled, other) is None
