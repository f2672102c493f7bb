"""Materials: moduli, times, what stays, presets."""

import math
import re

import numpy as np
import pytest
from scipy.integrate import quad

from yawara import Chain, Drive, Fix, Scene, ThreeElement, Time, Voigt, simulate
from yawara.checks import SceneError
from yawara.materials import PLAUSIBLE, PRESETS, Material, material
from yawara.materials.residual import relaxation_time_for, residual_share


def of(**fields):
    return Material(**{"density": 1000.0, "youngs_modulus": 1e4, **fields})


def test_moduli_belong_together():
    m = of(poisson=0.4)
    assert m.shear == pytest.approx(1e4 / 2.8)
    assert m.bulk == pytest.approx(1e4 / (3 * (1 - 2 * 0.4)))
    assert m.lame == pytest.approx(m.bulk - 2 / 3 * m.shear)
    same = Material(density=1000.0, shear_modulus=m.shear, poisson=0.4)
    assert same.youngs == pytest.approx(1e4)
    assert math.isinf(of(poisson=0.5).bulk)


def test_the_law_is_in_units_of_the_shear_modulus():
    law = of(retardation_time=0.05, relaxation_time=2.0).law()
    assert isinstance(law, ThreeElement)
    assert law.k1 == pytest.approx(4000.0)
    # held, the force falls by 1/e in the relaxation time
    force = law.relaxation([1.5, 3.5], 1.0, 1.0)
    assert force[1] / force[0] == pytest.approx(math.exp(-1.0))
    # unloaded, the Voigt part returns in the retardation time
    left = law.recovery([0.0, 0.05, 1e3], 1.0, 1.0)
    assert (left[1] - left[2]) / (left[0] - left[2]) == pytest.approx(math.exp(-1.0))


def test_without_a_flow_it_returns_in_full():
    law = of().law()
    assert isinstance(law, Voigt)
    assert law.c == pytest.approx(0.01 * law.k)
    assert of(retardation_time=0.0).law() == Voigt(k=4000.0, c=0.0)
    assert math.isinf(of().relaxation)


def test_viscosities_are_counted_like_youngs_modulus():
    m = of(viscosity=500.0, flow_viscosity=2e4)
    assert m.retardation == pytest.approx(0.05)
    assert m.relaxation == pytest.approx(2.05)
    assert m.law() == of(retardation_time=0.05, relaxation_time=2.05).law()
    assert of(flow_viscosity=2e4).retardation == 0.01


def test_a_residual_gives_the_relaxation_time():
    for share in (0.01, 0.3, 0.9, 0.999):
        m = of(residual_fraction=share, residual_after=(2.0, 5.0), retardation_time=0.1)
        assert residual_share(0.1, m.relaxation, 2.0, 5.0) == pytest.approx(share, rel=1e-9)
    assert of(residual_fraction=0.3).relaxation == pytest.approx(relaxation_time_for(0.3, 0.01, 1.0, 1.0))
    assert residual_share(0.0, relaxation_time_for(0.999, 0.0, 1.0, 0.0), 1.0, 0.0) == pytest.approx(0.999)


@pytest.mark.parametrize(("tau_1", "tau_R", "press", "hold"), [(0.05, 2.0, 1.0, 1.0), (0.0, 0.7, 0.3, 2.0), (1.0, 9.0, 4.0, 0.0)])
def test_what_stays_is_what_the_damper_took(tau_1, tau_R, press, hold):
    law = of(retardation_time=tau_1, relaxation_time=tau_R).law()
    parts = [(0.0, press), (press, press + hold)]
    taken = sum(
        quad(lambda t: float(law.relaxation(t, 1.0, press)), *part, epsabs=0, epsrel=1e-11)[0]
        for part in parts
        if part[1] > part[0]
    )
    assert residual_share(tau_1, tau_R, press, hold) == pytest.approx(taken / law.c2, rel=1e-7)


def test_what_stays_of_a_simulated_press():
    m = of(residual_fraction=0.4, residual_after=(0.5, 0.5), retardation_time=0.02)
    chain = Chain(counts=[2], spacing=0.1, law=m.law(), mass=0.02)
    press = Drive(
        body="chain",
        points="last",
        axes="x",
        times=[0.0, 0.5, 1.0],
        displacement=[(0, 0, 0), (-0.01, 0, 0), (-0.01, 0, 0)],
        release=1.0,
    )
    scene = Scene(
        time=Time(end=2.0, integrator="rk4"),
        gravity=(0, 0, 0),
        body={"chain": chain},
        fix=[Fix(body="chain", points="first")],
        drive=[press],
    )
    result = simulate(scene)
    left = 0.1 - result.state.position[1, 0]
    assert left / 0.01 == pytest.approx(0.4, abs=2e-4)


def test_what_the_pressure_adds():
    assert of().bulk_weight(3) == 0.0
    assert of(poisson=0.4).bulk_weight(3) == pytest.approx(0.8 / 0.2 - 1)
    assert of(poisson=0.5).bulk_weight(2) == pytest.approx(1.0)
    assert of(poisson=0.333).bulk_weight(2) == 0.0
    assert of().bulk_weight(1) == 0.0


@pytest.mark.parametrize(("poisson", "dimension", "message"), [(0.25, 2, "0.333 to 0.5 in a sheet"), (0.5, 3, "0.25 to 0.49")])
def test_the_pressure_can_only_add(poisson, dimension, message):
    with pytest.raises(ValueError, match=message) as error:
        of(poisson=poisson).bulk_weight(dimension)
    assert "can only add stiffness" in str(error.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"poisson": -0.1}, ">= 0 and <= 0.5.*foam has about 0.1"),
        ({"shear_modulus": 1.0}, "exactly one of youngs_modulus.*got both"),
        ({"youngs_modulus": None}, "got neither"),
        ({"relaxation_time": 1.0, "residual_fraction": 0.5}, "one way.*got relaxation_time and residual_fraction"),
        ({"retardation_time": 1.0, "flow_viscosity": 5.0}, "one way.*got retardation_time and flow_viscosity"),
        ({"viscosity": 1.0, "residual_fraction": 0.5}, "one way.*got viscosity and residual_fraction"),
        ({"residual_after": (1.0, 1.0)}, "needs residual_fraction"),
        ({"retardation_time": 1.0, "relaxation_time": 1.0}, "relaxation_time must be > retardation_time = 1 s"),
        ({"residual_fraction": 1.0}, "must be > 0 and <= 0.999"),
        ({"youngs_modulus": "10 kPa"}, "write 10000"),
        ({"youngs_modulos": 1.0}, "did you mean 'youngs_modulus'"),
    ],
)
def test_bad_input_is_explained(fields, message):
    with pytest.raises(SceneError, match=re.compile(message, re.S)):
        of(**fields)


def test_a_material_survives_being_written():
    for m in PRESETS.values():
        assert Material.model_validate(m.model_dump(mode="json", exclude_none=True)) == m


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_usable_and_say_where_they_come_from(name):
    m = material(name)
    assert m.source
    assert 0.0 < m.poisson < 0.5
    assert m.retardation < m.relaxation
    columns = m.law().link_columns(np.array([0.01]), np.array([0.01]))
    assert np.isfinite(list(columns.values())).all()


def test_dough_is_marked():
    assert material("wheat_dough").source == PLAUSIBLE
    assert material("wheat_dough").plausible
    assert not of(source="a textbook").plausible


def test_an_unknown_name_is_answered_by_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'wheat_dough'"):
        material("weat_dough")
