"""Closed forms of the laws against the report's reference cases, each other, and slower ways to the same number."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter
from scipy.linalg import expm

from plain import call
from yawara.checks import SceneError
from yawara.kernels.records import Bound
from yawara.laws import (
    LAWS,
    AnyLaw,
    ForceDependentDamper,
    GeneralizedMaxwell,
    GeneralizedVoigt,
    InternalFriction,
    Law,
    LimitedThreeElement,
    Maxwell,
    ThreeElement,
    Voigt,
)
from yawara.laws.block import Block, law_kernels
from yawara.laws.families import force_dependent, friction, limited
from yawara.laws.linear import LinearLaw

LAW_OF_EACH_KIND: list[Law] = [
    Voigt(k=20.0, c=5.0),
    Voigt(k=20.0, c=0.0),
    Voigt(k=0.0, c=5.0),
    Maxwell(k=60.0, c=40.0),
    ThreeElement(k1=2.0, c1=8.0, c2=40.0),
    ThreeElement(k1=2.0, c1=0.0, c2=40.0),
    ThreeElement(k1=0.0, c1=8.0, c2=40.0),
    GeneralizedVoigt(k=(10.0, 20.0), c=(30.0, 300.0)),
    GeneralizedVoigt(k=(10.0, 10.0, 10.0), c=(30.0, 300.0, 500.0)),
    GeneralizedVoigt(k=(10.0, 30.0, 20.0), c=(30.0, 0.0, 300.0)),
    GeneralizedVoigt(k=(0.0, 30.0, 20.0), c=(30.0, 0.0, 300.0)),
    GeneralizedVoigt(k=(0.0, 30.0, 0.0, 20.0), c=(30.0, 5.0, 7.0, 300.0)),
    GeneralizedVoigt(k=(10.0, 20.0, 5.0), c=(30.0, 60.0, 2.0)),  # two parts of the same rate
    GeneralizedVoigt(k=(10.0,), c=(30.0,)),
    GeneralizedVoigt(k=(10.0,), c=(0.0,)),
    GeneralizedMaxwell(k=(1.0, 2.0, 3.0), c=(10.0, 100.0, 1000.0)),
    GeneralizedMaxwell(k=(1.0, 2.0), c=(10.0, 100.0), k_inf=0.5),
    GeneralizedMaxwell(k=(1.0, 2.0), c=(10.0, 100.0), c_inf=0.7),
    GeneralizedMaxwell(k=(1.0, 2.0), c=(10.0, 100.0), k_inf=0.5, c_inf=1e-3),
    ForceDependentDamper(k1=200.0, c1=100.0, c_max=5000.0, c_min=100.0, f1=1.0, f2=3.0),
    ForceDependentDamper(k1=200.0, c1=0.0, c_max=5000.0, c_min=100.0, f1=1.0, f2=3.0),
    ForceDependentDamper(k1=200.0, c1=10.0, c_max=500.0, c_min=10.0, f1=0.0, f2=4.0),
    InternalFriction(k=200.0, c1=100.0, c2=1000.0, friction=3.0),
    InternalFriction(k=200.0, c1=0.0, c2=1000.0, friction=2.0),
    InternalFriction(k=0.0, c1=100.0, c2=1000.0, friction=2.0),
    LimitedThreeElement(k1=200.0, c1=100.0, c2=1000.0),
    LimitedThreeElement(k1=200.0, c1=100.0, c2=1000.0, ratio=0.9, a_min=0.9, a_max=0.9),  # rides from somewhere in the ramp on
    LimitedThreeElement(k1=200.0, c1=100.0, c2=1000.0, ratio=0.95, a_min=0.9, a_max=0.95),  # rides at once
    LimitedThreeElement(k1=200.0, c1=100.0, c2=300.0, ratio=0.5, a_min=0.499, a_max=0.501),  # stops while held
    LimitedThreeElement(k1=200.0, c1=0.0, c2=300.0, ratio=0.5, a_min=0.499, a_max=0.501),
    LimitedThreeElement(k1=0.0, c1=100.0, c2=300.0, ratio=0.5, a_min=0.499, a_max=0.501),
]
LINEAR_LAWS = [law for law in LAW_OF_EACH_KIND if isinstance(law, LinearLaw)]
each_law = pytest.mark.parametrize("law", LAW_OF_EACH_KIND, ids=repr)
each_linear_law = pytest.mark.parametrize("law", LINEAR_LAWS, ids=repr)


def printed(*numbers: str) -> Any:
    """Equal to numbers as they are printed: within half a unit of each one's last digit."""
    units = [10.0 ** int(Decimal(number).as_tuple().exponent) for number in numbers]
    assert len(set(units)) == 1, "print all with the same number of decimals"
    return pytest.approx([float(number) for number in numbers], rel=0, abs=0.5001 * units[0])


def after(time: float) -> float:
    return float(np.nextafter(time, np.inf))


TIMES = np.array([0.0, 0.3, 1.0, after(1.0), 2.0, 7.0, 40.0, 400.0])


# ---- reference numbers of the report, chapter 5; compression there is extension here, the laws being odd

FOAM = 513.607111
RAMP_AND_HOLD = {
    "V1": ((15, 15), (30, 300), 0.025, 1.0,
          {0: ".681818", 1: ".989298", after(1): ".307480", 6: ".263656", 21: ".206975", 100: ".187515", 1e4: ".187500"}),
    "V2": ((15, 15), (3, 300), 0.025, 1.0,
          {0: ".074257", 1: ".433274", after(1): ".359017", 6: ".292046", 21: ".211176", 100: ".187509"}),
    "V3": ((10, 10, 10), (30, 300, 500), 0.025, 1.0,
          {0: ".646552", 1: ".831374", after(1): ".184822", 200: ".083387", 1e5: ".083333"}),
    "V4": ((10, 10, 10), (60, 300, 600), 0.025, 1.0,
          {0: "1.153846", 1: "1.307226", after(1): ".153380", 200: ".083496"}),
    "V5": ((10, 20), (30, 300), 0.045, 6.1,
          {0: ".201192", 6.1: ".562092", after(6.1): ".360900", 16.1: ".324536", 36.1: ".303983", 96.5: ".300016"}),
    "V6": ((FOAM, FOAM), (237, 1000), 0.045, 6.1,
          {0: "1.413388", 6.1: "13.832035", after(6.1): "12.418647", 1e4: "11.556160"}),
    "V6, slope": ((FOAM, FOAM), (237, 15706.637), 0.045, 6.1,
          {6.1: "22.274530", after(6.1): "20.552159", 96.5: "11.582743"}),
}  # fmt: skip


@pytest.mark.parametrize("case", RAMP_AND_HOLD)
def test_generalized_voigt_force(case: str) -> None:
    k, c, stretch, ramp_time, forces = RAMP_AND_HOLD[case]
    law = GeneralizedVoigt(k=k, c=c)
    assert law.relaxation(list(forces), stretch, ramp_time) == printed(*forces.values())
    assert law.relaxation(list(forces), -stretch, ramp_time) == pytest.approx(-law.relaxation(list(forces), stretch, ramp_time))


@pytest.mark.parametrize(
    ("case", "time", "extensions"),
    [
        ("V1", 1.0, ("-.02227617", "-.00272383")),
        ("V2", 1.0, ("-.02416545", "-.00083455")),
        ("V5", 6.1, ("-.03837377", "-.00662623")),
        ("V5", 96.5, ("-.03000226", "-.01499774")),
    ],
)
def test_generalized_voigt_part_extensions(case: str, time: float, extensions: tuple[str, str]) -> None:
    k, c, stretch, ramp_time, _ = RAMP_AND_HOLD[case]
    assert GeneralizedVoigt(k=k, c=c).part_extensions(time, -stretch, ramp_time) == printed(*extensions)


@pytest.mark.parametrize(
    ("case", "release", "time", "extension"),
    [
        ("V1", 100.0, 110.0, "-7.665134e-3"),
        ("V1", 100.0, 150.0, "-1.025963e-3"),
        ("V2", 100.0, 110.0, "-7.581242e-3"),
        ("V3", 200.0, 220.0, "-9.868099e-3"),
        ("V4", 200.0, 220.0, "-1.052533e-2"),
        ("V5", 96.5, 100.0, "-2.121936e-2"),
        ("V5", 96.5, 120.0, "-3.142516e-3"),
        ("V5", 96.5, 160.0, "-2.175267e-4"),
        ("V5", 96.5, 180.0, "-5.733941e-5"),
    ],
)
def test_generalized_voigt_recovers_after_the_hold(case: str, release: float, time: float, extension: str) -> None:
    k, c, stretch, ramp_time, _ = RAMP_AND_HOLD[case]
    at_release = GeneralizedVoigt(k=k, c=c).part_extensions(release, -stretch, ramp_time)
    # e_i exp(-k_i t/c_i): without force each part is on its own      report ch. 5, eq. (5.14)
    assert [np.sum(at_release * np.exp(-np.array(k) / np.array(c) * (time - release)))] == printed(extension)


@pytest.mark.parametrize(
    ("case", "times"),
    [("V1", ("11.000000",)), ("V2", ("10.100000",)), ("V3", ("41.284465", "14.048868")), ("V4", ("47.620499", "16.379501")),
     ("V5", ("11.000000",)), ("V6", ("1.204228",)), ("V6, slope", ("15.521239",))],
)  # fmt: skip
def test_generalized_voigt_relaxation_times(case: str, times: tuple[str, ...]) -> None:
    k, c, *_ = RAMP_AND_HOLD[case]
    plateau, *rates = GeneralizedVoigt(k=k, c=c).impedance().rate
    assert plateau == 0.0
    assert [1.0 / rate for rate in rates] == printed(*times)


@pytest.mark.parametrize(
    ("case", "amplitudes"), [("V3", (".08333333", ".00667816", ".09481044")), ("V4", (".08333333", ".01056775", ".05947889"))]
)
def test_generalized_voigt_amplitudes(case: str, amplitudes: tuple[str, ...]) -> None:
    k, c, stretch, ramp_time, _ = RAMP_AND_HOLD[case]
    z = GeneralizedVoigt(k=k, c=c).impedance()
    lines = [type(z)(0.0, z.weight[i : i + 1], z.rate[i : i + 1]) for i in range(3)]
    assert [stretch / ramp_time * line.after(np.array(0.0), ramp_time) for line in lines] == printed(*amplitudes)


FRICTION_TIMES = [0.0, 1.0, after(1.0), 2.0, 5.0, 10.0, 20.0]


@pytest.mark.parametrize(
    ("alpha", "forces"),
    [
        (2.0, ("2.454545", "6.535156", "4.262428", "3.886306", "3.093262", "2.440465", "2.071497")),
        (0.0, ("2.272727", "6.051070", "3.778343", "3.150204", "1.825790", "0.735593", "0.119402")),
    ],
)
def test_friction_force(alpha: float, forces: tuple[str, ...]) -> None:
    law = InternalFriction(k=200, c1=100, c2=1000, friction=alpha)
    assert law.relaxation(FRICTION_TIMES, 0.025, 1.0) == printed(*forces)
    assert law.relaxation(FRICTION_TIMES, -0.025, 1.0) == pytest.approx(-law.relaxation(FRICTION_TIMES, 0.025, 1.0))


@pytest.mark.parametrize(
    ("alpha", "numbers"),  # Voigt part at 1 s and 20 s, residue, half a second after release at 20 s
    [
        (2.0, ("-.02244336", "-.01039323", "-.01460677", "-.01843023")),
        (0.0, ("-.02078089", "-.00065671", "-.02434329", "-.02458488")),
    ],
)
def test_friction_extension(alpha: float, numbers: tuple[str, ...]) -> None:
    law = InternalFriction(k=200, c1=100, c2=1000, friction=alpha)
    voigt = law.voigt_extension([1.0, 20.0], -0.025, 1.0)
    residue = -0.025 - voigt[1]
    assert [*voigt, residue, residue + voigt[1] * np.exp(-200 / 100 * 0.5)] == printed(*numbers)


def test_friction_sticks_until_the_force_reaches_it() -> None:
    law = InternalFriction(k=200, c1=100, c2=1000, friction=3.0)
    assert law.relaxation([0.0], 0.025, 1.0) == printed("2.500000")
    assert law.relaxation([20.0], 0.025, 1.0) == printed("3.047434")
    stuck = np.linspace(0.0, 0.1, 5)  # k v t + c1 v = 3 N at 0.1 s
    assert law.voigt_extension(stuck, 0.025, 1.0) == pytest.approx(0.025 * stuck, rel=1e-14)
    assert law.voigt_extension(0.101, 0.025, 1.0) < 0.025 * 0.101
    small = InternalFriction(k=200, c1=100, c2=1000, friction=9.0)  # more than k d + c1 v: never slips
    assert small.relaxation([0.5, 1.0, 50.0], 0.025, 1.0) == pytest.approx([5.0, 7.5, 5.0], rel=1e-14)


def test_friction_creeps_only_beyond_it() -> None:
    law, voigt = InternalFriction(k=200, c1=100, c2=1000, friction=3.0), Voigt(k=200, c=100)
    for force, slip in ((2.9, 0.0), (-3.0, 0.0), (5.0, 2.0), (-5.0, -2.0)):
        assert law.creep(TIMES, force) == pytest.approx(voigt.creep(TIMES, force) + slip / 1000 * TIMES, rel=1e-14)
        assert law.recovery(TIMES, force, 8.0) == pytest.approx(voigt.recovery(TIMES, force, 8.0) + slip / 1000 * 8, rel=1e-14)


# ---- further numbers, computed apart


def test_three_element_ramp_and_hold() -> None:
    law = ThreeElement(k1=1, c1=1, c2=10)  # S7: a shear of 0.01/s for 10 s, then held
    assert law.relaxation([10.0, after(10.0), 20.0], 0.1, 10.0) == printed("0.0633736", "0.0542827", "0.0218700")
    in_parts = GeneralizedVoigt(k=(1, 0), c=(1, 10))
    assert in_parts.part_extensions(10.0, 0.1, 10.0)[:1] == printed("0.0597110")
    assert in_parts.part_extensions(20.0, 0.1, 10.0) == printed("0.0240570", "0.0759430")
    elastic, plastic = ThreeElement(k1=1, c1=1, c2=1e5), ThreeElement(k1=0, c1=5, c2=5)
    assert elastic.relaxation([10.0, 20.0], 0.1, 10.0) == printed("0.1099929", "0.0999830")
    assert plastic.relaxation([10.0, 20.0], 0.1, 10.0) == pytest.approx([0.025, 0.0], abs=1e-15)
    material = ThreeElement(k1=30, c1=20, c2=500)  # F2: a strain rate of 0.01/s
    assert material.relaxation([1.0, 5.0, 1e4], 1e3, 1e5) == printed("0.461825", "1.397040", "5.000000")


def test_three_element_creep() -> None:
    # F4: u = L f/A [(1 - exp(-E t/c1))/E + t/c2], L = 0.4, f/A = 1
    assert 0.4 * ThreeElement(k1=30, c1=20, c2=500).creep([1.0, 5.0], 1.0) == printed("0.01115826", "0.01732596")
    # Hirai 2005 (particle-based modelling), fig. 2.10: k = 2, b = 2, b' = 40, 1 N for 20 s: 1.0 at the end, 0.5 is kept
    law = ThreeElement(k1=2, c1=2, c2=40)
    assert law.creep(20.0, 1.0) == pytest.approx(1.0, rel=1e-8)  # the Voigt part lacks exp(-20)/2
    assert law.recovery(100.0, 1.0, 20.0) == pytest.approx(0.5, rel=1e-12)


def test_generalized_maxwell_step() -> None:
    law = GeneralizedMaxwell(k=(1, 1, 1), c=(10, 100, 1000))
    assert law.relaxation([0.0, 10.0, 100.0, 1000.0], 1.0, 0.0) == printed("3.000", "2.263", "1.273", "0.368")


# ---- limits


def assert_same(a: Law, b: Law, rel: float) -> None:
    """Relatively, down to what rounding leaves of the largest value."""
    for force in (3.0, -0.2):
        for name, arguments in (("creep", (force,)), ("recovery", (force, 5.0)), ("relaxation", (force, 1.0))):
            expected = getattr(b, name)(TIMES, *arguments)
            assert getattr(a, name)(TIMES, *arguments) == pytest.approx(expected, rel=rel, abs=1e-15 * np.abs(expected).max()), (
                name
            )


def test_three_element_with_a_stiff_damper_is_voigt() -> None:
    # it still flows, by 5 s/c2 per newton: 5e-18 m, below rounding of the 0.4 m/N it recovers
    assert_same(ThreeElement(k1=2, c1=8, c2=1e18), Voigt(k=2, c=8), 1e-12)


def test_three_element_without_its_parts() -> None:
    assert_same(ThreeElement(k1=2, c1=0, c2=40), Maxwell(k=2, c=40), 1e-14)
    assert_same(ThreeElement(k1=0, c1=10, c2=10), Voigt(k=0, c=5), 1e-14)  # c = c1 c2/(c1 + c2)


@pytest.mark.parametrize("swap", [False, True])
def test_generalized_voigt_with_a_serial_damper_is_three_element(swap: bool) -> None:
    order = slice(None, None, -1 if swap else 1)
    assert_same(GeneralizedVoigt(k=(2, 0)[order], c=(8, 40)[order]), ThreeElement(k1=2, c1=8, c2=40), 1e-13)


def test_generalized_voigt_of_one_part_is_voigt() -> None:
    for k, c in ((2, 8), (2, 0), (0, 8)):
        assert_same(GeneralizedVoigt(k=(k,), c=(c,)), Voigt(k=k, c=c), 1e-14)


def test_generalized_maxwell_of_one_arm() -> None:
    assert_same(GeneralizedMaxwell(k=(2,), c=(8,)), Maxwell(k=2, c=8), 1e-14)
    # (spring - damper) | damper, the other minimal network, is a three-element law too: equal impedances give its c2 = c + c_inf,
    # c1 c2/(c1 + c2) = c_inf, (c2/(c1 + c2))^2 k1 = k
    c2, c_inf = 8.0 + 0.5, 0.5
    c1 = c2 * c_inf / (c2 - c_inf)
    k1 = 2.0 * ((c1 + c2) / c2) ** 2
    assert_same(GeneralizedMaxwell(k=(2,), c=(8,), c_inf=c_inf), ThreeElement(k1=k1, c1=c1, c2=c2), 1e-12)


def test_parts_and_arms_that_are_alike_join() -> None:
    assert_same(GeneralizedVoigt(k=(6, 3, 0, 0), c=(12, 6, 5, 20)), ThreeElement(k1=2, c1=4, c2=4), 1e-13)
    assert_same(GeneralizedMaxwell(k=(1, 3), c=(4, 12)), Maxwell(k=4, c=16), 1e-13)
    assert_same(GeneralizedVoigt(k=(3, 6), c=(30, 60 * (1 + 1e-11))), Voigt(k=2, c=20), 1e-10)


def test_internal_friction_without_friction_is_three_element() -> None:
    for k, c1 in ((200, 100), (200, 0), (0, 100)):
        assert_same(InternalFriction(k=k, c1=c1, c2=1000, friction=0), ThreeElement(k1=k, c1=c1, c2=1000), 1e-13)


def test_limited_three_element_within_its_limits_is_three_element() -> None:
    for k1, c1 in ((200, 100), (200, 0), (0, 100)):
        wide = LimitedThreeElement(k1=k1, c1=c1, c2=1000, ratio=0.5, a_min=0.0, a_max=1.0)
        assert_same(wide, ThreeElement(k1=k1, c1=c1, c2=1000), 1e-13)


def test_limited_three_element_without_a_damper_part_is_voigt() -> None:
    for k1, c1 in ((200, 100), (200, 0), (0, 100)):
        assert_same(LimitedThreeElement(k1=k1, c1=c1, c2=1000, ratio=1, a_min=1, a_max=1), Voigt(k=k1, c=c1), 1e-13)


def test_force_dependent_damper_far_from_its_thresholds_is_three_element() -> None:
    for k1, c1 in ((200, 100), (200, 0), (0, 100)):
        hard = ForceDependentDamper(k1=k1, c1=c1, c_max=1000, c_min=1, f1=1e4, f2=2e4)
        assert_same(hard, ThreeElement(k1=k1, c1=c1, c2=1000), 1e-13)
        nearly = ForceDependentDamper(k1=k1, c1=c1, c_max=1000 * (1 + 1e-9), c_min=1000, f1=0.1, f2=3)
        assert_same(nearly, ThreeElement(k1=k1, c1=c1, c2=1000), 1e-8)


# ---- identities


@each_law
def test_recovery_begins_where_creep_ends(law: Law) -> None:
    # what a bare spring in series holds, creep at time 0, is given back at once
    for force in (2.5, -4.0):
        assert law.recovery(0.0, force, 7.0) == pytest.approx(law.creep(7.0, force) - law.creep(0.0, force), rel=1e-12, abs=1e-15)


@each_linear_law
def test_recovery_is_creep_less_later_creep(law: LinearLaw) -> None:
    assert law.recovery(TIMES, 2.5, 7.0) == pytest.approx(
        law.creep(TIMES + 7.0, 2.5) - law.creep(TIMES, 2.5), rel=1e-9, abs=1e-13
    )


@each_linear_law
def test_compliance_and_impedance_are_reciprocal(law: LinearLaw) -> None:
    for s in (1e-5, 1e-3, 0.1, 1.0, 30.0, 1e4):
        p, z = (h.instant + np.sum(h.weight / (s + h.rate)) for h in (law.compliance(), law.impedance()))
        assert s * p * z == pytest.approx(1.0, rel=1e-12)
    assert (law.impedance().weight >= 0).all()
    assert (law.compliance().weight >= 0).all()


@pytest.mark.parametrize("law", [law for law in LINEAR_LAWS if isinstance(law, GeneralizedVoigt)], ids=repr)
def test_part_extensions_add_up(law: GeneralizedVoigt) -> None:
    total = law.part_extensions(TIMES, 0.03, 1.0).sum(axis=0)
    assert total == pytest.approx(0.03 * np.minimum(TIMES, 1.0), rel=1e-12, abs=1e-16)


@each_law
def test_shape_follows_time(law: Law) -> None:
    for time in (2.0, [2.0, 3.0], np.ones((2, 3))):
        for answer in (law.creep(time, 1.0), law.recovery(time, 1.0, 1.0), law.relaxation(time, 0.1, 1.0)):
            assert np.shape(answer) == np.shape(time)
    assert law.relaxation(2.0, 0.0, 1.0) == 0.0


# ---- slower ways to the same number


def test_generalized_voigt_meets_the_matrix_exponential() -> None:
    k, c, v = np.array([10.0, 7.0, 20.0, 0.0]), np.array([30.0, 300.0, 5.0, 2000.0]), 0.02
    law, B = GeneralizedVoigt(k=tuple(k), c=tuple(c)), np.sum(1 / c)
    # dx/dt = (-D + (1/c)(k/c)^T/B) x + v/(c B), augmented by a row for the constant      Hirai 2005, eqs. (5.2)-(5.4)
    A = np.zeros((5, 5))
    A[:4, :4] = -np.diag(k / c) + np.outer(1 / c, k / c) / B
    held = A.copy()
    A[:4, 4] = v / (c * B)
    start = np.array([0.0, 0, 0, 0, 1])
    for t in (0.5, 3.0):
        assert law.relaxation(t, 0.06, 3.0) == pytest.approx((v + (k / c) @ (expm(A * t) @ start)[:4]) / B, rel=1e-12)
    for t in (0.1, 1.0, 100.0, 1e4):
        x = expm(held * t) @ expm(A * 3.0) @ start
        assert law.relaxation(3.0 + t, 0.06, 3.0) == pytest.approx((k / c) @ x[:4] / B, rel=1e-10)
        assert law.part_extensions(3.0 + t, 0.06, 3.0) == pytest.approx(x[:4], rel=1e-10)


def test_generalized_voigt_with_a_bare_spring_meets_the_matrix_exponential() -> None:
    k1, k, c = 12.0, np.array([10.0, 7.0]), np.array([30.0, 300.0])
    law = GeneralizedVoigt(k=(*k, k1), c=(*c, 0.0))
    # step of 1: c_i dx_i/dt = k1 (1 - sum x) - k_i x_i
    A = np.zeros((3, 3))
    A[:2, :2], A[:2, 2] = -(np.diag(k) + k1) / c[:, None], k1 / c
    for t in (0.0, 0.2, 5.0, 300.0):
        x = expm(A * t) @ [0.0, 0.0, 1.0]
        assert law.relaxation(t, 1.0, 0.0) == pytest.approx(k1 * (1 - x[0] - x[1]), rel=1e-12)


@pytest.mark.parametrize("k_inf", [0.0, 0.5])
@pytest.mark.parametrize("c_inf", [0.0, 1e-6, 2.0])
def test_generalized_maxwell_creep_meets_the_matrix_exponential(k_inf: float, c_inf: float) -> None:
    k, c, force = np.array([1.0, 2.0, 30.0]), np.array([10.0, 100.0, 7.0]), 4.0
    law = GeneralizedMaxwell(k=tuple(k), c=tuple(c), k_inf=k_inf, c_inf=c_inf)
    stiffness, A, start = k_inf + k.sum(), np.zeros((5, 5)), np.array([0.0, 0, 0, 0, 1])  # d, q_1..q_3, 1
    A[1:4, 0], A[1:4, 1:4] = k / c, -np.diag(k / c)
    if c_inf > 0:
        A[0] = np.array([-stiffness, *k, force]) / c_inf
    else:  # d = (f + sum k q)/stiffness, and so its rate
        start[0] = force / stiffness
        A[0] = np.array([0.0, *k, 0.0]) @ A / stiffness
    for t in (0.0, 0.2, 5.0):
        assert law.creep(t, force) == pytest.approx((expm(A * t) @ start)[0], rel=1e-8 if c_inf == 1e-6 else 1e-11, abs=1e-15)


def kernel_forces(law: Law, stretch: float, ramp_time: float, times: list[float], step: float, weight: float) -> list[float]:
    """Tension of one link of the law's own kernel, its memory integrated by RK4; `times` and `ramp_time` are whole steps."""
    columns = law.link_columns(np.array([1.0]), np.array([weight]))
    coefficient, memory = np.concatenate(list(columns.values())), np.zeros(law.parts)

    def evaluate(t: float, memory: Any, speed: float) -> tuple[float, Any]:
        length, factor, rate = 1.0 + stretch * min(t / ramp_time, 1.0), np.zeros(1), np.zeros(law.parts)
        numbers = 0, 0, 1, 1, law.parts, 0.0, 0.0, 0.0, 1.0
        block = Block(
            coefficient, memory, np.array([length**2]), np.array([length * speed]), factor, rate, *np.zeros((2, 1)), *numbers
        )
        bound = Bound(block)
        call(law_kernels(law.family)[0].address, bound.address)
        return float(factor[0] * length), rate

    forces = {}
    for n in range(round(max(times) / step) + 1):
        t, speed = n * step, stretch / ramp_time if n < round(ramp_time / step) else 0.0
        forces[n] = evaluate(t, memory, stretch / ramp_time if n <= round(ramp_time / step) else 0.0)[0]
        r1 = evaluate(t, memory, speed)[1]
        r2 = evaluate(t + step / 2, memory + step / 2 * r1, speed)[1]
        r3 = evaluate(t + step / 2, memory + step / 2 * r2, speed)[1]
        memory = memory + step / 6 * (r1 + 2 * r2 + 2 * r3 + evaluate(t + step, memory + step * r3, speed)[1])
    return [forces[round(t / step)] for t in times]


@each_law
def test_the_link_kernel_with_these_coefficients_does_the_same(law: Law) -> None:
    times, weight = [0.0, 0.05, 0.4, 1.0, 1.1, 2.0, 3.0], 2.5
    # RK4: (rate step)^4/120 with rates up to 20/s; a step in which c2 or stick changes has order 2: (20/400)^2/8 of its change
    # where a damper stops it overshoots by part of a step: (1/400)(0.4/s) of its way to there, times c1/c2
    rel = {force_dependent: 1e-4, friction: 1e-4, limited: 1e-3}.get(law.family, 1e-6)
    forces = kernel_forces(law, -0.025, 1.0, times, 1 / 400, weight)
    assert forces == pytest.approx(weight * law.relaxation(times, -0.025, 1.0), rel=rel, abs=1e-12)


# ---- the force-dependent damper


def softening() -> ForceDependentDamper:
    return ForceDependentDamper(k1=200, c1=10, c_max=5000, c_min=100, f1=1.0, f2=4.0)


def test_viscosity_is_that_of_the_paper() -> None:
    law = softening()
    B = np.log(5000 / 100) / 3
    A = 5000 * np.exp(B)
    assert law.viscosity([-0.5, 1.0, 2.0, -3.0, 4.0, 9.0]) == pytest.approx(
        [5000, 5000, A * np.exp(-2 * B), A * np.exp(-3 * B), 100, 100]
    )


def test_creep_flows_by_the_viscosity_of_its_force() -> None:
    law = softening()
    for force in (0.5, -2.0, 10.0):
        assert law.creep(100.0, force) - law.creep(90.0, force) == pytest.approx(10 * force / law.viscosity(force), rel=1e-10)
        assert law.recovery(1e3, force, 90.0) == pytest.approx(90 * force / law.viscosity(force), rel=1e-12)


def test_force_dependent_force_satisfies_its_equation() -> None:
    law, h, v = softening(), 1e-4, 0.1
    begin_force, top, held = law.relaxation([0.0, 1.0, 60.0], v, 1.0)
    assert begin_force < 1.0 < 4.0 < top, "climbs through all three zones"
    assert held < 1.0, "and falls through them"
    for begin, end, speed in ((0.0, 1.0, v), (1.0, 2.0, 0.0), (2.0, 60.0, 0.0)):
        t = np.linspace(begin, end, 400)[1:-1]
        f, later, sooner = (law.relaxation(t + shift, v, 1.0) for shift in (0.0, h, -h))
        # d/dt f (1 + c1/c2(f)) = k1 (v - f/c2(f)), c2' = -B c2 between f1 and f2 only
        c2, B = law.viscosity(f), np.where((f > 1.0) & (f < 4.0), np.log(5000 / 100) / 3, 0.0)
        computed, expected = (later - sooner) / (2 * h) * (1 + 10 / c2 * (1 + B * f)), 200 * (speed - f / c2)
        across = [(np.minimum(sooner, later) < edge) & (np.maximum(sooner, later) > edge) for edge in (1.0, 4.0)]
        assert sum(map(np.sum, across)) <= 2
        # central differences: h^2 rate^2/6 with rates of at most 20/s, and rounding over h
        assert computed[~np.any(across, axis=0)] == pytest.approx(expected[~np.any(across, axis=0)], rel=1e-6, abs=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("f1", [1.0, 3.99])  # B f1 = 1.3 and 1560: exp(B f1) would overflow
def test_force_dependent_hold_is_the_inverse_of_its_time(f1: float) -> None:
    law = ForceDependentDamper(k1=200, c1=0, c_max=5000, c_min=100, f1=f1, f2=4.0)
    # from f2 to f1 without c1: t = (1/k1) int c2(f)/f df, by Simpson's rule; a step of f2/k1 starts it
    f = np.linspace(f1, 4.0, 20001)
    y = law.viscosity(f) / f
    t = (4.0 - f1) / 20000 / 3 * (y[0] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum() + y[-1]) / 200
    rate = 200 * f1 / 5000  # of the force's fall at f1
    assert law.relaxation(t, 4.0 / 200, 0.0) == pytest.approx(f1, rel=0, abs=1e-10 * rate * t)
    assert law.relaxation(0.0, -4.0 / 200, 0.0) == pytest.approx(-4.0, rel=1e-14)


@pytest.mark.filterwarnings("error")
def test_a_sharp_threshold_does_not_overflow() -> None:
    law = ForceDependentDamper(k1=200, c1=10, c_max=5000, c_min=1, f1=1.0, f2=1.0001)  # B f1 = 85000
    forces = law.relaxation(np.linspace(0, 50, 101), 0.03, 1.0)
    assert np.isfinite(forces).all()
    assert forces.max() == pytest.approx(1.0, rel=1e-3)  # flows away as soon as it can


# ---- bad input

SOFT = {"k1": 1, "c1": 1, "c_max": 2, "c_min": 1, "f1": 1, "f2": 2}


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("voigt", {"k": -1, "c": 1}, r"k: .*must be >= 0 N/m \(got -1\); a spring"),
        ("voigt", {"k": 0, "c": 0}, r"k and c must not both be 0 \(got k = 0 N/m, c = 0 N s/m\); give one"),
        ("maxwell", {"k": 0, "c": 1}, r"must be > 0 N/m \(got 0\); without the spring"),
        ("maxwell", {"k": 1}, r"c: is missing; add c=... \[N s/m\]"),
        ("three_element", {"k1": 0, "c1": 0, "c2": 1}, r"k1 and c1 must not both be 0 .*; give one"),
        ("three_element", {"k1": 1, "c1": 1, "c2": 0}, r"must be > 0 N s/m \(got 0\); without the damper"),
        ("generalized_voigt", {"k": [1, 2], "c": [1]}, r"one value per part \(got 2 and 1\); give as many"),
        ("generalized_voigt", {"k": [], "c": []}, r"one value per part \(got 0 and 0\); give as many to each, at least 1"),
        ("generalized_voigt", {"k": [1, 0], "c": [1, 0]}, r"must not both be 0 \(got 0 and 0 in part 2\); give one"),
        ("generalized_voigt", {"k": [3, 1, 6], "c": [0, 1, 0]}, r"got 0 in parts \[1, 3\]\); put .* together as one of 2 N/m"),
        ("generalized_voigt", {"k": [3, -1], "c": [0, 1]}, r"must be >= 0 N/m \(got -1\); a spring"),
        ("generalized_maxwell", {"k": [1], "c": [1, 2]}, r"one value per arm \(got 1 and 2\); give as many"),
        ("generalized_maxwell", {"k": [0], "c": [1]}, r"must be > 0 N/m \(got 0\); without the spring"),
        ("force_dependent_damper", SOFT | {"c_min": 3}, r"c_min must be < c_max \(got .*; exchange"),
        ("force_dependent_damper", SOFT | {"f1": 2}, r"f1 must be < f2 \(got .*; exchange"),
        ("force_dependent_damper", SOFT | {"k1": 0, "c1": 0}, r"k1 and c1 must not both be 0"),
        ("internal_friction", {"k": 1, "c1": 1, "c2": 1, "friction": -1}, r"must be >= 0 N \(got -1\); give the magnitude"),
        ("internal_friction", {"k": 0, "c1": 0, "c2": 1, "friction": 1}, r"k and c1 must not both be 0"),
        ("internal_friction", {"k": 1, "c1": 1, "c2": 1, "frictoin": 1}, r"unknown keyword; did you mean 'friction'"),
        ("limited_three_element", {"k1": 0, "c1": 0, "c2": 1}, r"k1 and c1 must not both be 0"),
        ("limited_three_element", {"k1": 1, "c1": 1, "c2": 1, "ratio": 0}, r"ratio: .*must be > 0 and <= 1 \(no unit\) \(got 0\); give"),
        ("limited_three_element", {"k1": 1, "c1": 1, "c2": 1, "a_max": 1.1}, r"a_max: .*<= 1 \(no unit\) \(got 1.1\); give a part"),
        ("limited_three_element", {"k1": 1, "c1": 1, "c2": 1, "a_min": 0.6}, r">= a_min and <= a_max \(got a_min = 0.6, .*; give"),
        ("limited_three_element", {"k1": 1, "c1": 1, "c2": 1, "ratio": 0.8}, r"ratio = 0.8, a_max = 0.7, no unit\); give"),
    ],
)  # fmt: skip
def test_bad_parameters(name: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(SceneError, match=f"(?s){message}"):
        LAWS[name](**values)


@each_law
def test_a_step_is_refused_where_the_force_would_be_infinite(law: Law) -> None:
    viscous = law.impedance().instant > 0 if isinstance(law, LinearLaw) else law.c1 > 0  # type: ignore[attr-defined]
    if viscous:
        with pytest.raises(ValueError, match=r"ramp_time must be > 0 s \(got 0\).*; give a short ramp"):
            law.relaxation([0.0, 1.0], 0.1, 0.0)
    else:
        at_once = law.relaxation(TIMES, 0.1, 0.0)
        assert at_once == pytest.approx(law.relaxation(TIMES + 1e-9, 0.1, 1e-9), rel=1e-6, abs=1e-15)


@each_law
def test_bad_times(law: Law) -> None:
    for name, arguments in (("creep", (1.0,)), ("recovery", (1.0, 1.0)), ("relaxation", (0.1, 1.0))):
        with pytest.raises(ValueError, match=r"time must be >= 0 s \(got -1\); "):
            getattr(law, name)([1.0, -1.0], *arguments)
    with pytest.raises(ValueError, match=r"load_time must be >= 0 s and finite \(got -1\); "):
        law.recovery(1.0, 1.0, -1.0)
    with pytest.raises(ValueError, match=r"ramp_time must be >= 0 s and finite \(got inf\); "):
        law.relaxation(1.0, 0.1, np.inf)


@each_law
def test_laws_are_read_back_by_their_type(law: Law) -> None:
    adapter: TypeAdapter[Law] = TypeAdapter(AnyLaw)
    assert adapter.validate_python(law.model_dump()) == law
    assert adapter.validate_json(law.model_dump_json()) == law
    assert LAWS[law.model_dump()["type"]] is type(law)
