"""Records and table of one group of threads: what the kernels of a model's terms see, bound to arrays."""

from collections.abc import Sequence
from functools import cache
from types import ModuleType

import numpy as np

from yawara.core.context import Context
from yawara.core.table import Phase
from yawara.core.term import ForceTerm
from yawara.kernels.entries import Kernel
from yawara.kernels.kinds import Words
from yawara.kernels.records import Bound, record_type

CONTEXT = record_type(Context)
INSTEAD = {"add_end_forces": "add_forces"}  # terms without internal variables need not tell the end of a step from its beginning


@cache
def phase_kernel(kernels: ModuleType, name: str) -> Kernel:
    """A room's kernel, by the name of its phase."""
    return Kernel(getattr(kernels, name), (CONTEXT, record_type(kernels.Arrays)), by_address=True)


def kernels_of(term: ForceTerm, phases: Sequence[Phase]) -> dict[Phase, Kernel]:
    """Those with which a term takes part in these phases."""
    names, found = set(term.phases()), {}
    for phase in phases:
        name = phase.name.lower()
        name = name if name in names else INSTEAD.get(name, name)
        if name in names:
            found[phase] = phase_kernel(term.kernels, name)
    return found


def table_of(terms: Sequence[ForceTerm], records: Sequence[Bound], phases: Sequence[Phase]) -> tuple[Words, Words]:
    """Rows (kernel, record) of one thread, phase by phase, and where each phase begins."""
    rows, cut = list[tuple[int, int]](), [0]
    used = [kernels_of(term, phases) for term in terms]
    for phase in Phase:
        rows += [
            (kernels[phase].address, record.address) for kernels, record in zip(used, records, strict=True) if phase in kernels
        ]
        cut.append(len(rows))
    return np.array(rows, np.int64).reshape(-1, 2), np.array(cut, np.int64)
