"""All kernels that this package has, whatever a scene may need: for those who would rather wait once."""

import importlib
import pkgutil
import sys
from types import FunctionType

import yawara.terms
from yawara.core.rows import phase_kernel
from yawara.core.table import Phase
from yawara.kernels.entries import Kernel
from yawara.laws.base import LAWS
from yawara.laws.block import law_kernels


def all_kernels() -> list[Kernel]:
    found: list[Kernel] = []
    for room in pkgutil.iter_modules(yawara.terms.__path__, "yawara.terms."):
        if room.ispkg:
            kernels = importlib.import_module(f"{room.name}.kernels")
            names = (phase.name.lower() for phase in Phase)
            found += [phase_kernel(kernels, name) for name in names if isinstance(getattr(kernels, name, None), FunctionType)]
    for family in dict.fromkeys(law.family for law in LAWS.values()):
        found += law_kernels(family)
    for name, module in list(sys.modules.items()):
        if name.startswith("yawara."):
            found += [one for one in vars(module).values() if isinstance(one, Kernel)]
    return list(dict.fromkeys(found))
