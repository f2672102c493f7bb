"""Calls every kernel of a part once, on a small body: that compiles them."""

from typing import Any

import numpy as np


def compile_part(part: str) -> None:
    """In a process that does nothing else: it must not run what it compiled."""
    model, state, control = _small_body()
    if part == "forces":
        _forces(model, state, control)
    elif part == "watch":
        _watch(model, state, control)
    else:
        _steps(model, state, control, "implicit_euler" if part == "implicit" else "rk4")


def _small_body() -> tuple[Any, Any, Any]:
    from yawara.control import Control
    from yawara.laws import Voigt
    from yawara.model import Model
    from yawara.scene.bodies import Truss
    from yawara.scene.build import kernel_arrays, pieces_of
    from yawara.scene.contact import Contact
    from yawara.scene.scene import Scene, Time
    from yawara.scene.tools import Floor
    from yawara.scene.tools.build import tool_turns
    from yawara.state import State

    body = Truss(counts=(2, 2, 2), spacing=1.0, mass=1.0, law=Voigt(k=1.0, c=1.0))
    scene = Scene(time=Time(end=1.0), body={"body": body}, tool={"floor": Floor()}, contact=Contact())
    pieces = pieces_of(scene, {"body": body.geometry()}, {"body": 0})
    arrays, position, *_ = kernel_arrays(scene, pieces)
    model = Model(arrays, (), position, {}, int(arrays.triangle.memory[0]))
    state = State.at_rest(model, np.zeros((len(position), 4)))
    return model, state, Control(len(position), turns=tool_turns(scene.tool)).stretch(0.0, 1.0)


def _forces(model: Any, state: Any, control: Any) -> None:
    from yawara.frame import Frame

    _ = Frame(0, model, state, control, 0.0).evaluation


def _watch(model: Any, state: Any, control: Any) -> None:
    from yawara.contact.speed import greatest_speed
    from yawara.fault import fault_of
    from yawara.forces.operator import no_slopes
    from yawara.held import hold
    from yawara.integrators.watch import PowerIteration

    arrays = model.arrays
    iteration = PowerIteration(arrays, np.zeros(1, np.int64))
    iteration.turn(state.points, hold(no_slopes(arrays)), iteration.noise(0))
    fault_of(model, state)
    greatest_speed(
        arrays.contact.node, arrays.tool.point, arrays.tool.form, state.points.reshape(-1), control.turn, control.drive
    )


def _steps(model: Any, state: Any, control: Any, scheme: str) -> None:
    from yawara.integrators import SCHEMES
    from yawara.integrators.runner import Runner

    Runner(model, SCHEMES[scheme]).advance(state, control, 0, 0, 0.0)
