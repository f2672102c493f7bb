"""The laws at the end of a step of backward Euler, against slow solutions of the equations with `reference.respond`."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import reference
import yawara.laws as laws
from helpers import LAWS
from plain import call
from yawara.kernels.records import Bound
from yawara.laws.block import Block, law_kernels
from yawara.laws.families import limited

CASES = LAWS | {
    "spring": laws.Voigt(k=40.0, c=0.0),
    "steep damper": laws.ForceDependentDamper(k1=40.0, c1=8.0, c_max=60.0, c_min=0.6, f1=0.2, f2=1.5),
    "friction without c1": laws.InternalFriction(k=40.0, c1=0.0, c2=10.0, friction=0.3),
    "narrow limits": laws.LimitedThreeElement(k1=40.0, c1=0.8, c2=2.0, ratio=0.5, a_min=0.5, a_max=0.5),
    "limits without c1": laws.LimitedThreeElement(k1=40.0, c1=0.0, c2=2.0, ratio=0.6, a_min=0.58, a_max=0.61),
}
STEPS = [0.0, 1e-4, 1e-2, 1.0]
COUNT, STRIDE, BEFORE = 240, 250, 3  # links of the block, of their group, and those that stand before the block
each_case = pytest.mark.parametrize("case", CASES)
each_step = pytest.mark.parametrize("dt", STEPS)


def states(law, dt):
    """Random rest lengths, extensions and memories [m] and rates [m/s]; a third of the links of LIMITED began at a limit."""
    random = np.random.default_rng(5)
    rest, ldot = random.uniform(0.1, 0.3, COUNT), 0.3 * random.standard_normal(COUNT)
    d, memory = 0.03 * random.standard_normal(COUNT), 0.01 * random.standard_normal((law.parts, COUNT))
    if law.family is limited:
        share = np.where(d > 0, 1 - law.a_min, 1 - law.a_max)
        at_limit = random.uniform(size=COUNT) < 1 / 3
        memory = np.where(at_limit, share * (rest + d - dt * ldot) - (1 - law.ratio) * rest, memory)
    return rest, d, ldot, memory


def block_of(law, rest, d, ldot, internal, dt, steady=0):
    """What the kernels take, the block being somewhere within its group."""
    columns = list(law.link_columns(rest, np.ones(COUNT)).values())
    coefficient, variables = np.full((len(columns), STRIDE), np.nan), np.full((law.parts, STRIDE), np.nan)
    coefficient[:, BEFORE : BEFORE + COUNT], variables[:, BEFORE : BEFORE + COUNT] = columns, internal
    factor, slope, damper, rate = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT), np.empty(law.parts * COUNT)
    numbers = BEFORE, BEFORE, STRIDE, COUNT, law.parts, dt, 0.0, 0.0, 1.0
    block = Block(
        coefficient.ravel(), variables.ravel(), (rest + d) ** 2, (rest + d) * ldot, factor, rate, slope, damper, *numbers, steady
    )
    return Bound(block)


def called(kernel, bound):
    """Of a law, by its address."""
    call(kernel.address, bound.address)
    return bound.values


def respond(law, rest, d, ldot, memory, dt, steady=0):
    """Force [N], rates of the internal variables [m/s] and slope [N s/m] of the kernel."""
    found = called(law_kernels(law.family)[2], block_of(law, rest, d, ldot, memory, dt, steady))
    return found["factor"] * (rest + d), found["internal_rate"].reshape(law.parts, COUNT), found["slope"]


def solved(law, rest, d, ldot, memory, dt):
    """Force and memory rates of one link from memory' = memory + dt rate(memory')."""

    def rates(end):
        return np.array(reference.respond(law, d, ldot, list(end), rest)[1])

    if law.parts > 1:  # affine in the memories: columns by exact differences
        still = rates(np.zeros(law.parts))
        J = np.stack([rates(unit) - still for unit in np.eye(law.parts)], axis=1)
        end = np.linalg.solve(np.eye(law.parts) - dt * J, memory + dt * still)
        return reference.respond(law, d, ldot, list(end), rest)[0], (end - memory) / dt
    (q,) = memory
    way = abs(dt * rates(memory)[0])  # rates fall with the memory, so it goes no further than this
    end = q
    if way > 0.0:
        end = brentq(lambda x: x - q - dt * rates([x])[0], q - 1.01 * way, q + 1.01 * way, xtol=1e-300, rtol=1e-15)
    rate = (end - q) / dt
    if law.family is limited:  # at a limit the rate jumps, and what holds is between
        return law.k1 * (d - end) + law.c1 * (ldot - rate), [rate]
    return reference.respond(law, d, ldot, [end], rest)[0], [rate]


@each_step
@each_case
def test_meets_the_slow_solution(case, dt):
    law = CASES[case]
    rest, d, ldot, memory = states(law, dt)
    force, rate, _ = respond(law, rest, d, ldot, memory, dt)
    for n in range(COUNT):
        link = law, rest[n], d[n], ldot[n], memory[:, n]
        if dt == 0.0:
            f, r, _, _ = reference.respond(law, d[n], ldot[n], list(memory[:, n]), rest[n])
        else:
            f, r = solved(*link, dt)
        # the memory's last digit, over the step and times c1
        assert force[n] == pytest.approx(f, rel=1e-10, abs=1e-12 + (1e-16 / dt if dt else 0.0))
        assert rate[:, n] == pytest.approx(r, rel=1e-10, abs=1e-12 + (1e-16 / dt if dt else 0.0))


@each_case
def test_without_a_step_it_is_the_tension(case):
    law = CASES[case]
    rest, d, ldot, memory = states(law, 0.0)
    found = called(law_kernels(law.family)[0], block_of(law, rest, d, ldot, memory, 0.0))
    factor, rate = found["factor"], found["internal_rate"]
    force, same_rate, _ = respond(law, rest, d, ldot, memory, 0.0)
    # multiply-adds may be fused in one and not in the other
    assert force == pytest.approx(factor * (rest + d), rel=1e-14, abs=1e-14)
    assert same_rate.ravel() == pytest.approx(rate, rel=1e-13, abs=1e-15)


@each_step
@each_case
def test_slope_is_the_derivative_of_the_force(case, dt):
    """Except in corners, where the differences to both sides do not agree."""
    law, h = CASES[case], 1e-6
    rest, d, ldot, memory = states(law, dt)
    middle, _, slope = respond(law, rest, d, ldot, memory, dt)
    above, below = (respond(law, rest, d + dt * way, ldot + way, memory, dt)[0] for way in (h, -h))
    forward, backward = (above - middle) / h, (middle - below) / h
    smooth = np.abs(forward - backward) <= 1e-3 * np.abs(forward) + 1e-7
    assert smooth.mean() > 0.9
    # central differences, and rounding of about 1e-15 N over h
    assert ((above - below) / (2 * h))[smooth] == pytest.approx(slope[smooth], rel=1e-5, abs=1e-7)
    assert (slope >= 0.0).all()


@each_step
def test_limits_are_kept_at_the_end_of_the_step(dt):
    """By every damper that began within them. Free, stopped and sliding ones are all among the states."""
    law = CASES["limited_three_element"]
    rest, d, ldot, memory = states(law, dt)
    _, rate, _ = respond(law, rest, d, ldot, memory, dt)
    q, end, length = memory[0], memory[0] + dt * rate[0], rest + d
    bounds = [share * length - (1 - law.ratio) * rest for share in (1 - law.a_max, 1 - law.a_min)]
    before = [share * (length - dt * ldot) - (1 - law.ratio) * rest for share in (1 - law.a_max, 1 - law.a_min)]
    touching = 2e-12 * rest
    out, back = (rate[0] > 0) & (q <= before[1] + touching), (rate[0] < 0) & (q >= before[0] - touching)
    assert (end <= bounds[1] + touching)[out].all()
    assert (end >= bounds[0] - touching)[back].all()
    free = (law.k1 * (d - q) + law.c1 * ldot) / (law.c1 + law.c2 + law.k1 * dt)
    kinds = [np.isclose(rate[0], free, rtol=1e-12, atol=0), rate[0] == 0.0]
    assert min(kinds[0].sum(), kinds[1].sum(), (~kinds[0] & ~kinds[1]).sum()) > 5


EXACT = ["voigt", "maxwell", "three_element", "generalized_maxwell", "spring"]  # over steady steps


def integrated(law, d, ldot, memory, dt):
    """Force at the end and mean rates of the memories, as d grows evenly to its end: y' = A y for y = (memory, d, ldot)."""
    size = law.parts + 2
    A = np.zeros((size, size))
    for column, unit in enumerate(np.eye(size)):
        A[: law.parts, column] = reference.respond(law, unit[-2], unit[-1], list(unit[: law.parts]))[1]
    A[-2, -1] = 1.0
    end = expm(dt * A) @ [*memory, d - dt * ldot, ldot]
    return reference.respond(law, d, ldot, list(end[: law.parts]))[0], (end[: law.parts] - memory) / dt


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0, 30.0])
@pytest.mark.parametrize("case", EXACT)
def test_a_steady_step_is_exact(case, dt):
    law = CASES[case]
    rest, d, ldot, memory = states(law, dt)
    force, rate, _ = respond(law, rest, d, ldot, memory, dt, 1)
    for n in range(0, COUNT, 7):
        f, r = integrated(law, d[n], ldot[n], memory[:, n], dt)
        assert force[n] == pytest.approx(f, rel=1e-9, abs=1e-10)
        assert rate[:, n] == pytest.approx(r, rel=1e-9, abs=1e-11 + 1e-15 / dt)


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("case", EXACT)
def test_slope_of_a_steady_step(case, dt):
    law, h = CASES[case], 1e-6
    rest, d, ldot, memory = states(law, dt)
    above, below = (respond(law, rest, d + dt * way, ldot + way, memory, dt, 1)[0] for way in (h, -h))
    assert (above - below) / (2 * h) == pytest.approx(respond(law, rest, d, ldot, memory, dt, 1)[2], rel=1e-5, abs=1e-7)
