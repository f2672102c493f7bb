"""The implicit scheme: its steps satisfy the equations of backward Euler, whoever computes the forces; stiff bodies stay calm."""

from functools import cache

import numpy as np
import pytest

import reference
from helpers import LAWS, body_of, compiled_body, internal, memories, shaken
from yawara import (
    Chain,
    Drive,
    Fix,
    Force,
    Lattice,
    Material,
    Scene,
    SceneError,
    Sheet,
    Time,
    Truss,
    Voigt,
    compile_scene,
    simulate,
)
from yawara.core.geometry import heights
from yawara.frame import Frame
from yawara.methods import SCHEMES
from yawara.methods.linear_systems import UNSOLVED
from yawara.methods.newton import NEWTON_FAILURE
from yawara.methods.runner import Runner
from yawara.observe.energies import kinetic_energy
from yawara.plan import IMPLICIT_COST, plan_steps
from yawara.scene.build import STEPS_PER_FRAME
from yawara.status import StepStatus

IMPLICIT = SCHEMES["implicit_euler"]
GRAVITY = (0.3, 0.0, -2.0)
SHAPES = ("truss", "chain", "sheet")
TOLERANCE = 1e-6  # of the momentum in motion: ten times what a step is solved to


def stepped(compiled, state, dt, *, steps=1, threads=1):
    """The state some steps later."""
    end = state.copy()
    runner = Runner(compiled.model, IMPLICIT, threads=threads)
    runner.advance(end, compiled.control.stretch(0.0, 1.0), 0, steps, dt)
    runner.close()
    return end


def evaluate(compiled, state):
    return Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation


def residual(compiled, start, end, force, dt):
    """M (v' - v) - dt (F' + M g), over the largest of the momenta and impulses that it is the difference of."""
    mass, gravity = compiled.model.point.mass[:, None], compiled.model.point.gravity[:3]
    push, carries = dt * (force + mass * gravity), (mass > 0)[:, 0]
    wrong = mass * (end.velocity - start.velocity) - push
    return np.linalg.norm(wrong[carries]) / max(np.linalg.norm(mass * end.velocity), np.linalg.norm(push[carries]))


def energy(compiled, state):
    return kinetic_energy(compiled.model, state) + evaluate(compiled, state).stored


@pytest.mark.parametrize("dt", [1e-4, 1e-2])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_step_satisfies_backward_euler(shape, law, dt):
    """Forces and memory rates at the end of the step are those of the slow partner, which knows nothing of the kernels."""
    compiled = compiled_body(shape, LAWS[law], gravity=GRAVITY)
    start = shaken(compiled, 7)
    end = stepped(compiled, start, dt)
    before, after = np.array(memories(compiled, start)), np.array(memories(compiled, end))
    force, rates, _, _ = reference.forces(compiled, end.position, end.velocity, after.tolist())
    assert residual(compiled, start, end, force, dt) < TOLERANCE
    np.testing.assert_allclose(after, before + dt * np.array(rates), rtol=0, atol=1e-15)
    np.testing.assert_allclose(end.position, start.position + dt * end.velocity, rtol=0, atol=1e-15)


def test_a_wrong_force_is_noticed():
    """The comparison is sensitive: with forces of the step's beginning the equations do not hold."""
    compiled = compiled_body("truss", LAWS["three_element"], gravity=GRAVITY)
    start = shaken(compiled, 7)
    end = stepped(compiled, start, 1e-2)
    force, *_ = reference.forces(compiled, start.position, start.velocity, memories(compiled, start))
    assert residual(compiled, start, end, force, 1e-2) > 1e4 * TOLERANCE


def with_effects(shape):
    """Inversion barriers, both pressures, and centres where there are any."""
    effects = {
        "inversion_barrier": {"threshold": 0.25, "stiffness": 50.0, "damping": 0.5},
        "volume": {"cavity": 500.0, "cavity_damping": 3.0, "cells": 700.0, "cells_damping": 8.0, "centres": shape == "lattice"},
    }
    match shape:
        case "sheet":
            body = Sheet(counts=[5, 5], spacing=0.25, law=LAWS["three_element"], mass=3.0, pattern="alternating", **effects)
        case "lattice":
            body = Lattice(counts=[3, 3, 4], spacing=0.2, law=LAWS["three_element"], mass=5.0, **effects)
        case "truss":
            body = Truss(counts=[4, 3, 3], spacing=0.2, law=LAWS["three_element"], mass=5.0, **effects)
    return compile_scene(Scene(gravity=(0.3, -2.0, 0.0), time=Time(end=1.0), body={"body": body}))


def of_material(shape):
    """Pressures in the cells that remember, as a Poisson's ratio and a relaxation time ask for."""
    flows = Material(density=1000.0, youngs_modulus=2e3, poisson=0.4, retardation_time=0.01, relaxation_time=0.05)
    kind = {"sheet": Sheet, "lattice": Lattice, "truss": Truss}[shape]
    counts = (4, 4) if shape == "sheet" else (3, 3, 4)
    body = kind(counts=counts, spacing=0.2, material=flows, elements="links", inversion_barrier={"threshold": 0.25})
    return compile_scene(Scene(gravity=(0.3, -2.0, 0.0), time=Time(end=1.0), body={"body": body}))


def shaken_with_low_cells(compiled, seed):
    """So much that some corners are below the barriers' threshold; a flat body in its plane, embedded nodes in their places."""
    state = shaken(compiled, seed, size=0.08, memory=0.0)
    body = compiled.model.bodies[0]
    if body.dimension == 2:
        state.points[:, [2, 6]] = 0.0
    Runner(compiled.model, SCHEMES["rk4"]).advance(state, compiled.control.stretch(0.0, 1.0), 0, 0, 0.0)
    cells = body.elements.astype(int)
    assert (heights(state.position, cells) < 0.25 * heights(compiled.model.rest_position, cells)).any()
    return state


@pytest.mark.parametrize("dt", [1e-4, 1e-2])
@pytest.mark.parametrize("build", [with_effects, of_material])
@pytest.mark.parametrize("shape", ["sheet", "lattice", "truss"])
def test_a_step_with_cells_and_surfaces_satisfies_backward_euler(shape, build, dt):
    """Against what the explicit schemes evaluate at the same end state, with the memories that it has then."""
    compiled = build(shape)
    start = shaken_with_low_cells(compiled, 2)
    end = stepped(compiled, start, dt)
    assert residual(compiled, start, end, evaluate(compiled, end).force, dt) < TOLERANCE
    masses = slice(0, compiled.model.bodies[0].mass_end)
    np.testing.assert_allclose(end.position[masses], (start.position + dt * end.velocity)[masses], rtol=0, atol=1e-15)


@pytest.mark.parametrize("shape", ["lattice", "truss"])
def test_large_steps_with_many_low_cells_are_solved_or_counted(shape):
    """Barriers that come and go within a large step may leave a little; what is left of more counts as unsolved, and is made again."""
    compiled = with_effects(shape)
    for seed in range(30):
        start = shaken_with_low_cells(compiled, seed)
        end, runner = start.copy(), Runner(compiled.model, IMPLICIT)
        runner.advance(end, compiled.control.stretch(0.0, 1.0), 0, 1, 1e-2)
        assert runner.unsolved or residual(compiled, start, end, evaluate(compiled, end).force, 1e-2) < 2.0 * NEWTON_FAILURE


@pytest.mark.parametrize("shape", ["sheet", "lattice", "truss"])
def test_barriers_take_part_in_the_steps(shape):
    """Without their forces the equations above would not hold: the states are such that barriers push at the end, too."""
    compiled = with_effects(shape)
    end = stepped(compiled, shaken_with_low_cells(compiled, 2), 1e-4)
    assert evaluate(compiled, end).taken != 0.0


def large(law="three_element"):
    """Five blocks of links, so that each of three threads has some; with everything on."""
    effects = {"inversion_barrier": {}, "volume": {"cavity": 500.0, "cells": 700.0}}
    body = Truss(counts=(6, 5, 5), spacing=0.2, law=LAWS[law], mass=5.0, **effects)
    return compile_scene(Scene(gravity=GRAVITY, time=Time(end=1.0), body={"body": body}))


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("law", ["three_element", "generalized_voigt", "generalized_maxwell", "force_dependent_damper"])
def test_threads_agree(law, threads):
    """Sums are taken in another order; the systems are solved to the same tolerance by the same steps."""
    compiled = large(law)
    for record in Runner(compiled.model, SCHEMES["implicit_euler"], threads=threads).crew.records[0]:
        assert record.get("last_block") > record.get("first_block")  # nobody is idle
    start = shaken(compiled, 5, size=0.04)
    one, many = (stepped(compiled, start, 1e-3, steps=5, threads=count) for count in (1, threads))
    np.testing.assert_allclose(many.points, one.points, rtol=0, atol=1e-9)
    np.testing.assert_allclose(internal(many), internal(one), rtol=0, atol=1e-9)
    np.testing.assert_allclose(many.account, one.account, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_thread_count_gives_the_same_bits(threads):
    compiled = large()
    start = shaken(compiled, 5, size=0.04)
    ends = [stepped(compiled, start, 1e-3, steps=5, threads=threads) for _ in range(3)]
    for end in ends[1:]:
        assert end.points.tobytes() == ends[0].points.tobytes()
        assert internal(end).tobytes() == internal(ends[0]).tobytes()
        assert end.account.tobytes() == ends[0].account.tobytes()


def pressed(end=0.5, threads=1, **time):
    """Held below, driven above and let go, driven sideways along one axis only, pushed, under gravity."""
    return Scene(
        gravity=(0.0, 0.0, -2.0),
        time=Time(end=end, frame=0.05, step=0.01, integrator="implicit_euler", threads=threads, **time),
        body={"body": Truss(counts=(4, 4, 4), spacing=0.1, law=LAWS["three_element"], mass=5.0)},
        fix=[Fix(body="body", points="bottom")],
        drive=[
            Drive(body="body", points="top", times=[0.0, 0.2], displacement=[(0, 0, 0), (0.01, 0, -0.05)], release=0.33,
                  interpolation="smooth"),
            Drive(body="body", points=[21], axes="x", times=[0.1, 0.4], displacement=[(0, 0, 0), (0.03, 0, 0)]),
        ],
        force=[Force(body="body", points=[22], times=[0.0], force=[(0.5, 0.0, 0.0)])],
    )  # fmt: skip


def test_held_and_driven_points_end_where_they_should():
    """Not nearly: the solver does not move what is given."""
    compiled = compile_scene(pressed(end=0.3))
    state, rest = simulate(compiled).state, compiled.model.rest_position
    bottom, top = compiled.selections["fix.0"], compiled.selections["drive.0"]
    assert (state.position[bottom] == rest[bottom]).all()
    assert (state.velocity[bottom] == 0.0).all()
    np.testing.assert_allclose(state.position[top] - rest[top], np.tile((0.01, 0, -0.05), (16, 1)), rtol=0, atol=1e-16)
    assert (state.velocity[top] == 0.0).all()
    # caught at 0.1 s where it was then, two thirds of its way; y and z are free
    assert state.position[21, 0] - state.anchor[21, 0] == pytest.approx(0.02, abs=1e-16)
    assert state.velocity[21, 0] == pytest.approx(0.1, rel=1e-12)
    assert abs(state.velocity[21, 1:]).min() > 0.0


@pytest.mark.parametrize("threads", [1, 2])
def test_resumed_it_ends_the_same_bit_for_bit(threads):
    """From any frame on: the Newton steps begin with nothing but the state."""
    seen = {}

    class Keep:
        def observe(self, frame):
            seen[frame.index] = frame.state.copy()

    scene = pressed(threads=threads)
    whole = simulate(scene, observers=[Keep()]).state
    for frame in (1, 4, 7):
        again = simulate(scene, start=(frame, seen[frame])).state
        for name, array in again.arrays().items():
            assert array.tobytes() == whole.arrays()[name].tobytes(), (frame, name)


STIFF_BODIES = {
    "chain": Chain(counts=[8], spacing=0.1, law=Voigt(k=40.0, c=800.0), mass=2.0),
    "truss": Truss(counts=[4, 4, 4], spacing=0.1, law=Voigt(k=40.0, c=800.0), mass=5.0),
}


@pytest.mark.parametrize("shape", STIFF_BODIES)
def test_a_stiff_body_calms_down_at_a_thousand_times_the_explicit_step(shape):
    """The dampers are a thousand times those of the other tests. A chain is shaken along itself: across, pressed links push it out

    of line, and where the stored energy is not convex no scheme of this kind promises that energy falls.
    """
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"body": STIFF_BODIES[shape]}))
    step = 1000.0 * compiled.model.stable_step["semi_implicit_euler"]
    state = shaken(compiled, 3, size=0.005, memory=0.0)
    if shape == "chain":
        state.points[:, [1, 2, 5, 6]] = 0.0
    energies = [energy(compiled, state)]
    for _ in range(40):
        state = stepped(compiled, state, step)
        energies.append(energy(compiled, state))
    assert state.is_finite()
    assert (np.diff(energies) <= 1e-12 * energies[0]).all()
    mass, velocity = compiled.model.point.mass, state.velocity
    centre = mass @ velocity / mass.sum()  # what is left is the motion as a whole, and springs that dampers hold back
    assert 0.5 * mass @ ((velocity - centre) ** 2).sum(axis=1) < 0.05 * energies[0]


@pytest.mark.parametrize("shape", STIFF_BODIES)
def test_explicit_schemes_cannot_do_that(shape):
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"body": STIFF_BODIES[shape]}))
    state = shaken(compiled, 3, size=0.005, memory=0.0)
    runner = Runner(compiled.model, SCHEMES["semi_implicit_euler"])
    step = 1000.0 * compiled.model.stable_step["semi_implicit_euler"]
    with np.errstate(all="ignore"):
        runner.advance(state, compiled.control.stretch(0.0, 1.0), 0, 40, step)
    assert not (state.is_finite() and energy(compiled, state) < 1e6)


def momentum_error(shape, law, dt):
    """Change of the momentum of a free body in 100 steps, over the momenta of all points."""
    compiled = compiled_body(shape, LAWS[law])
    start = shaken(compiled, 3)
    end = stepped(compiled, start, dt, steps=100)
    mass = compiled.model.point.mass[:, None]
    return np.abs((mass * (end.velocity - start.velocity)).sum(axis=0)).max() / np.abs(mass * start.velocity).sum()


@cache
def largest_momentum_error():
    laws = ("voigt", "three_element", "generalized_maxwell", "internal_friction")
    return max(momentum_error(shape, law, dt) for shape in SHAPES for law in laws for dt in (1e-4, 1e-2))


def test_momentum_is_kept_as_well_as_steps_are_solved():
    assert largest_momentum_error() < 1e-6


def test_momentum_of_a_free_body_is_conserved():
    assert largest_momentum_error() < 1e-9


def test_a_thrown_body_deforms_as_one_at_rest():
    compiled = compiled_body("truss", LAWS["three_element"])
    still = shaken(compiled, 3, speed=0.0)
    thrown = still.copy()
    thrown.velocity[:, 0] = 100.0
    one, other = (stepped(compiled, state, 1e-3, steps=100) for state in (still, thrown))
    other.position[:, 0] -= 0.1 * 100.0
    moved = np.abs(one.position - still.position).max()
    assert np.abs(other.position - one.position).max() < 1e-6 * moved


@pytest.mark.parametrize("ratio", [0.9, 1.1])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler", "quasi_static"])
def test_the_hint_at_implicit_steps(integrator, ratio):
    """Only where ten of them per frame cost less than the explicit ones."""

    def scene(frame):
        body = Truss(counts=(3, 3, 3), spacing=0.1, law=LAWS["voigt"], mass=5.0)
        return Scene(time=Time(end=1e5, frame=frame, integrator=integrator), body={"body": body})

    explicit = integrator if not SCHEMES[integrator].is_implicit else "rk4"
    stable = compile_scene(scene(1e3)).model.stable_step[explicit]
    plan = plan_steps(compile_scene(scene(ratio * STEPS_PER_FRAME * IMPLICIT_COST * stable)))
    expected = ratio > 1.0 and not SCHEMES[integrator].is_implicit
    assert plan.is_stiff is expected
    assert ('take integrator = "quasi_static"' in plan.notice()) is expected
    assert ("5,500 steps per frame" in plan.notice()) is expected


def test_any_step_is_stable():
    """The user's own, however large, is not split."""
    compiled = compile_scene(pressed(end=0.3))
    assert compiled.model.stable_step["implicit_euler"] > 1e5
    plan = plan_steps(compiled)
    assert (plan.largest_step, plan.is_split) == (0.01, False)


def test_euler_is_still_refused_without_damping():
    body = Truss(counts=(3, 3, 3), spacing=0.1, law=Voigt(k=40.0, c=0.0), mass=5.0)
    with pytest.raises(SceneError, match=r"time\.integrator: euler has no stable step.*use semi_implicit_euler or rk4"):
        compile_scene(Scene(time=Time(end=1.0, integrator="euler"), body={"body": body}))
    compile_scene(Scene(time=Time(end=1.0, integrator="implicit_euler"), body={"body": body}))


def test_a_step_that_cannot_be_solved_stops_the_run(monkeypatch):
    """However small it is made: the run says so, with the time of the step, and keeps the last good state."""
    advance = Runner.advance

    def bad(self, state, control, first, steps, dt):
        made = advance(self, state, control, first, steps, dt)
        if state.time <= 0.035 < state.time + steps * dt:
            self.counts[UNSOLVED] += 1.0
        return made

    monkeypatch.setattr(Runner, "advance", bad)
    scene = Scene(
        time=Time(end=0.1, frame=0.02, step=0.005, integrator="implicit_euler"), body={"body": body_of("truss", LAWS["voigt"])}
    )
    result = simulate(scene, strict=False)
    assert result.status is StepStatus.NOT_SOLVED
    assert result.state.time == pytest.approx(0.02)
    assert result.failure.time == pytest.approx(0.035, abs=1e-3)


def test_a_body_at_rest_is_solved_at_once():
    """Nothing but rounding is left to solve: no step counts as unsolved, and none is made smaller."""
    body = body_of("truss", LAWS["voigt"])
    press = Drive(body="body", points="top", times=[0.0, 0.2], displacement=[(0, 0, 0), (0, 0, -0.01)], interpolation="smooth")
    scene = Scene(
        time=Time(end=20.0, frame=1.0, step=0.1, integrator="implicit_euler"), body={"body": body}, drive=[press],
        fix=[Fix(body="body", points="bottom")],
    )  # fmt: skip
    result = simulate(scene)
    assert result.state.step_count == 200
    assert result.state.pace[0] == 1.0
