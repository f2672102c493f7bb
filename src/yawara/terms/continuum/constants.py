"""Numbers that building and kernels share."""

LANES = 16  # stress points of a block, side by side
# Of cells of nodal elements: part of their volume below which their guard pushes, and how far, see simplex_guard.py
GUARD_LIMIT, GUARD_WIDTH = 0.1, 0.12
BECAME, BEGAN = 0.5, 1.0  # how a body is crushed, if it is, see order.py
MILD_BOXES, MILD_NODES = 0.025, 0.125  # of their guard's strength then
STEADIER, STEADIER_MODES = 40.0, 40.0  # times as stiff are the stabiliser of nodal elements, and modes, of bodies that began so
MOST_COLUMNS = 7  # gradients along three axes, and at most four modes
FRAME = 13  # numbers of a cell's own axes: dX/dxi [m], row by row, and for each mode what makes a length of it [m^(-1/2)]

# Rows of the scratch of a block, LANES numbers each. Of column c, six: x y z of what its weights make of places, and of velocities.
OUT = 6 * MOST_COLUMNS  # three per column: what is handed back to the points, by the same weights
ROTATION = OUT + 3 * MOST_COLUMNS  # nine, row by row
STRETCH = ROTATION + 9  # six, of U: xx yy zz yz zx xy, as are all that follow
STRETCHING = STRETCH + 6  # its rate
TENSION = STRETCHING + 6  # stress that works upon U
LEVER = TENSION + 6  # the inverse of tr(U) I - U
SPIN = LEVER + 6  # three: how fast the frame turns, in the world's axes [1/s]
MOMENT = SPIN + 3  # three, of what modes push, in the world's axes
FADING = MOMENT + 3  # one: part of the viscosities that is felt
STIFFNESS = FADING + 1  # one: about the stiffness now over that at rest
# Of laws with an energy of finite strain
RATIO = STIFFNESS + 1  # det U
SHRINK = RATIO + 1  # its -1/3rd power
MEASURE = SHRINK + 1  # six: what has been stretched elastically, U C_p^-1 U
DRIVEN = (
    MEASURE + 6
)  # six: Kirchhoff's stress of the energy in the axes that turn along, without its mean, over the shear modulus at once
DRIVEN_RATE = DRIVEN + 6  # six [1/s]
DRIVEN_START = DRIVEN_RATE + 6  # six: the same at the beginning of a step
MEAN = DRIVEN_START + 6  # a third of the trace that was left out
ENERGY = MEAN + 1  # [Pa]
BORNE = ENERGY + 1  # six: the same stress as memory leaves it [Pa]
EIGEN = BORNE + 6  # six: a matrix that becomes diagonal
AXES = EIGEN + 6  # nine: its eigenvectors, column by column
FLOW = AXES + 9  # six: direction of flow
TRIAL = FLOW + 6  # six: what has been stretched if nothing flows in this step
FLOWED = TRIAL + 6  # how much flows in this step, and the step before in the search for it; then what is missing, in both
RESISTING = FLOWED + 4  # one: about the shear modulus now, of what was stretched elastically, over that at rest
ACROSS = RESISTING + 1  # four: of the search for how thick a sheet is
ROWS = ACROSS + 4

SOLID, PLANE_STRAIN, PLANE_STRESS = 0, 1, 2  # what a block's elements are

# How internal variables go along: by their rates, not at all, by backward Euler, or integrated over a step of constant strain rate
BY_RATE, FROZEN, BACKWARD, STEADY = 0, 1, 2, 3

# Parameters of a law: places in its row of the table. The first ones every law has
(
    AT_ONCE,  # [Pa], shear modulus at once
    BULK,  # [Pa], bulk modulus
    SHEAR_VISCOSITY,  # [Pa s], 2 eta
    VOLUME_VISCOSITY,  # [Pa s], zeta
    PLANE_VISCOSITY,  # [Pa s], of the area under plane stress, instead of zeta
    BENDING,  # [Pa], of modes that bend
    WARPING,  # [Pa], of the one that warps
    BENDING_VISCOSITY,  # [Pa s]
    WARPING_VISCOSITY,  # [Pa s]
    BENDING_RELAXING,  # [Pa], of modes, what relaxes
    WARPING_RELAXING,  # [Pa]
    MODE_RATE,  # [1/s], in which it does
    GUARD,  # [Pa], of corners that would turn inside out
    OWN,  # first one that a law has for itself
) = range(14)

# Of the corotated law
(
    SHEAR,  # [Pa], 2 G of what does not relax
    TRACE,  # [Pa], a: of tr(U)
    VOLUME,  # [Pa], K - a: of J
    FIRST_BRANCH,  # then of each branch that relaxes: 2 G [Pa], 1/tau [1/s]
) = range(OWN, OWN + 4)

# Of laws with an energy; SHEAR and TRACE are 0 there, VOLUME is K
INVARIANT, LOGARITHMIC, POWERS = 0, 1, 2  # energies: of I, of logarithms of stretches, of powers
MOST_NUMBERS = 12
(
    KIND,
    YIELD,  # [Pa]
    FLUIDITY,  # [1/(Pa s)], 1/eta; 0 if nothing flows
    NUMBERS,  # C1 C2 C3 [Pa], or mu [Pa], or how many terms, and 2 mu/a [Pa] and a of each
) = range(VOLUME + 1, VOLUME + 5)
FIRST_SHARE = NUMBERS + 1 + MOST_NUMBERS  # of each branch that relaxes: share of the stress at once, 1/tau [1/s]
