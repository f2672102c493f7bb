"""Crowds of bodies on bodies: contacts begin with the forces of the last step, so a few sweeps a step are enough."""

import numpy as np
import pytest
import trimesh

from yawara import Drive, Filled, Material, Scene, Time, Truss, Voigt, compile_scene
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.observe.energies import balance_error
from yawara.scene.tools import Floor
from yawara.simulate import simulate
from yawara.terms.contact.internal import KEY, SUM
from yawara.terms.contact.solve import CLOSE, FEW
from yawara.tools.contact import Contact

G, SPACING = 9.81, 0.01
SOFT = Material(youngs_modulus=2e4, density=1200.0, retardation_time=1e-3, poisson=0.25)


def slabs(side=10, end=0.3):
    """One slab lies on the other, out of step with it."""
    slab = {"counts": [side, side, 2], "spacing": SPACING, "density": 1000.0, "law": Voigt(k=1000.0, c=0.5)}
    bodies = {"lower": Truss(**slab), "upper": Truss(**slab, origin=(0.3 * SPACING, 0.4 * SPACING, SPACING))}
    return compile_scene(
        Scene(
            gravity=(0, 0, -G),
            time=Time(end=end, frame=0.01),
            body=bodies,
            tool={"floor": Floor(friction=0.3)},
            contact=Contact(friction=0.3),
        )
    )


def test_a_slab_rests_on_another_by_the_forces_that_are_remembered():
    """More contacts than are solved to the end; at rest the forces between the bodies bear the upper one's weight."""
    compiled = slabs()
    result = simulate(compiled)
    history, memory = result.history, result.state.blocks["contact.internal"]
    held = memory[memory[:, KEY] > 1.0]  # the floor is 1
    assert len(held) > FEW
    weight = G * compiled.model.point.mass[compiled.model.bodies[1].points].sum()
    assert held[:, SUM].sum() == pytest.approx(weight, rel=1e-4)  # faces are flat, so all of it is upwards
    assert -history["floor.force_z"][-1] == pytest.approx(2.0 * weight, rel=1e-5)
    assert history["contact.penetration"].max() < 10.0 * CLOSE * SPACING * np.sqrt(2.0)
    assert balance_error(history) < 1e-4


def test_what_is_remembered_is_part_of_the_state():
    """A run that is taken up again in the middle goes on bit for bit."""
    compiled = slabs()
    dt = 0.5 * compiled.model.stable_step["semi_implicit_euler"]
    control = compiled.control.stretch(0.0, 1.0)
    whole, halves = compiled.state.copy(), compiled.state.copy()
    Runner(compiled.model, SCHEMES["semi_implicit_euler"]).advance(whole, control, 0, 80, dt)
    for part in range(2):
        runner = Runner(compiled.model, SCHEMES["semi_implicit_euler"])
        runner.advance(halves, control, 40 * part, 40, dt)
        halves = halves.copy()
    assert (whole.blocks["contact.internal"][:, SUM] > 0.0).sum() > FEW
    assert (whole.points == halves.points).all()
    assert all(
        (whole.blocks[name] == halves.blocks[name]).all() for name in whole.blocks if name not in ("contact.sought", "account")
    )
    np.testing.assert_allclose(
        halves.blocks["account"], whole.blocks["account"], rtol=1e-14
    )  # sums by calls, here of other lengths


def test_what_is_held_forgets_what_it_bore(tmp_path):
    """The skin of a filled body lies on a floor; then a drive holds all of its points, and the floor bears nothing."""
    path = tmp_path / "cube.stl"
    trimesh.creation.box((0.03, 0.03, 0.03)).export(path)
    body = Filled(file=str(path), spacing=0.01, material=SOFT, elements="links", origin=(0.0, 0.0, 0.015))
    rest = Drive(body="a", points="all", axes="z", times=[0.3, 0.5], displacement=[(0, 0, 0), (0, 0, 0)])
    scene = Scene(gravity=(0, 0, -G), time=Time(end=0.5, frame=0.01), body={"a": body}, tool={"floor": Floor()}, drive=[rest])
    force = simulate(scene).history["floor.force_z"]
    assert force[29] < 0.0
    assert (force[32:] == 0.0).all()
