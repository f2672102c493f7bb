"""Which kernels a scene needs."""

from collections.abc import Iterable

from yawara.core.rows import kernels_of
from yawara.core.soundness import farthest, is_sound
from yawara.core.table import EXPLICIT, FORCES, IMPLICIT, NOTES, TANGENT
from yawara.core.term import ForceTerm
from yawara.kernels.entries import Kernel
from yawara.methods.evaluate import act_from_outside, add_forces
from yawara.methods.explicit import advance
from yawara.methods.implicit import advance_implicitly, linearise, multiply
from yawara.methods.note import note_all
from yawara.methods.power import iterate
from yawara.methods.scheme import Scheme

ALWAYS = (farthest, is_sound, act_from_outside, add_forces, linearise, iterate, multiply)


def needed_kernels(terms: Iterable[ForceTerm], scheme: Scheme) -> list[Kernel]:
    """All that a run with these terms and this scheme calls, each once."""
    steps = {*FORCES, *(IMPLICIT if scheme.is_implicit else EXPLICIT)}
    found = [*ALWAYS, advance_implicitly if scheme.is_implicit else advance]
    for term in terms:
        phases = steps if term.by_impulse else steps | set(TANGENT)  # contacts are not in the watch on the stable step
        found += [*kernels_of(term, sorted(phases)).values(), *term.kernels_used]
    return list(dict.fromkeys(found))


def note_kernels(terms: Iterable[ForceTerm]) -> list[Kernel]:
    """What is needed beyond that to tell stresses."""
    return [note_all, *dict.fromkeys(kernel for term in terms for kernel in kernels_of(term, NOTES).values())]
