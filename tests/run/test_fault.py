"""What is wrong with a state, and which element is to blame."""

import numpy as np

from helpers import LAWS, internal, places_of
from yawara import Scene, Time, Truss, compile_scene
from yawara.fault import fault_of, guilty_element
from yawara.status import StepStatus


def two_blocks():
    block = {"counts": (3, 3, 3), "spacing": 0.01, "density": 1200.0, "law": LAWS["three_element"]}
    return compile_scene(Scene(time=Time(end=1.0), body={"one": Truss(**block), "two": Truss(**block, origin=(0.1, 0.0, 0.0))}))


def test_a_memory_that_is_not_finite_is_a_fault_of_its_link():
    compiled = two_blocks()
    state, body = compiled.state.copy(), compiled.model.body("two")
    internal(state)[places_of(compiled, "two")[4]] = np.nan
    assert fault_of(compiled.model, state) is StepStatus.NOT_FINITE
    a, b = body.links[4].astype(int) - 27
    assert guilty_element(compiled.model, state) == ("two", f"link 4 (points {a}, {b})")


def test_a_point_that_is_not_finite_is_worse_than_a_far_one():
    compiled = two_blocks()
    state = compiled.state.copy()
    state.position[3] = 1e30
    assert fault_of(compiled.model, state) is StepStatus.FLOWN_APART
    assert guilty_element(compiled.model, state) == ("one", "point 3")
    state.position[27 + 5] = np.nan
    assert fault_of(compiled.model, state) is StepStatus.NOT_FINITE
    assert guilty_element(compiled.model, state) == ("two", "point 5")


def test_a_body_far_from_the_origin_has_not_flown_apart():
    block = Truss(counts=(3, 3, 3), spacing=0.01, density=1200.0, law=LAWS["voigt"], origin=(1e5, 0.0, 0.0))
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"block": block}))
    assert fault_of(compiled.model, compiled.state) is None
