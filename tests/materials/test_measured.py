"""Materials as they are measured: energies, Prony series, yield stresses; and who can have them."""

import numpy as np
import pytest

from yawara import Lattice, Sheet
from yawara.checks import SceneError
from yawara.materials import Material, Ogden, Yeoh

NH = {"type": "neo_hookean", "mu": 1e4}


def of(**fields):
    return Material(**{"density": 1000.0, "energy": NH, "poisson": 0.49, **fields})


def test_an_energy_has_the_modulus():
    assert of().shear == 1e4
    assert of().youngs == pytest.approx(2.98e4)
    assert of(energy=Yeoh(C1=2150.0)).shear == 4300.0
    assert of(energy={"type": "ogden", "mu": 1e4, "alpha": -2}).energy == Ogden(mu=(1e4,), alpha=(-2.0,))


def test_a_bulk_modulus_gives_the_ratio():
    m = Material(density=1000.0, energy={"type": "neo_hookean", "mu": 10.0}, bulk_modulus=100.0)
    assert m.poisson == pytest.approx(0.451613, abs=1e-6)
    assert m.bulk == pytest.approx(100.0, rel=1e-12)
    assert Material(**m.model_dump(exclude_none=True)) == m
    assert Material(density=1000.0, shear_modulus=3.0, bulk_modulus=5.0).poisson == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"youngs_modulus": 1e4}, "youngs_modulus must be left out with energy"),
        ({"energy": {"type": "yeoh", "C1": 1.0, "C2": -5.0}}, "energy: must let the force rise from a stretch of 0.7 to 1.4"),
        ({"energy": {"type": "ogden", "mu": [1.0, 2.0], "alpha": [1.0]}}, "must have as many numbers"),
        ({"energy": {"type": "ogden", "mu": [1.0], "alpha": [0.0]}}, "alpha must be from 0.001 to 50 in size"),
        ({"energy": {"type": "ogdn", "mu": [1.0], "alpha": [1.0]}}, "did you mean 'ogden'"),
        ({"bulk_modulus": 1e6}, "poisson must be left out beside bulk_modulus"),
        ({"prony": [{"share": 0.7, "time": 1.0}, {"share": 0.4, "time": 2.0}]}, "shares that add up to <= 1 (got 1.1)"),
        ({"prony": [{"share": 0.7, "time": 0.0}]}, "time: must be > 0 s"),
        ({"yield_stress": 10.0}, "yield_viscosity [Pa s] must be given together with yield_stress"),
        ({"yield_stress": 10.0, "yield_viscosity": 0.0}, "yield_viscosity: must be > 0 Pa s"),
        ({"relaxation_time": 3.0}, "relaxation_time must be left out with energy"),
    ],
)
def test_what_does_not_go_together_is_refused(fields, what):
    with pytest.raises(SceneError) as error:
        of(**fields)
    assert what in str(error.value)


def test_an_energy_needs_to_know_the_volume():
    with pytest.raises(SceneError, match="needs poisson or bulk_modulus"):
        Material(density=1.0, energy=NH)
    with pytest.raises(SceneError, match="bulk_modulus must be >= 2/3"):
        Material(density=1.0, energy=NH, bulk_modulus=5e3)


@pytest.mark.parametrize("elements", ["links", "polyhedra", "shear_volume", "small_strain"])
@pytest.mark.parametrize(
    "field", [{"energy": NH, "poisson": 0.45}, {"youngs_modulus": 1e4, "poisson": 0.45, "prony": [{"share": 0.5, "time": 1.0}]}]
)
def test_only_families_that_say_so_take_them(elements, field):
    name = "energy" if "energy" in field else "prony"
    with pytest.raises(SceneError, match=rf"material.{name} must be left out with .*; use elements = 'continuum'"):
        Lattice(counts=(3, 3, 3), spacing=0.01, material=Material(density=1000.0, **field), elements=elements)


def test_regions_are_looked_at():
    with pytest.raises(SceneError, match=r"region.hard.material.prony must be left out"):
        Lattice(
            counts=(3, 3, 3), spacing=0.01, material=Material(density=1000.0, youngs_modulus=1e4), elements="links",
            region={
                "hard": {
                    "links": "surface",
                    "material": {"density": 1000.0, "youngs_modulus": 1e4, "prony": [{"share": 0.5, "time": 1.0}]},
                }
            },
        )  # fmt: skip


def test_closed_forms_at_small_strains():
    stretch = np.array([1.0 - 1e-6, 1.0 + 1e-6])
    for energy in (
        NH,
        {"type": "yeoh", "C1": 5e3},
        {"type": "ogden", "mu": [6e3, 4e3], "alpha": [2.0, -3.0]},
        {"type": "hencky", "mu": 1e4},
    ):
        P = of(energy=energy).energy.nominal_stress(stretch)
        assert (P[1] - P[0]) / 2e-6 == pytest.approx(3e4, rel=1e-5)


def test_a_sheet_can_have_one():
    assert Sheet(counts=(3, 3), spacing=0.01, material=of(), elements="continuum").family.takes_measured
