"""What a law sees of a block of links, and what it gives: the record that its kernels take.

A family of laws is a module with these names; the links know no other way to ask, and know no family by name.

    columns(parts)         the coefficients of a link, by name and unit, with `parts` internal variables (unless the law tells itself)
    tension(block)         factor = f/l [N/m] and the rates of the internal variables, from lengths and their rates
    energy(block)          after `tension` or `implicit`: stored energy [J], dissipated power [W], force of the dampers [N]
    implicit(block)        the same as `tension` at the end of a step that the internal variables make along, and slope = df'/d ldot'
    instant(column)        stiffness [N/m] and viscosity [N s/m] of each link, as a small quick motion feels them, at most
    responses(column)      the linear responses that a link can have: what the stable step depends on
    residual(column, q)    extension [m] at which a link is without force, as its internal variables are now
    STIFFENS               True if its stiffness may grow with its state: optional

Coefficient j of link t stands at `coefficient[column + j * stride + t]`, internal variable i at `internal[place + i * stride + t]`, its
rate at `internal_rate[i * count + t]`. Tension f and extension d = l - l0 are positive. For `implicit`, length and rate are those at the
END of the step of dt [s], internal variables those at its BEGINNING:

    q' = q + dt rate(d', ldot', q'),   f' = f(d', ldot', q'),   slope = df'/d ldot' [N s/m] with dd' = dt dldot'

Where a step is `steady`, internal variables are integrated over it for an extension that grows with the rate ldot' all the time, exactly
where the law can: long steps then relax as they should. A law that cannot takes backward Euler as above.

The slope is never negative: each law resists a faster motion. With dt = 0 all is as in `tension`, and slope is the viscosity.
"""

from functools import cache
from types import ModuleType
from typing import NamedTuple

from yawara.kernels.entries import Kernel
from yawara.kernels.kinds import Floats, Natural
from yawara.kernels.records import record_type

# Added to squared lengths [m^2]: changes nothing above 1e-142 m, and makes the force of a link of no length zero instead of NaN.
SMALLEST_LENGTH2 = 1e-300


class Block(NamedTuple):
    coefficient: Floats
    internal: Floats  # internal variables [m]
    length2: Floats  # [m^2], squared lengths
    stretching: Floats  # [m^2/s], length times its rate
    factor: Floats  # [N/m], tension over length
    internal_rate: Floats  # [m/s]
    slope: Floats  # [N s/m]
    damper: Floats  # [N]: what dampers beside springs give
    column: Natural  # place of the first coefficient
    place: Natural  # of the first internal variable
    stride: Natural  # from one column to the next
    count: Natural  # type: ignore[assignment]  # links
    parts: Natural  # internal variables per link
    dt: float  # [s], of the step; 0 if nothing moves
    stored: float  # [J]
    power: float  # [W]
    stiffening: float  # largest stiffness of a spring over that at rest, now or in `dt` as it moves; laws that stiffen set it in `tension`
    steady: int = 0  # in `implicit`: whether the rate at the end of the step is that of all of it, see below


BLOCK = record_type(Block)


class Column(NamedTuple):
    """A coefficient of a link."""

    name: str
    unit: str
    power: (
        int | None
    )  # with which it grows where several such links stand side by side; None if the stable step does not depend on it


@cache
def law_kernels(family: ModuleType) -> tuple[Kernel, Kernel, Kernel]:
    """Tension, energy, implicit."""
    tension, energy, implicit = (
        Kernel(getattr(family, name), (BLOCK,), by_address=True) for name in ("tension", "energy", "implicit")
    )
    return tension, energy, implicit
