"""What a force term contributes to the vibrations of bodies, and so to the stable step."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from yawara.core.response import Response
from yawara.kernels.kinds import Floats

Kinds = tuple[tuple[float, Response], ...]  # (strength, response) of every different kind of element


@dataclass(frozen=True)
class Contribution:
    """Elements of one term that vibrate alike: how strong each is, and the linear responses that those of a body can have.

    A strength is a stiffness, or a viscosity where there is no spring; only ratios count, as the responses come with theirs.
    """

    tangent: Mapping[str, Floats]  # the term's arrays that its products read, with strengths for slopes
    kinds: tuple[Kinds, ...]  # for each body


@dataclass(frozen=True)
class Vibration:
    """The highest mode of one body: y' = A y for y = (x, x', internal variables), and how A depends on the mode."""

    parts: tuple[tuple[Response, float], ...]  # responses side by side, each with its own s [1/kg]

    def matrix(self, fraction: float) -> Floats:
        """A of the mode with this fraction of s."""
        A = np.zeros((2 + sum(len(response.rate) for response, _ in self.parts),) * 2)
        A[0, 1] = 1.0
        place = 2
        for response, scale in self.parts:
            own, force = slice(place, place + len(response.rate)), fraction * scale * response.force
            A[1, :2] -= force[:2]
            A[1, own] -= force[2:]
            A[own, :2], A[own, own] = response.rate[:, :2], response.rate[:, 2:]
            place = own.stop
        return A
