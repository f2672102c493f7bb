"""The four-particle chain (Hirai 2005 (particle-based modelling), Figs. 2.5, 2.7, 2.10): m = 1, P0 fixed, force 1 on P3 for 0-20 s."""

import pytest

from yawara import Maxwell, ThreeElement, Voigt
from yawara.studies.chain import displacements

ROUNDED = 5.1e-5  # the reference numbers have four decimals

# displacement of u1, u2, u3 at t = 20 and 40: reference numbers by RK4 with h = 0.002, computed apart
CASES = {
    "voigt a": (Voigt(k=2, c=6), (0.5001, 1.0001, 1.4999), (-0.0001, -0.0001, 0.0001)),
    "voigt b": (Voigt(k=2, c=2), (0.4928, 0.9870, 1.4837), (0.0072, 0.0130, 0.0162)),
    "maxwell a": (Maxwell(k=60, c=40), (0.5129, 1.0265, 1.5413), (0.5, 1.0, 1.5)),
    "maxwell b": (Maxwell(k=10, c=40), (0.6024, 1.2084, 1.8126), (0.4934, 0.9837, 1.4771)),
    "three-element a": (ThreeElement(k1=2, c1=8, c2=40), (0.9953, 1.9908, 2.9867), (0.5010, 1.0024, 1.5045)),
    "three-element b": (ThreeElement(k1=2, c1=2, c2=40), (0.9953, 1.9914, 2.9891), (0.5011, 1.0020, 1.5024)),
}


@pytest.mark.parametrize("case", CASES)
def test_displacements_are_the_references(case):
    law, at_20, at_40 = CASES[case]
    time, u = displacements(law, end=40.0, load_end=20.0)
    assert u[:, time == 20.0].ravel() == pytest.approx(at_20, abs=ROUNDED)
    assert u[:, time == 40.0].ravel() == pytest.approx(at_40, abs=ROUNDED)


@pytest.mark.parametrize("law", [Voigt(k=2, c=6), Voigt(k=2, c=2)])
def test_voigt_tends_to_half_per_element(law):
    _, u = displacements(law, end=120.0, load_end=120.0)
    assert u[:, -1] == pytest.approx([0.5, 1.0, 1.5], abs=1e-6)


@pytest.mark.parametrize("law", [Maxwell(k=60, c=40), Maxwell(k=10, c=40)])
def test_maxwell_flows_at_the_printed_rates(law):
    time, u = displacements(law, end=1200.0, load_end=1200.0)  # the second case rings for minutes
    rate = (u[:, -1] - u[:, time == 1100.0].ravel()) / 100.0
    assert rate == pytest.approx([0.025, 0.050, 0.075], rel=1e-4)


@pytest.mark.parametrize("law", [ThreeElement(k1=2, c1=8, c2=40), ThreeElement(k1=2, c1=2, c2=40)])
def test_three_element_keeps_half_per_element(law):
    _, u = displacements(law, end=160.0, load_end=20.0)
    assert u[:, -1] == pytest.approx([0.5, 1.0, 1.5], abs=1e-6)
