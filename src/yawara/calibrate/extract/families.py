"""The laws that can be fitted, as lists of parameters, and the law that a list of parameters is."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from yawara.checks import SceneError, nearest
from yawara.kernels.kinds import Floats
from yawara.laws import GeneralizedMaxwell, GeneralizedVoigt, Maxwell, ThreeElement, Voigt
from yawara.laws.linear import LinearLaw, Spectrum


@dataclass(frozen=True)
class Family:
    """Voigt parts in series, or Maxwell arms side by side, with a spring and a damper of their own or without.

    Parameters are in the order k1 c1 k2 c2 ... of the parts, then the spring's, then the damper's. All are > 0.
    """

    law: str
    parts: int
    spring: bool = False
    damper: bool = False

    @property
    def series(self) -> bool:
        return self.law != "generalized_maxwell"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters, as in the law."""
        match self.law:
            case "voigt":
                return ("k", "c")
            case "maxwell":
                return ("k", "c")
            case "three_element":
                return ("k1", "c1", "c2")
        pairs = tuple(f"{letter}{i + 1}" for i in range(self.parts) for letter in "kc")
        own = ("k0", "c0") if self.series else ("k_inf", "c_inf")
        return (*pairs, *own[:1][: self.spring], *own[1:][: self.damper])

    @property
    def stiffness(self) -> tuple[bool, ...]:
        """Whether each parameter is a stiffness; the others are viscosities."""
        return tuple(name.startswith("k") for name in self.names)

    @property
    def label(self) -> str:
        """In a table of laws."""
        if self.law in SINGLE:
            return self.law
        own = [word for word, there in (("spring", self.spring), ("damper", self.damper)) if there]
        what = "Voigt" if self.series else "Maxwell"
        return " + ".join([f"{self.parts} {what}", *own])

    def build(self, values: Floats) -> LinearLaw:
        """The law with these parameters."""
        numbers = [float(value) for value in values]
        k, c = tuple(numbers[0 : 2 * self.parts : 2]), tuple(numbers[1 : 2 * self.parts : 2])
        own = numbers[2 * self.parts :]
        match self.law:
            case "voigt":
                return Voigt(k=k[0], c=c[0])
            case "maxwell":
                return Maxwell(k=own[0], c=own[1])
            case "three_element":
                return ThreeElement(k1=k[0], c1=c[0], c2=own[0])
            case "generalized_voigt":
                springs = ((own[0],), (0.0,)) if self.spring else ((), ())
                dampers = ((0.0,), (own[-1],)) if self.damper else ((), ())
                return GeneralizedVoigt(k=(*k, *springs[0], *dampers[0]), c=(*c, *springs[1], *dampers[1]))
        extra: dict[str, Any] = {}
        if self.spring:
            extra["k_inf"] = own[0]
        if self.damper:
            extra["c_inf"] = own[-1]
        return GeneralizedMaxwell(k=k, c=c, **extra)

    def spectrum(self, values: Floats) -> Spectrum:
        """The law's compliance if it is a series, else its impedance."""
        law = self.build(values)
        return law.compliance() if self.series else law.impedance()

    def values_of(self, lines: Spectrum, instant: float, lasting: float) -> Floats:
        """Parameters of the law with these lines of rate > 0, what answers at once, and what the line of rate 0 weighs.

        Series: lines 1/(c_i (s + k_i/c_i)), at once 1/k, lasting 1/c. Side by side: lines k_i/(s + k_i/c_i), lasting k, at once c.
        """
        if self.series:
            pairs, own = [(rate / weight, 1.0 / weight) for weight, rate in _pairs(lines)], (1.0 / instant, 1.0 / lasting)
        else:
            pairs, own = [(weight, weight / rate) for weight, rate in _pairs(lines)], (lasting, instant)
        return np.array([*(value for pair in pairs for value in pair), *own[:1][: self.spring], *own[1:][: self.damper]])

    def sorted(self, values: Floats) -> tuple[Floats, "np.typing.NDArray[np.int64]"]:
        """Parameters with the quickest part first, and their places before."""
        pairs = values[: 2 * self.parts].reshape(-1, 2)
        order = np.argsort(pairs[:, 1] / pairs[:, 0])
        places = np.concatenate([np.stack([2 * order, 2 * order + 1], axis=1).ravel(), np.arange(2 * self.parts, len(values))])
        return values[places], places.astype(np.int64)

    def with_parts(self, parts: int) -> "Family":
        return replace(self, parts=parts)


SINGLE = {
    "voigt": Family("voigt", 1),
    "maxwell": Family("maxwell", 0, True, True),
    "three_element": Family("three_element", 1, damper=True),
}
AUTO = "auto"  # all series of Voigt parts, a spring and a damper
NAMES = (*SINGLE, "generalized_voigt", "generalized_maxwell")
OWN = ("none", "spring", "damper", "both")
MOST_PARTS = 5


def family(law: str, *, parts: int = 1, own: str = "") -> Family:
    """By the name of the law; `own` says which elements of its own a generalised one has: none, spring, damper, both.

    Without it a generalised Voigt law has none, and a generalised Maxwell law a spring, so that a force may remain.
    """
    if law in SINGLE:
        return SINGLE[law]
    own = own or ("none" if law == "generalized_voigt" else "spring")
    return Family(law, parts, own in ("spring", "both"), own in ("damper", "both"))


def series(parts: int, own: str) -> Family:
    """Voigt parts, a spring and a damper in series, by the simplest name that the law has."""
    found = Family("generalized_voigt", parts, own in ("spring", "both"), own in ("damper", "both"))
    same = (simple for simple in SINGLE.values() if replace(simple, law=found.law) == found)
    return next(same, found)


def candidates(model: str, *, parts: int | None = None, own: str = "") -> list[list[Family]]:
    """Laws to choose from, by the number of their parameters; `parts` and `own` narrow them down."""
    _check(model, own)
    if model in SINGLE:
        return [[SINGLE[model]]]
    numbers = range(1 if model != AUTO else 0, MOST_PARTS + 1) if parts is None else (parts,)
    if model != AUTO:
        return [[family(model, parts=n, own=own)] for n in numbers]
    found = [series(n, each) for n in numbers for each in ((own,) if own else OWN)]
    sizes = sorted({len(item.names) for item in found if len(item.names) > 1})  # a spring or a damper alone is no law here
    return [[item for item in found if len(item.names) == size] for size in sizes]


def _check(model: str, own: str) -> None:
    problems = []
    if model not in (AUTO, *NAMES):
        problems.append(("--model", f"'{model}' cannot be fitted; {nearest(model, (AUTO, *NAMES))}"))
    if own and own not in OWN:
        problems.append(("--with", f"'{own}' is not known; {nearest(own, OWN)}"))
    if problems:
        raise SceneError(problems, source="the command")


def _pairs(lines: Spectrum) -> list[tuple[float, float]]:
    return list(zip(lines.weight.tolist(), lines.rate.tolist(), strict=True))
