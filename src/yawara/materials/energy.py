"""Energies of measured materials: how much a change of shape stores at once, at any strain.

Of the stretches without the change of volume, l = J^(-1/3) (stretches of F), J = det F; a change of volume stores K/2 (J - 1)^2 beside it.
"""

from abc import abstractmethod
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.kernels.kinds import Floats

Modulus = Annotated[float, Quantity("Pa", gt=0, remedy="dough has about 3e3, rubber 4e5")]
AnyModulus = Annotated[float, Quantity("Pa")]
Exponent = Annotated[float, Quantity("1")]
TRIED = np.concatenate([np.linspace(0.7, 0.99, 30), np.linspace(1.01, 1.4, 40)])  # stretches between which the force must rise
MOST_EXPONENT = 50.0
MOST_TERMS = 6


class Energy(Part):
    """What all have in common."""

    @property
    @abstractmethod
    def shear(self) -> float:
        """mu [Pa], at small strains."""

    @abstractmethod
    def nominal_stress(self, stretch: Floats) -> Floats:
        """[Pa], force over the area at rest in a pull (stretch > 1) or a press, if volume does not change."""

    def check_numbers(self) -> None:
        """Refuse those that have no stress."""

    @model_validator(mode="after")
    def _rises(self) -> Self:
        self.check_numbers()
        P = self.nominal_stress(TRIED)
        fall = np.flatnonzero(np.diff(P) <= 0.0)
        if len(fall):
            raise fail(
                f"must let the force rise from a stretch of 0.7 to 1.4 (got one that falls at {TRIED[fall[0]]:.2g}); "
                "check the signs and the order of its numbers"
            )
        return self


class NeoHookean(Energy):
    """W = mu/2 (I - 3), I = l1^2 + l2^2 + l3^2."""

    type: Literal["neo_hookean"] = "neo_hookean"
    mu: Modulus = Field(description="shear modulus")

    @property
    def shear(self) -> float:
        return self.mu

    def nominal_stress(self, stretch: Floats) -> Floats:
        return self.mu * (stretch - stretch**-2.0)


class Yeoh(Energy):
    """W = C1 j + C2 j^2 + C3 j^3, j = I - 3 (Yeoh 1993)."""

    type: Literal["yeoh"] = "yeoh"
    C1: Modulus = Field(description="half the shear modulus")
    C2: AnyModulus = Field(0.0, description="of (I - 3)^2")
    C3: AnyModulus = Field(0.0, description="of (I - 3)^3")

    @property
    def shear(self) -> float:
        return 2.0 * self.C1

    def nominal_stress(self, stretch: Floats) -> Floats:
        j = stretch**2 + 2.0 / stretch - 3.0
        return 2.0 * (stretch - stretch**-2.0) * (self.C1 + 2.0 * self.C2 * j + 3.0 * self.C3 * j**2)


class Ogden(Energy):
    """W = sum 2 mu_p/a_p^2 (l1^a_p + l2^a_p + l3^a_p - 3), so that the shear modulus is sum mu_p."""

    type: Literal["ogden"] = "ogden"
    mu: tuple[AnyModulus, ...] = Field(description="of each term; their sum is the shear modulus")
    alpha: tuple[Exponent, ...] = Field(description="exponent of each term, not 0")

    @model_validator(mode="before")
    @classmethod
    def _single(cls, data: object) -> object:
        """A term alone may stand without brackets."""
        if isinstance(data, dict):
            return {
                name: [one] if name in ("mu", "alpha") and isinstance(one, int | float) else one for name, one in data.items()
            }
        return data

    def check_numbers(self) -> None:
        if len(self.mu) != len(self.alpha) or not 1 <= len(self.mu) <= MOST_TERMS:
            raise fail(
                f"mu [Pa] and alpha must have as many numbers, 1 to {MOST_TERMS} (got {len(self.mu)} and {len(self.alpha)}); "
                "give both of each term"
            )
        if not all(1e-3 <= abs(one) <= MOST_EXPONENT for one in self.alpha):
            raise fail(
                f"alpha must be from 0.001 to {MOST_EXPONENT:g} in size (got {list(self.alpha)}); near 0 use type = 'hencky'"
            )
        if not self.shear > 0.0:
            raise fail(f"mu must add up to more than 0 Pa (got {self.shear:g}); their sum is the shear modulus")

    @property
    def shear(self) -> float:
        return float(sum(self.mu))

    def nominal_stress(self, stretch: Floats) -> Floats:
        found: Floats = np.zeros_like(stretch)
        for mu, a in zip(self.mu, self.alpha, strict=False):
            found = found + 2.0 * mu / a * (stretch ** (a - 1.0) - stretch ** (-0.5 * a - 1.0))
        return found


class Hencky(Energy):
    """W = mu (ln^2 l1 + ln^2 l2 + ln^2 l3) (Hencky 1928): what plasticity is often given with."""

    type: Literal["hencky"] = "hencky"
    mu: Modulus = Field(description="shear modulus")

    @property
    def shear(self) -> float:
        return self.mu

    def nominal_stress(self, stretch: Floats) -> Floats:
        return np.asarray(3.0 * self.mu * np.log(stretch) / stretch)


AnyEnergy = Annotated[NeoHookean | Yeoh | Ogden | Hencky, Field(discriminator="type")]
