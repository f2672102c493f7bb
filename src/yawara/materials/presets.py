"""Materials by name. Every number is from the source that is given with it, or marked as plausible, not measured."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from yawara.checks import nearest
from yawara.materials.material import PLAUSIBLE, Material

GELATINE_SOURCE = (
    "Bonavia, Viscoelastic Material Properties of Gelatin with Varying Water to Collagen mass Ratios, 2025, arXiv:2512.20502: "
    "instantaneous stiffness and longest time of {ratio} of water to gelatine by mass; the rest " + PLAUSIBLE
)
LIVER_SOURCE = (
    "liver: shear modulus and density as listed in table 1 of Phys. Med. Biol. 64 (2019) 225001, doi:10.1088/1361-6560/ab5010; "
    "the rest " + PLAUSIBLE
)
RUBBER_SOURCE = (
    "natural rubber: shear modulus of the simple-extension data in Treloar, The Physics of Rubber Elasticity, 3rd ed., 1975; the rest "
    + PLAUSIBLE
)

PRESETS: dict[str, Material] = {
    "wheat_dough": Material(
        density=1200.0, youngs_modulus=1e4, poisson=0.45, retardation_time=0.03, relaxation_time=5.0, source=PLAUSIBLE
    ),
    "slack_dough": Material(
        density=1150.0, youngs_modulus=5e3, poisson=0.45, retardation_time=0.03, relaxation_time=2.0, source=PLAUSIBLE
    ),
    "clay": Material(
        density=1800.0, youngs_modulus=2e5, poisson=0.45, retardation_time=0.003, residual_fraction=0.9, source=PLAUSIBLE
    ),
    "gelatine": Material(
        density=1010.0,
        youngs_modulus=4340.0,
        poisson=0.49,
        retardation_time=0.005,
        relaxation_time=621.0,
        source=GELATINE_SOURCE.format(ratio="20 : 1"),
    ),
    "firm_gelatine": Material(
        density=1080.0,
        youngs_modulus=277e3,
        poisson=0.49,
        retardation_time=0.001,
        relaxation_time=29.8,
        source=GELATINE_SOURCE.format(ratio="2 : 1"),
    ),
    "konjac": Material(density=1020.0, youngs_modulus=2e4, poisson=0.49, retardation_time=0.005, source=PLAUSIBLE),
    "memory_foam": Material(density=80.0, youngs_modulus=5e3, poisson=0.1, retardation_time=0.5, source=PLAUSIBLE),
    "soft_tissue": Material(
        density=1060.0, shear_modulus=1800.0, poisson=0.49, retardation_time=0.02, relaxation_time=100.0, source=LIVER_SOURCE
    ),
    "rubber": Material(density=950.0, shear_modulus=3.9e5, poisson=0.49, retardation_time=2e-4, source=RUBBER_SOURCE),
    "silicone": Material(density=1070.0, youngs_modulus=1e5, poisson=0.49, retardation_time=1e-3, source=PLAUSIBLE),
}


def material(name: str) -> Material:
    """The material of that name."""
    if name not in PRESETS:
        raise ValueError(f"material {name!r} is not known; {nearest(name, PRESETS)}")
    return PRESETS[name]


def _by_name(value: Any) -> Any:
    return material(value) if isinstance(value, str) else value


AnyMaterial = Annotated[Material, BeforeValidator(_by_name)]
