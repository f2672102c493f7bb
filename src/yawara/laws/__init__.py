"""One-dimensional rheology: one law per file, each with its closed forms beside it.

Every module of this folder is imported, and so are those of other packages that name themselves in the entry-point group `yawara.laws`:
that makes their laws known to scene files.
"""

import functools
import importlib
import operator
import pkgutil
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator

from yawara.laws.base import LAWS, Law
from yawara.laws.force_dependent_damper import ForceDependentDamper
from yawara.laws.generalized_maxwell import GeneralizedMaxwell
from yawara.laws.generalized_voigt import GeneralizedVoigt
from yawara.laws.internal_friction import InternalFriction
from yawara.laws.limited_three_element import LimitedThreeElement
from yawara.laws.maxwell import Maxwell
from yawara.laws.nonlinear_parallel import NonlinearParallel
from yawara.laws.nonlinear_series import NonlinearSeries
from yawara.laws.three_element import ThreeElement
from yawara.laws.voigt import Voigt

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
for _entry in entry_points(group="yawara.laws"):
    _entry.load()

_OWN = frozenset(LAWS)


def _known_later(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Laws of files that were imported after the bodies were made."""
    if isinstance(value, Law) and value.type not in _OWN:  # type: ignore[attr-defined]
        return value
    if isinstance(value, Mapping) and (kind := value.get("type")) in LAWS and kind not in _OWN:
        return LAWS[str(kind)].model_validate(value)
    return handler(value)


if TYPE_CHECKING:
    AnyLaw = Law
else:
    AnyLaw = Annotated[
        Annotated[functools.reduce(operator.or_, LAWS.values()), Field(discriminator="type")], WrapValidator(_known_later)
    ]

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
    "NonlinearParallel",
    "NonlinearSeries",
    "ThreeElement",
    "Voigt",
]
