"""What every kernel of a force term sees of the run: the points, the thread's share, the stage of the scheme, and the control.

One record for each thread. The core sets the numbers of a stage before it calls the terms; arrays stay where they are during a call.
"""

from typing import Annotated, NamedTuple

from yawara.core.control import ControlArrays
from yawara.kernels.kinds import Floats, Indices, Natural, Words
from yawara.kernels.records import Bound, opener


class Context(NamedTuple):
    # the points; four or eight entries each, see State
    points: Floats
    start: Floats  # points at the beginning of the step, where the scheme keeps them
    total: Floats
    mass: Floats  # [kg]
    inverse_mass: Floats  # [1/kg]
    gravity: Floats  # [m/s^2], (4,)
    anchor: Annotated[Floats, 2]  # [m]
    push: Floats  # [N s], three entries per point: impulses of methods beside the force terms in this step; empty without such
    forces: Floats  # [N], (threads * 4 * point_count,): each thread's own part begins at `own`; zero between force phases
    # the thread
    me: int
    threads: int
    own: Natural
    begin: Natural  # own points
    end: Natural
    touched_begin: Indices  # points that each thread's elements can reach, (threads,)
    touched_end: Indices
    meeting: Words
    rounds: Words  # meetings of each thread so far
    stop: Floats  # one cache line per thread: not 0 where a term asks to end the call after this step
    # what there is to do
    rows: Annotated[Words, 2]  # addresses of kernels and records, see table.py
    cut: Words
    stages: Annotated[Floats, 2]
    # the stage
    stage: int  # kind, see stages.py
    number: int  # of the stage in its step
    last: int  # number of the last stage
    step: float  # [s] by which values move
    weight: float  # [s] with which rates count in the sums of this step
    dt: float  # [s], of the whole step
    now: float  # [s] since the beginning of the control's stretch
    then: float  # [s] the time that the stage moves to
    made: int  # steps made in this call so far
    account: int  # whether energies are followed
    allowed: float  # stiffness of an element over that at rest, up to which the step is known to be stable
    # an implicit step
    ahead: float  # [s]: internal variables are to be those of so much later; 0 in explicit schemes
    finish: int  # whether this is the evaluation that counts
    everyone: int  # whether elements that may begin to act count as acting: where stable steps are looked for
    steady: int  # whether laws with memory take the rates at the end of a step for those of all of it, and integrate them exactly
    exact: int  # whether the tangent has also what may take stiffness away, as Newton's method wants it
    rigidity: float  # 1 + dt times the stiffest entry of the bodies' tangent over its mass: what constraints are scaled with
    bodies_only: int  # whether the diagonal is asked for without constraints, for `rigidity`
    lacking: float  # [m]: how far constraints are from being met at the last evaluation
    direction: Floats  # four entries per point: what the tangent is multiplied with
    # the outside
    control: ControlArrays | Bound
    log: Annotated[Floats, 2]  # a row for every step
    energy: Floats  # [J], (8,), of this thread: work of drives, of point forces, ...


open_context = opener(Context)

WORK_OF_DRIVES, WORK_OF_FORCES, LOST_IN_MOTION = 0, 1, 2  # places in `energy`

# Places in a term's tally: what it leaves of a call, added up by the term itself.
STORED = 0  # [J], at the last evaluation
DISSIPATED = 1  # [J]
TAKEN = 2  # [J], on the term's own account: neither stored nor lost
GIVEN = 3  # [J], into springs and dampers alike, in an implicit scheme
DRIVEN = 4  # [J], work of drives that the term knows of
STIFFENED = 5  # largest stiffness of an element over that at rest, at the last evaluation or as far ahead as the term looks
TALLY = 8  # a cache line
