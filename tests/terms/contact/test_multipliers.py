"""Contact in implicit steps by multipliers: forces are what keeps things apart, whatever the step, and nothing penetrates."""

import numpy as np
import pytest

from yawara import Drive, Fix, Scene, StepStatus, simulate
from yawara.observe.energies import balance_error

SPACING = 0.01  # [m]
FAR_TOO_LITTLE = 1e-6 * SPACING  # [m]: penetration that is none, a hundred times what the solver allows


def block(counts=(3, 3, 3), origin=(0.0, 0.0, 0.0), **material):
    made_of = {"youngs_modulus": 2e4, "density": 1200.0, "retardation_time": 1e-2} | material
    return {"shape": "truss", "counts": list(counts), "spacing": SPACING, "origin": list(origin), "material": made_of}


def scene(step, end, body, tool, friction=0.0, **more):
    contact = {"method": "impulse", "friction": friction, "itself": False} | more.pop("contact", {})
    time = {"end": end, "frame": end / 10, "step": step, "integrator": "implicit_euler"}
    return Scene.model_validate(
        {"gravity": (0.0, 0.0, -9.81), "time": time, "body": body, "tool": tool, "contact": contact} | more
    )


def plate(down, times, friction=0.0):
    """Comes down by `down` and stays."""
    motion = {"type": "path", "times": times, "displacement": [[0, 0, 0], [0, 0, -down]]}
    return {"shape": "plate", "size": [0.2, 0.2, 0.02], "origin": [0.01, 0.01, 0.02], "friction": friction, "motion": motion}


def weight(mass):
    return 9.81 * mass


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("step", [1e-3, 1e-2, 0.3])
def test_a_floor_bears_the_weight_at_any_step(step, friction):
    result = simulate(scene(step, 20 * max(step, 0.05), {"a": block()}, {"floor": {"shape": "floor", "friction": friction}}))
    assert result.history["floor.force_z"][-1] == pytest.approx(-weight(1200.0 * (2 * SPACING) ** 3), rel=1e-4)
    assert abs(result.history["contact.penetration"]).max() < FAR_TOO_LITTLE


def held_force(step):
    """By a plate, on an elastic block that slides freely."""
    tools = {"floor": {"shape": "floor"}, "plate": plate(0.004, [0.0, 1.0])}
    return simulate(scene(step, 3.0, {"a": block()}, tools, gravity=(0.0, 0.0, 0.0)))


def test_a_plate_feels_what_holds_the_same_points_by_their_height():
    """Without friction a plate does to the top what a drive along z does; the solvers share no code of contacts."""
    press = Drive(body="a", points="top", axes="z", times=[0.0, 1.0], displacement=[(0, 0, 0), (0, 0, -0.004)])
    stand = Fix(body="a", points="bottom", axes="z")
    held = simulate(scene(0.1, 3.0, {"a": block()}, {}, gravity=(0.0, 0.0, 0.0), drive=[press], fix=[stand]))
    expected = abs(held.history["drive1.force_z"][-1])
    for step in (0.3, 0.1, 0.01):
        found = held_force(step)
        assert found.history["plate.force_z"][-1] == pytest.approx(expected, rel=1e-4)
        assert abs(found.history["contact.penetration"]).max() < FAR_TOO_LITTLE
        assert balance_error(found.history) < 1e-4


def slope(friction, end=1.0):
    """A block on a floor that is tilted by 12 degrees, where it begins at rest."""
    angle = np.radians(12.0)
    g = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    made = scene(0.01, end, {"a": block()}, {"floor": {"shape": "floor", "friction": friction}}, gravity=g)
    return simulate(made), angle


def test_friction_holds_a_block_on_a_slope():
    result, angle = slope(0.3)
    force = [result.history[f"floor.force_{axis}"][-1] for axis in "xz"]
    assert abs(force[0] / force[1]) == pytest.approx(np.tan(angle), rel=1e-4)
    assert np.abs(result.state.velocity[:27]).max() < 1e-6


def test_a_block_slides_down_a_slope_as_coulomb_says():
    """v = g t (sin - mu cos); backward Euler keeps a constant acceleration, and a soft block leans back by what its springs give."""
    result, angle = slope(0.1)
    expected = 9.81 * (np.sin(angle) - 0.1 * np.cos(angle))
    assert result.state.velocity[:27, 0].mean() == pytest.approx(expected, rel=0.01)
    force = [result.history[f"floor.force_{axis}"][-1] for axis in "xz"]
    assert abs(force[0] / force[1]) == pytest.approx(0.1, rel=1e-4)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_bodies_bear_each_other(friction):
    bodies = {"below": block((4, 4, 3)), "above": block((2, 2, 2), (0.011, 0.009, 0.0202))}
    result = simulate(scene(0.01, 1.5, bodies, {"floor": {"shape": "floor", "friction": 0.5}}, friction))
    masses = 1200.0 * (0.03 * 0.03 * 0.02 + SPACING**3)
    assert result.history["floor.force_z"][-1] == pytest.approx(-weight(masses), rel=1e-3)
    lowest = result.state.position[48:56, 2].min()
    assert lowest > 0.018  # on top of the other, which its own weight presses by far less


def test_a_tool_that_is_pushed_rests_on_a_block():
    tool = {"shape": "plate", "size": [0.2, 0.2, 0.02], "origin": [0.01, 0.01, 0.021], "mass": 0.05, "motion": {"type": "pushed"}}
    result = simulate(scene(0.02, 3.0, {"a": block()}, {"floor": {"shape": "floor", "friction": 0.5}, "plate": tool}))
    masses = 1200.0 * (2 * SPACING) ** 3 + 0.05
    assert result.history["floor.force_z"][-1] == pytest.approx(-weight(masses), rel=1e-3)
    assert result.history["plate.force_z"][-1] == pytest.approx(weight(0.05), rel=1e-3)


def slow_press(count, friction):
    """Dough pressed by a plate over 80 s, held, and let go."""
    side, spacing = 0.04, 0.04 / (count - 1)
    body = block((count,) * 3, relaxation_time=5.0) | {"spacing": spacing}
    motion = {"type": "path", "times": [0, 24, 48, 72], "displacement": [[0, 0, 0], [0, 0, -0.012], [0, 0, -0.012], [0, 0, 0]]}
    top = {
        "shape": "plate",
        "size": [0.1, 0.1, 0.02],
        "origin": [side / 2, side / 2, 0.0405],
        "friction": friction,
        "motion": motion,
    }
    made = scene(0.33, 80.0, {"a": body}, {"floor": {"shape": "floor", "friction": friction}, "plate": top})
    return made.model_copy(update={"time": made.time.model_copy(update={"frame": 1.0})})


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("count", [3, 5])
def test_a_slow_press_needs_no_smaller_steps(count, friction):
    """Four for each frame, and hardly any more where cells snap through: explicitly it would be millions."""
    result = simulate(slow_press(count, friction))
    assert result.status is StepStatus.DONE
    assert result.state.step_count < 1.1 * 320
    assert balance_error(result.history) < 0.01
    assert abs(result.history["contact.penetration"]).max() < 1e-6 * 0.04


def test_a_tool_does_nothing_to_points_that_are_held():
    """Nothing could keep them outside, and the step would never be solved."""
    tools = {"floor": {"shape": "floor"}, "plate": plate(0.004, [0.0, 1.0])}
    made = scene(0.1, 2.0, {"a": block()}, tools, fix=[Fix(body="a", points="all")])
    assert simulate(made).history["plate.force_z"][-1] == 0.0


def many_corners(count, friction, integrator):
    """A plate that goes down and up on a path of 112 corners at uneven times, faster and slower from one to the next; 80 s."""
    made = slow_press(count, friction)
    rng = np.random.default_rng(4)
    times = np.concatenate([[0.0], np.sort(rng.uniform(1.0, 78.0, 110)), [79.0]])
    depth = 0.012 * np.sin(np.pi * times / 79.0) * (0.75 + 0.25 * np.cos(2.0 * np.pi * 14.0 * times / 79.0))
    motion = {"type": "path", "times": times, "displacement": [(0.0, 0.0, -z) for z in depth]}
    tool = {"floor": {"shape": "floor", "friction": friction}, "plate": made.tool["plate"].model_dump() | {"motion": motion}}
    time = made.time.model_dump() | {"integrator": integrator}
    return Scene.model_validate(made.model_dump() | {"tool": tool, "time": time}), times


class Times:
    """[s], at which steps end."""

    def __init__(self):
        self.ends = [0.0]

    def observe(self, frame):
        for step in frame.log[:, -1]:
            self.ends.append(self.ends[-1] + step)


@pytest.mark.filterwarnings("ignore:The implicit scheme itself", "ignore:Body 'a'")
@pytest.mark.parametrize("integrator", ["implicit_euler", "quasi_static"])
@pytest.mark.parametrize(("count", "friction"), [(3, 0.0), (3, 0.3), (4, 0.3)])
def test_a_path_with_many_corners(count, friction, integrator):
    """Steps end at its corners. A contact that lasts takes nothing where the plate changes its speed; those that land, and friction, do."""
    made, times = many_corners(count, friction, integrator)
    seen = Times()
    result = simulate(made, observers=[seen])
    assert result.status is StepStatus.DONE
    assert max(np.abs(np.array(seen.ends) - time).min() for time in times) < 1e-9
    taken, work = result.history["energy.contact"], result.history["energy.work_of_drives"].max()
    # eight steps in a row of the history, two tools that feel 1.7 N, gaps that are met to 8e-10 m on either side: 4e-8 J of 0.01 J
    assert np.diff(taken).min() > -1e-5 * work
    assert balance_error(result.history) < 0.01
    assert result.history["contact.penetration"].max() < FAR_TOO_LITTLE


@pytest.mark.parametrize("interpolation", ["linear", "smooth"])
def test_a_press_gets_its_work_from_the_drive_and_contact_takes_none(interpolation):
    """Work is the force at the end of a step times the plate's way, on straight and on curved paths."""
    motion = {"type": "path", "times": [0.0, 1.0, 3.0], "displacement": [[0, 0, 0], [0, 0, -0.002], [0, 0, -0.004]]}
    tools = {
        "floor": {"shape": "floor"},
        "plate": plate(0.004, [0.0, 1.0]) | {"motion": motion | {"interpolation": interpolation}},
    }
    made = scene(0.1, 3.0, {"a": block()}, tools, gravity=(0.0, 0.0, 0.0))
    made = made.model_copy(update={"time": made.time.model_copy(update={"frame": 0.1})})
    history = simulate(made).history
    where = -np.interp(history["time"], [0.0, 1.0, 3.0], [0.0, 0.002, 0.004])
    if interpolation == "smooth":
        where = simulate(made).history["a.height"]
    work = -np.cumsum(history["plate.force_z"][1:] * np.diff(where))
    assert history["energy.work_of_drives"][1:] == pytest.approx(work, rel=1e-6, abs=1e-9)
    landing = (
        0.5 * 1200.0 * (2 * SPACING) ** 2 * (SPACING / 2) * 0.002**2
    )  # [J], of the upper layer, half a cell, at the plate's speed
    assert np.abs(history["energy.contact"]).max() < 1.1 * landing


def test_a_roller_that_turns_freely_is_booked_in_implicit_steps():
    """It is pressed into a strip and led along it: what it turns with was work of its drive."""
    way = {"type": "path", "times": [0.0, 0.05, 0.3], "displacement": [[0, 0, 0], [0, 0, -0.002], [0.03, 0, -0.002]]}
    roller = {
        "shape": "cylinder", "radius": 0.01, "length": 0.05, "rotation": [0.0, 0.0, 1.5707963], "origin": [0.005, 0.01, 0.03],
        "mass": 0.2, "friction": 0.9, "turn": {"type": "free"}, "motion": way,
    }  # fmt: skip
    stand = Fix(body="a", points="bottom")
    found = simulate(scene(1e-3, 0.3, {"a": block((6, 3, 3))}, {"roller": roller}, gravity=(0.0, 0.0, 0.0), fix=[stand]))
    turning = found.state.points[found.compiled.model.tool_points[0], 7]
    assert turning == pytest.approx(0.03 / 0.25 / 0.01, rel=0.2)  # [rad/s]: it rolls
    assert balance_error(found.history) < 1e-3
