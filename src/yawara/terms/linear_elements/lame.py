"""Lame's constants of a unit of Young's modulus; those of a viscosity follow alike from a Poisson's ratio of its own."""

from enum import StrEnum


class Plane(StrEnum):
    """What a flat body does across."""

    STRESS = "stress"  # a thin sheet: its thickness changes freely
    STRAIN = "strain"  # a slice of a long body, which keeps its thickness


def lame_factors(poisson: float, *, plane_stress: bool = False) -> tuple[float, float]:
    """lambda/E and mu/E."""
    # lambda = nu E / ((1 + nu)(1 - 2 nu)), mu = E / (2 (1 + nu)); a free thickness makes it lambda = nu E / (1 - nu^2)
    first = poisson / (1.0 - poisson**2) if plane_stress else poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    return first, 0.5 / (1.0 + poisson)
