"""One-dimensional rheology: one law per file, each with its closed forms beside it."""

from typing import Annotated

from pydantic import Field

from yawara.laws.base import Law
from yawara.laws.force_dependent_damper import ForceDependentDamper
from yawara.laws.generalized_maxwell import GeneralizedMaxwell
from yawara.laws.generalized_voigt import GeneralizedVoigt
from yawara.laws.internal_friction import InternalFriction
from yawara.laws.limited_three_element import LimitedThreeElement
from yawara.laws.maxwell import Maxwell
from yawara.laws.three_element import ThreeElement
from yawara.laws.voigt import Voigt

AnyLaw = Annotated[
    Voigt
    | Maxwell
    | ThreeElement
    | GeneralizedVoigt
    | GeneralizedMaxwell
    | ForceDependentDamper
    | InternalFriction
    | LimitedThreeElement,
    Field(discriminator="type"),
]

LAWS: dict[str, type[Law]] = {
    law.model_fields["type"].default: law
    for law in (
        Voigt,
        Maxwell,
        ThreeElement,
        GeneralizedVoigt,
        GeneralizedMaxwell,
        ForceDependentDamper,
        InternalFriction,
        LimitedThreeElement,
    )
}

__all__ = [
    "LAWS",
    "AnyLaw",
    "ForceDependentDamper",
    "GeneralizedMaxwell",
    "GeneralizedVoigt",
    "InternalFriction",
    "Law",
    "LimitedThreeElement",
    "Maxwell",
    "ThreeElement",
    "Voigt",
]
