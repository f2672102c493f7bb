"""The genetic algorithm of Nogami et al. 2004: bit strings that are cut and joined."""

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from yawara.calibrate.search.base import Ask, Count, Search
from yawara.calibrate.space import Space
from yawara.checks import Quantity, fail
from yawara.kernels.kinds import Floats

Genes = NDArray[np.bool_]
"""Bits of all parameters one after the other, the highest of each first: (..., parameter_count * bits)."""

Share = Annotated[float, Quantity("1", gt=0, le=1, remedy="Nogami et al. 2004 use 0.2")]
Chance = Annotated[float, Quantity("1", ge=0, le=1, remedy="Nogami et al. 2004 use 0.01")]
Bits = Annotated[int, Quantity("1", ge=1, le=52, whole=True, remedy="16 bits divide a range into 65535 parts")]


class Genetic(Search):
    """Keeps the best of a generation, replaces the others by crossings of these and, rarely, by mutants.

    A string of bits counts evenly from the lower bound to the upper one, both included: of the logarithm where that counts. The papers
    do not say clearly who may be a parent (two "from all ones", but after the others were eliminated), nor how many bits of a mutant are
    reversed ("whose bits are reversed"). The defaults are the readings that work: if only survivors have children, mutants hardly ever
    do, all are alike after about 160 different points, and tens of thousands as in the papers cannot be reached.
    """

    source: ClassVar[str] = "Nogami et al. 2004 (ICRA), sec. C; Nogami et al. 2004 (IROS), sec. B"
    use: ClassVar[str] = "to repeat the papers; many parameters, rough costs, tens of thousands of evaluations"

    method: Literal["genetic"] = "genetic"
    individuals: Count = Field(50, description="G_ind: in each generation")
    survivors: Share = Field(0.2, description="G_eli or G_sur: share of them that lives on")
    mutation: Chance = Field(0.01, description="G_mut: chance of a new one to be a mutant instead of a crossing")
    generations: Count = Field(1900, description="G_gen: ends the search after so many, if the budget does not")
    bits: Bits = Field(16, description="of each parameter; not given in the papers")
    reversal: Literal["all", "one"] = Field("all", description="which bits of a mutant are reversed: all, or one at random")
    parents: Literal["all", "survivors"] = Field(
        "all", description="who is crossed or mutated: all of the last generation, or those of them that live on"
    )

    @model_validator(mode="after")
    def _can_cross(self) -> Self:
        if not 2 <= self.survivor_count < self.individuals:
            raise fail(
                f"survivors must be 2 individuals at least, and not all (got {self.survivors:g} of {self.individuals}, "
                f"that is {self.survivor_count}); change survivors or individuals"
            )
        return self

    @property
    def survivor_count(self) -> int:
        return round(self.individuals * self.survivors)

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        genes = rng.integers(0, 2, (self.individuals, space.size * self.bits)).astype(bool)
        costs = _costs(ask, space, genes)
        for _ in range(self.generations):
            order = np.argsort(costs, kind="stable")
            genes, costs = genes[order], costs[order]
            kept = self.survivor_count
            children = self._children(genes[:kept] if self.parents == "survivors" else genes, rng)
            genes, costs = np.vstack([genes[:kept], children]), np.append(costs[:kept], _costs(ask, space, children))

    def _children(self, parents: Genes, rng: np.random.Generator) -> Genes:
        """G_ind (1 - G_eli) new ones."""
        return np.array([self._child(parents, rng) for _ in range(self.individuals - self.survivor_count)])

    def _child(self, parents: Genes, rng: np.random.Generator) -> Genes:
        if rng.random() < self.mutation:
            return self._mutant(parents[rng.integers(len(parents))], rng)
        count, length = parents.shape
        first = rng.integers(count)
        second = (first + rng.integers(1, count)) % count  # another one
        return crossing(parents[first], parents[second], int(rng.integers(1, max(length, 2))))

    def _mutant(self, original: Genes, rng: np.random.Generator) -> Genes:
        if self.reversal == "all":
            return ~original
        bit = rng.integers(len(original))
        return original ^ (np.arange(len(original)) == bit)


def crossing(first: Genes, second: Genes, point: int) -> Genes:
    """One child of two strings that are cut before bit `point`."""
    # A_f + B_l      Nogami et al. 2004 (ICRA), sec. C, step 6
    return np.append(first[:point], second[point:])


def decoded(space: Space, genes: Genes) -> Floats:
    """Values (count, parameter_count) in the parameters' units."""
    bits = genes.shape[-1] // space.size
    weights = 2.0 ** np.arange(bits - 1, -1, -1)
    return space.to_values(genes.reshape(-1, space.size, bits) @ weights / (2.0**bits - 1.0))


def _costs(ask: Ask, space: Space, genes: Genes) -> Floats:
    return np.array([outcome.cost for outcome in ask(decoded(space, genes))])
