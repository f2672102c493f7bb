"""What the kernels of continuum elements see: one record for each thread."""

from typing import NamedTuple

from yawara.kernels.kinds import Floats, Indices, Natural, Words
from yawara.terms.continuum.block import Block


class Arrays(NamedTuple):
    """Stress points in blocks of one law, LANES each; a block's last lanes may be empty.

    An entry is a point that a stress point depends on; their weights, `columns` numbers for each, begin at `row`. The first entry has minus
    the sum of the others' weights: what it is itself does not count. Columns 0 to 2 make the gradient [1/m], others modes [m^(1/2)]. Where
    `lone` is set, column 3 makes a force on the first point alone [m], and entries have a fifth weight [1/m], of dampers along their lines.
    """

    node: Indices  # points, (entry_count,)
    first: Indices  # entry, (slot_count + 1,)
    row: Words  # place of the first weight, (slot_count,)
    weight: Floats
    volume: Floats  # [m^3], (slot_count,), at rest
    frame: Floats  # FRAME numbers for each slot; if no block has modes, empty
    block_live: Indices  # (block_count,)
    block_law: Words  # number of the law's kernel
    block_parameter: Words  # place of its first parameter
    block_place: Words  # of its first internal variable
    block_branches: Indices
    block_values: Indices  # internal variables of a stress point
    block_columns: Words  # 3, 4 or 7
    block_lone: Words
    block_box: Words  # whether weights are signs times one row of numbers
    block_plane: Words
    block_body: Words  # number of the body among those of the term
    parameter: Floats
    lone_stiffness: Floats  # [Pa], (block_count,): of the column that acts on one point
    lone_viscosity: Floats  # [Pa s]
    guard_corner: Indices  # points of guarded cells, four each, LANES cells in a block
    guard_limit: Floats  # six times the volume [m^3], or twice the area [m^2], below which they are guarded
    guard_softness: Floats  # [m^-4] or [m^-2], of each: makes of sum |dc/dx|^2 a stiffness over that at rest
    guard_strength: Floats  # [Pa] or [N/m], (guard_count,): kappa V over the limit
    guard_live: Words  # cells of a block
    guard_flat: Words  # whether they are triangles
    guard_body: Words  # number of the body
    law_stress: Words  # addresses of the laws' kernels
    first_block: Natural  # the thread's own
    last_block: Natural
    first_guard: Natural
    last_guard: Natural
    content: Floats  # scratch: volumes of a block of guarded cells
    crushed: Floats  # of each body: not 0 while its guard is mild, see order.py
    looked: Floats  # steps; kernels do not need it
    internal: Floats  # internal variables
    internal_start: Floats
    internal_total: Floats
    raw: Floats  # scratch: columns of a block, lane by lane
    kept: Floats  # scratch: rows of a block as they were before they were moved
    block: Block
    acting: Floats  # tangent: 1, or 0 where it is left out
    noted: Floats  # [Pa], six per slot, for stresses; empty if nobody asks
    tally: Floats
