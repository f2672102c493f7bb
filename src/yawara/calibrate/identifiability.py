"""What the measurements can tell at all: how strongly each parameter shows in them, and which ones cannot be told apart.

The Jacobian J of the residuals (each over its noise) by the parameters in the unit cube says it to first order. A column of zeros is a
parameter that changes nothing. A singular value s below 1 is a direction in which the whole range of the parameters changes the readings
by less than their noise.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from yawara.calibrate.space import Space
from yawara.kernels.kinds import Floats

NOTHING = 1e-6  # of the strongest parameter's column: no more than this is the rounding of differences
WEAK = 1.0  # noise over the whole range: below, the data say nothing about a direction
ALIKE = 0.99  # correlation from which two parameters can hardly be told apart
LARGE_CONDITION = 1e4
ROUNDING, TINY = 1e-7, 1e-100  # of the largest singular value: smaller ones are not told from zero; and above zero itself
SHARE = 0.3  # of a direction: parameters with less are not named


@dataclass(frozen=True)
class Identifiability:
    """Of the free parameters, at one place of their space."""

    names: tuple[str, ...]
    sensitivity: (
        Floats  # [1]: how many times their noise the readings change over a parameter's range, root of the sum of squares
    )
    singular_values: Floats  # falling
    directions: Floats  # (count, parameter_count): of the singular values
    correlation: Floats  # (parameter_count, parameter_count), of the estimates

    @property
    def condition(self) -> float:
        small = self.singular_values[-1]
        return float(self.singular_values[0] / small) if small > 0.0 else float("inf")

    @property
    def without_effect(self) -> list[str]:
        """Parameters that change nothing in what was measured."""
        most = self.sensitivity.max(initial=0.0)
        return [name for name, size in zip(self.names, self.sensitivity, strict=True) if size <= NOTHING * most]

    def warnings(self) -> list[str]:
        return [*self.effect_warnings(), *self.doubts(set(self.without_effect))]

    def effect_warnings(self) -> list[str]:
        """At the start: what will be kept."""
        return [
            f"{name} changes nothing in what was measured and cannot be found: it is kept at its start; "
            "measure something that depends on it, or leave it out"
            for name in self.without_effect
        ]

    def doubts(self, told: Collection[str] = ()) -> list[str]:
        """Combinations that the data say little about; none of parameters that were `told` before."""
        found = []
        for value, direction in zip(self.singular_values, self.directions, strict=True):
            names = self._named(direction)
            if value < WEAK and not set(names) <= set(told):
                found.append(
                    f"the data say next to nothing about {_joined(names)}: over the whole range the readings change by "
                    f"{value:.2g} of their noise; measure more precisely, or fix {names[0]}"
                )
        for i, first in enumerate(self.names):
            for j in range(i + 1, len(self.names)):
                if abs(self.correlation[i, j]) > ALIKE and not {first, self.names[j]} & set(told):
                    found.append(
                        f"{first} and {self.names[j]} can hardly be told apart (correlation {self.correlation[i, j]:.3f}): only a "
                        "combination of the two is well known; fix one, or measure something that tells them apart"
                    )
        return found

    def _named(self, direction: Floats) -> list[str]:
        order = np.argsort(-np.abs(direction), kind="stable")
        return [self.names[n] for n in order if abs(direction[n]) > SHARE]


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} together"


def inverse_normal(jacobian: Floats) -> Floats:
    """(J^T J)^-1, (parameter_count, parameter_count): the covariance of the estimates where readings have their noise and no more."""
    inverse = inverse_of(jacobian)
    return np.asarray(inverse @ inverse.T)


def inverse_of(jacobian: Floats) -> Floats:
    """J^+, (parameter_count, residual_count). Where nothing is known it is very large, not zero as a pseudoinverse has it."""
    left, values, directions = np.linalg.svd(jacobian, full_matrices=False)
    least = max(ROUNDING * float(values[0]), TINY)
    return np.asarray((directions.T / np.maximum(values, least)) @ left.T)


def identifiability(space: Space, jacobian: Floats) -> Identifiability:
    """From the Jacobian (residual_count, parameter_count) in the unit cube."""
    sensitivity = np.linalg.norm(jacobian, axis=0)
    _, values, directions = np.linalg.svd(jacobian, full_matrices=False)
    covariance = inverse_normal(jacobian)
    spread = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return Identifiability(space.names, sensitivity, values, directions, covariance / np.outer(spread, spread))
