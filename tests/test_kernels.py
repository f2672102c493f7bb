"""Every fast path meets the slow one: kernels against `reference.py`."""

import numpy as np
import pytest

import reference
from helpers import LAWS, SHAPES, compiled_body, memories, shaken
from yawara.control import Control
from yawara.frame import Frame
from yawara.integrators import SCHEMES
from yawara.integrators.runner import Runner

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
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("law", LAWS)
def test_steps_agree(law, scheme, threads):
    compiled = compiled_body("truss", LAWS[law], gravity=(0.3, 0.0, -2.0))
    start = shaken(compiled, 7)
    compiled.state.assign(start)
    compiled.state.memory[:] = 0.0  # the reference begins without memories
    state, dt, steps = compiled.state.copy(), 1e-3, 12
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
    from yawara.scene.compile import compile_scene
    from yawara.scene.scene import Scene, Time

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
    assert all(np.array_equal(ends[0].points, end.points) and np.array_equal(ends[0].memory, end.memory) for end in ends)


def test_links_of_no_length_give_no_force_and_no_nan():
    compiled = compiled_body("chain", LAWS["three_element"])
    state = compiled.state.copy()
    state.position[1] = state.position[0]
    frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0)
    assert np.isfinite(frame.evaluation.force).all()
    assert frame.evaluation.force[0] == pytest.approx([0.0, 0.0, 0.0])
