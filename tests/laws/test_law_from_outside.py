"""A law that lives in this file: no file of the package knows it.

A spring that gives way as it is stretched and stiffens as it is pressed, with a damper beside it and one in series:

    f = k l0 ln(1 + e/l0) + c1 (ldot - qdot),   qdot = f/c2,   e = l - l0 - q        (Hencky's measure of strain)
"""

import math
import sys
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from numba import uint64 as U
from scipy.integrate import solve_ivp

from yawara import Chain, Drive, Fix, Force, Scene, Time, Truss, compile_scene, simulate
from yawara.core.response import damped_response
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.base import LAWS, Law, PositiveStiffness, PositiveViscosity, Viscosity
from yawara.laws.block import SMALLEST_LENGTH2, Column
from yawara.methods.fields import Fields
from yawara.observe.energies import balance_error
from yawara.scene.file import read_scene

REST, K, C1, C2 = range(4)
NEWTON_STEPS = 30


# ---- the family: what links ask


def columns(parts):
    return Column("rest_length", "m", None), Column("k", "N/m", 1), Column("c1", "N s/m", 1), Column("c2", "N s/m", 1)


def tension(block):
    count, c, m, stride, coefficient, internal = (
        block.count,
        block.column,
        block.place,
        block.stride,
        block.coefficient,
        block.internal,
    )
    length2, stretching, factor, rate = block.length2, block.stretching, block.factor, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        rest, k = coefficient[c + t], coefficient[c + U(K) * stride + t]
        c1, c2 = coefficient[c + U(C1) * stride + t], coefficient[c + U(C2) * stride + t]
        e = length2[t] * inverse - rest - internal[m + t]
        f = (k * rest * math.log1p(e / (rest + 1e-300)) + c1 * (stretching[t] * inverse)) / (1.0 + c1 / c2)
        rate[t] = f / c2
        factor[t] = f * inverse


def energy(block):
    count, c, m, stride, coefficient, internal = (
        block.count,
        block.column,
        block.place,
        block.stride,
        block.coefficient,
        block.internal,
    )
    length2, stretching, factor, rate, damper = block.length2, block.stretching, block.factor, block.internal_rate, block.damper
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length, rest = length2[t] * inverse, coefficient[c + t]
        x = (length - rest - internal[m + t]) / (rest + 1e-300)
        stored += coefficient[c + U(K) * stride + t] * rest * rest * ((1.0 + x) * math.log1p(x) - x)
        free = stretching[t] * inverse - rate[t]
        damper[t] = coefficient[c + U(C1) * stride + t] * free
        power += damper[t] * free + factor[t] * length * rate[t]
    block.stored, block.power = stored, power


def implicit(block):
    """f' (1 + c1/c2) = k l0 ln(1 + (d' - q - dt f'/c2)/l0) + c1 ldot', by Newton's method from above: the right side is concave."""
    count, c, m, stride, dt = block.count, block.column, block.place, block.stride, block.dt
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, rate = block.factor, block.slope, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        rest, k = coefficient[c + t] + 1e-300, coefficient[c + U(K) * stride + t]
        c1, c2 = coefficient[c + U(C1) * stride + t], coefficient[c + U(C2) * stride + t]
        e, widening, f, stiffness = length2[t] * inverse - rest - internal[m + t], 1.0 + c1 / c2, 0.0, k
        for _ in range(NEWTON_STEPS):
            x = max((e - dt * f / c2) / rest, -0.999)
            stiffness = k / (1.0 + x)
            change = (k * rest * math.log1p(x) + c1 * (stretching[t] * inverse) - widening * f) / (widening + stiffness * dt / c2)
            f += change
            if abs(change) <= 1e-15 * abs(f):
                break
        slope[t] = (stiffness * dt + c1) / (widening + stiffness * dt / c2)
        rate[t] = f / c2
        factor[t] = f * inverse


def instant(column):
    return column["k"], column["c1"]


def responses(column):
    return [damped_response(column["k"], column["c1"], column["c2"])]


def residual(column, internal):
    return internal[0]


# ---- what people write


class Hencky(Law):
    title: ClassVar[str] = "Hencky"
    family: ClassVar[Any] = sys.modules[__name__]

    type: Literal["hencky"] = "hencky"
    k: PositiveStiffness
    c1: Viscosity
    c2: PositiveViscosity

    def link_columns(self, rest_length, weight):
        return {"rest_length": rest_length, "k": self.k * weight, "c1": self.c1 * weight, "c2": self.c2 * weight}


# ---- the tests

LAW = Hencky(k=40.0, c1=0.8, c2=25.0)
SCHEMES = ["euler", "semi_implicit_euler", "rk4", "implicit_euler"]


def pressed(integrator="rk4", threads=1, share=0.5, end=0.4, law=LAW, **time):
    body = Truss(counts=(4, 4, 4), spacing=0.1, law=law, mass=2.0)
    way = Drive(name="press", body="b", points="top", times=[0.0, 0.2], displacement=[(0, 0, 0), (0, 0, -0.3 * share)])
    asked = Time(**{"end": end, "frame": 0.05, "integrator": integrator, "threads": threads, **time})
    return Scene(time=asked, body={"b": body}, fix=[Fix(body="b", points="bottom")], drive=[way])


def test_a_link_follows_its_equation():
    """Pulled with a constant force: against an integrator that knows nothing of links."""
    chain = Chain(counts=[2], spacing=1.0, law=LAW, mass=2.0)
    pull = Force(body="c", points="last", times=[0.0], force=[(5.0, 0, 0)])
    asked = Scene(time=Time(end=2.0, frame=0.1, step=1e-4, integrator="rk4"), body={"c": chain}, force=[pull],
                  fix=[Fix(body="c", points="first")])  # fmt: skip
    x = simulate(asked).state.position[1, 0]

    def motion(_, y):
        d, v, q = y
        f = (40.0 * math.log1p(d - q) + 0.8 * v) / (1 + 0.8 / 25.0)
        return [v, 5.0 - f, f / 25.0]

    assert x - 1.0 == pytest.approx(solve_ivp(motion, (0, 2), [0, 0, 0], rtol=1e-11, atol=1e-13).y[0, -1], rel=1e-8)


@pytest.mark.parametrize("integrator", SCHEMES[1:])
def test_energies_add_up(integrator):
    result = simulate(pressed(integrator, step=2e-4))
    assert balance_error(result.history) < 2e-3


@pytest.mark.parametrize("integrator", SCHEMES)
def test_threads_agree(integrator):
    one, two = (simulate(pressed(integrator, threads, end=0.1, step=2e-4)).state for threads in (1, 2))
    np.testing.assert_allclose(two.points, one.points, rtol=0, atol=1e-9)


class Seen:
    def __init__(self):
        self.states = []

    def observe(self, frame):
        self.states.append(frame.state.copy())


@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_is_taken_up_bit_for_bit(integrator, threads):
    seen, asked = Seen(), pressed(integrator, threads, end=0.2, step=2e-4)
    whole = simulate(asked, observers=[seen]).state
    again = simulate(asked, start=(2, seen.states[2])).state
    assert all(block.tobytes() == again.blocks[name].tobytes() for name, block in whole.blocks.items())


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_the_stable_step_is_found_and_followed(integrator):
    """Pressed to a half, links along the way are twice as stiff: the run stays stable without a step being asked for."""
    compiled = compile_scene(pressed(integrator))
    near = compile_scene(pressed(integrator, law=LAWS["three_element"](k1=40.0, c1=0.8, c2=25.0)))
    assert compiled.model.stable_step[integrator] == pytest.approx(near.model.stable_step[integrator], rel=1e-6)
    result = simulate(pressed(integrator, share=0.6, end=1.0))
    assert np.abs(result.state.velocity).max() < 1.0
    assert balance_error(result.history) < 0.1  # an unstable run is off by factors of thousands


def test_fields():
    result = simulate(pressed(end=1.0, share=0.2))
    fields = Fields(result.compiled.model)
    assert fields.of("strain", result.state).values.max() > 0.15
    assert fields.of("residual strain", result.state).values.max() > 0.01
    assert fields.stress(result.state)[:, 2, 2].mean() < 0.0


def test_a_scene_file_may_ask_for_it():
    text = {
        "time": {"end": 0.1},
        "body": {
            "b": {
                "shape": "chain",
                "counts": [2],
                "spacing": 0.1,
                "mass": 1.0,
                "law": {"type": "hencky", "k": 1.0, "c1": 0.1, "c2": 2.0},
            }
        },
    }
    assert read_scene(text).body["b"].law == Hencky(k=1.0, c1=0.1, c2=2.0)
    text["body"]["b"]["law"]["k"] = -1.0
    with pytest.raises(ValueError, match=r"body\.b\.law\.k: must be > 0 N/m \(got -1"):
        read_scene(text)


def test_what_has_no_closed_form_says_so():
    with pytest.raises(NotImplementedError, match="Hencky has no closed form of its creep; run a chain of one link instead"):
        LAW.creep(1.0, 1.0)
    assert LAW.network() is None
