"""What a law sees of a block of stress points, and what it gives: the record that its kernels take.

A stress point has the deformation gradient F, the mean over its part of the body, and modes: weighted sums of places that vanish in every
even deformation. A law makes of them, and of their rates, the stress P (first Piola-Kirchhoff) that works upon F, forces that work upon
modes, and rates of its internal variables. Rows of `w` are listed in constants.py: F_ij stands in row 6 j + i, its rate in row 6 j + 3 + i,
V P_ij goes to row OUT + 3 j + i.
"""

from typing import NamedTuple

from yawara.kernels.kinds import Floats, Natural
from yawara.kernels.records import record_type


class Block(NamedTuple):
    w: Floats
    parameter: Floats
    internal: Floats
    rate: Floats  # [1/s] of internal variables: values * LANES
    volume: Floats  # [m^3], of all stress points
    frame: Floats  # of all cells: FRAME numbers each
    column: Natural  # place of the law's first parameter
    place: Natural  # of the block's first internal variable
    slot: Natural  # first stress point
    live: Natural  # lanes in use
    branches: Natural  # of the law
    values: Natural  # internal variables of a stress point
    modes: Natural  # that the law acts upon: 0, 1 or 4
    plane: int  # SOLID, PLANE_STRAIN, PLANE_STRESS
    guarding: float  # share of the guard's strength
    steadying: float  # times as stiff are modes
    way: int  # of internal variables
    ahead: float  # [s], in BACKWARD and STEADY
    account: int
    stored: float  # [J]
    power: float  # [W]
    taken: float  # [W], neither stored nor dissipated
    stiffening: float  # largest stiffness over that at rest, about


BLOCK = record_type(Block)
