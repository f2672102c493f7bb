"""Every fast path meets the slow one: kernels against `reference.py`."""

import numpy as np
import pytest

import reference
import yawara.laws as laws
from helpers import EXPLICIT, LAWS, SHAPES, compiled_body, internal, memories, shaken, term
from yawara import Drive, Fix, Force, Lattice, Scene, Time, Truss, Voigt, compile_scene, simulate
from yawara.core.control import Control
from yawara.core.state import DISSIPATED
from yawara.frame import Frame
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner

ROUNDING = 1e-12  # of forces of about 10 N, sums of some ten terms


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_forces_and_energies_agree_on_random_states(shape, law):
    compiled = compiled_body(shape, LAWS[law])
    for seed in range(3):
        state = shaken(compiled, seed)
        frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0)
        force, _, stored, power = reference.forces(compiled, state.position, state.velocity, memories(compiled, state))
        assert np.abs(frame.evaluation.force - force).max() <= ROUNDING * np.abs(force).max()
        assert frame.evaluation.stored == pytest.approx(stored, rel=ROUNDING)
        assert frame.evaluation.dissipation == pytest.approx(power, rel=ROUNDING)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("scheme", EXPLICIT)
@pytest.mark.parametrize("law", LAWS)
def test_steps_agree(law, scheme, threads):
    """Small enough for one block: with more threads than that, the others have nothing to do and must not disturb."""
    compare_steps(compiled_body("truss", LAWS[law], gravity=(0.3, 0.0, -2.0)), scheme, threads, steps=12)


def compare_steps(compiled, scheme, threads, steps, dt=1e-3):
    compiled.state.assign(shaken(compiled, 7))
    internal(compiled.state)[:] = 0.0  # the reference begins without
    state = compiled.state.copy()
    runner = Runner(compiled.model, SCHEMES[scheme], threads=threads)
    runner.advance(state, Control(compiled.model.point_count).stretch(0.0, 1.0), 0, steps, dt)
    runner.close()
    x, v, memory = reference.run(compiled, scheme, steps, dt)
    assert np.abs(state.position - x).max() <= 1e-13
    assert np.abs(state.velocity - v).max() <= 1e-12
    assert np.abs(np.array(memories(compiled, state)) - np.array(memory)).max() <= 1e-13


def test_a_changed_coefficient_is_noticed():
    """The comparison is sensitive: one part in a million of the stiffness shows."""
    law = LAWS["three_element"]
    near = law.model_copy(update={"k1": law.k1 * (1 + 1e-6)})
    one, other = compiled_body("truss", law), compiled_body("truss", near)
    state = shaken(one, 1)
    forces = [
        Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force for compiled in (one, other)
    ]
    assert np.abs(forces[0] - forces[1]).max() > 1e3 * ROUNDING * np.abs(forces[0]).max()


def test_bodies_of_different_laws_share_the_arrays():
    bodies = {name: compiled_body("truss", law).scene.body["body"] for name, law in LAWS.items()}
    placed = {name: body.model_copy(update={"origin": (2.0 * n, 0.0, 0.0)}) for n, (name, body) in enumerate(bodies.items())}
    together = compile_scene(Scene(time=Time(end=1.0), body=placed))
    state = shaken(together, 3)
    frame = Frame(0, together.model, state, together.control.stretch(0.0, 1.0), 0.0)
    force, *_ = reference.forces(together, state.position, state.velocity, memories(together, state))
    assert np.abs(frame.evaluation.force - force).max() <= ROUNDING * np.abs(force).max()


def test_same_thread_count_gives_the_same_bits():
    compiled = compiled_body("lattice", LAWS["three_element"])
    ends = []
    for _ in range(3):
        state = shaken(compiled, 5)
        runner = Runner(compiled.model, SCHEMES["rk4"], threads=2)
        runner.advance(state, compiled.control.stretch(0.0, 1.0), 0, 200, 1e-3)
        runner.close()
        ends.append(state)
    assert all(np.array_equal(ends[0].points, end.points) and np.array_equal(internal(ends[0]), internal(end)) for end in ends)


def test_links_of_no_length_give_no_force_and_no_nan():
    compiled = compiled_body("chain", LAWS["three_element"])
    state = compiled.state.copy()
    state.position[1] = state.position[0]
    frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0)
    assert np.isfinite(frame.evaluation.force).all()
    assert frame.evaluation.force[0] == pytest.approx([0.0, 0.0, 0.0])


def many_blocks(law):
    """A truss of 661 links: five blocks, so that each of three threads has links and points of its own."""
    return Truss(counts=(6, 5, 5), spacing=0.2, law=law, mass=5.0)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("scheme", EXPLICIT)
@pytest.mark.parametrize("law", ["three_element", "generalized_voigt", "generalized_maxwell"])
def test_steps_of_many_blocks_agree(law, scheme, threads):
    compiled = compile_scene(Scene(gravity=(0.3, 0.0, -2.0), time=Time(end=1.0), body={"body": many_blocks(LAWS[law])}))
    runner = Runner(compiled.model, SCHEMES[scheme], threads=threads)
    for record in runner.crew.records[0]:
        assert record.get("last_block") > record.get("first_block")  # nobody is idle
    compare_steps(compiled, scheme, threads, steps=4)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_share_drives_forces_and_the_account(threads):
    def run(threads):
        press = Drive(
            body="body", points="top", times=[0.0, 0.1], displacement=[(0, 0, 0), (0, 0, -0.05)], interpolation="smooth"
        )
        push = Force(body="body", points="all", times=[0.0], force=[(2.0, 1.0, 0.0)])
        return simulate(
            Scene(
                gravity=(0.0, 0.0, -1.0),
                time=Time(end=0.1, frame=0.05, step=1e-3, integrator="rk4", threads=threads),
                body={"body": many_blocks(LAWS["three_element"])},
                fix=[Fix(body="body", points="bottom")],
                drive=[press],
                force=[push],
            )
        ).state

    one, many = run(1), run(threads)
    np.testing.assert_allclose(many.points, one.points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(internal(many), internal(one), rtol=0, atol=1e-13)
    np.testing.assert_allclose(many.account, one.account, rtol=1e-11)
    assert (one.account[: DISSIPATED + 1] != 0).all()


def test_a_body_too_large_for_the_cache():
    law = Voigt(k=40.0, c=0.8)
    compiled = compile_scene(
        Scene(time=Time(end=1.0), body={"body": Lattice(counts=(15, 15, 15), spacing=0.2, law=law, mass=5.0)})
    )
    assert term(compiled, "links").packed.arrays.block_stride[0] > 30_000
    state, rest = shaken(compiled, 1, memory=0.0), compiled.model.rest_position
    a, b = compiled.model.bodies[0].links.T
    delta, dv = state.position[b] - state.position[a], state.velocity[b] - state.velocity[a]
    length = np.linalg.norm(delta, axis=1)
    f = law.k * (length - np.linalg.norm(rest[b] - rest[a], axis=1)) + law.c * (delta * dv).sum(axis=1) / length
    force = np.zeros_like(rest)
    np.add.at(force, a, (f / length)[:, None] * delta)
    np.add.at(force, b, -(f / length)[:, None] * delta)
    found = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force
    assert np.abs(found - force).max() <= 1e-12 * np.abs(force).max()


def test_a_steep_damper_agrees():
    """c1 far above c_min: only Newton's method with its full slope finds the force."""
    law = laws.ForceDependentDamper(k1=40.0, c1=8.0, c_max=60.0, c_min=0.6, f1=0.2, f2=1.5)
    compiled = compiled_body("truss", law)
    for seed in range(3):
        state = shaken(compiled, seed)
        frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0)
        force, _, _, power = reference.forces(compiled, state.position, state.velocity, memories(compiled, state))
        assert np.abs(frame.evaluation.force - force).max() <= 1e-12 * np.abs(force).max()
        assert frame.evaluation.dissipation == pytest.approx(power, rel=1e-12)
