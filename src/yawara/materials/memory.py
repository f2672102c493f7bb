"""Terms of a Prony series: what of the shear stress relaxes, and in which times."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from yawara.checks import Part, Quantity, fail

Share = Annotated[float, Quantity("1", gt=0, le=1, remedy="a share of the stress at once: 0.2 is a fifth")]
Time = Annotated[float, Quantity("s", gt=0, remedy="give a positive time in seconds")]
ROUNDED = 1e-9


class PronyTerm(Part):
    """g_i and tau_i of G(t)/G(0) = 1 - sum g_i (1 - exp(-t/tau_i))."""

    share: Share = Field(description="of the stress at once, that relaxes in this time")
    time: Time = Field(description="in which it falls to 1/e")


def check_prony(prony: Sequence[PronyTerm]) -> None:
    total = sum(term.share for term in prony)
    if total > 1.0 + ROUNDED:
        raise fail(
            f"prony must have shares that add up to <= 1 (got {total:g}), as they are parts of the stress at once; shares gamma_i of the "
            "stress that stays are g_i = gamma_i / (1 + sum gamma)"
        )
