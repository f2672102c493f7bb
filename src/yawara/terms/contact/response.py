"""The force of one contact, from how deep it is and how fast it gets deeper.

Time-integrated penalty (Sugiyama et al. 2002, eq. (8)), with L the distance from the surface (negative inside) and V its rate:

    N = -K (L - eps) - C V - I S,   S = integral of L dt <= 0,   N >= 0

The spring begins at the outer border of the eps zone. The source resets S when L leaves the zone; where a load falls slowly (a body that
relaxes under a plate) S would still carry it then, and the contact would drop it and catch it again. So here S is reset when L has left
the zone and the force has fallen to zero. Plain penalty (their eq. (1)): eps = 0, I = 0.
Friction (Coulomb) is a spring and damper along the surface that slips at mu N: a body on a slope stays where it is, as long as it can.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.contact.internal import KEY, STRETCH, SUM, VARIABLES

# Places in the law. Coefficients that are not given (0) follow from the mass m in the contact. HOLD [m] is how far beyond its zone a
# contact may go on; MULTIPLIERS is not 0 where there is no stiffness at all, see augmented.py.
RATE2, STIFFNESS, DAMPING_RATIO, DAMPING, INTEGRAL_RATIO, INTEGRAL, ZONE, FRICTION, HOLD = 0, 1, 2, 3, 4, 5, 6, 7, 8
MULTIPLIERS, LAW = 9, 10

NOBODY = -1


@inner
def coefficients(law, mass, share):
    """K [N/m], C [N s/m], I [N/(m s)] of a contact that has this mass [kg] to move, times its share among those around it.

    Derived: K = m w^2, with w [1/s] from the time step; C = 2 zeta sqrt(K m); I = ratio * C K / m, where a ratio of 1 is the limit of
    stability, by Routh's criterion for m s^3 + C s^2 + K s + I.
    """
    k = law[STIFFNESS] if law[STIFFNESS] > 0.0 else law[RATE2] * mass
    c = law[DAMPING] if law[DAMPING] >= 0.0 else 2.0 * law[DAMPING_RATIO] * math.sqrt(k * mass)
    i = law[INTEGRAL] if law[INTEGRAL] >= 0.0 else law[INTEGRAL_RATIO] * c * k / mass
    return share * k, share * c, share * i


@inner
def slot_of(internal, first, slots, key, may_claim):
    """The row of `internal` that belongs to this key among `slots` rows from `first` on; a free one is claimed if that is allowed."""
    free = NOBODY
    for row in range(first, first + slots):
        owner = internal[U(VARIABLES * row + KEY)]
        if owner == key:
            return row
        if owner == 0.0 and free == NOBODY:
            free = row
    if may_claim and free != NOBODY:
        internal[U(VARIABLES * free + KEY)] = key
        return free
    return NOBODY


@inner
def release(internal, row):
    """Forget a contact that has ended; `row` may be unassigned."""
    if row != NOBODY:
        for n in range(U(VARIABLES)):
            internal[U(VARIABLES * row) + n] = 0.0


@inner
def forget(internal, first, slots, seen):
    """Release the rows of contacts that were not seen this time."""
    for slot in range(slots):
        if internal[U(VARIABLES * (first + slot) + KEY)] != 0.0 and not seen >> slot & 1:
            release(internal, first + slot)


@inner
def who_remembers(internal, first_row, slots, begin, end, remembers):
    """Which of the elements from begin to end have a slot in use; returns whether any has."""
    anybody = False
    for n in range(begin, end):
        remembers[n - begin] = False
        for slot in range(slots):
            if internal[U(VARIABLES * (first_row + slots * n + slot) + KEY)] != 0.0:
                remembers[n - begin] = anybody = True
    return anybody


@inner
def still_pushes(law, mass, share, gap, rate, internal, row):
    """Whether a contact beyond its zone still pushes, by what it remembers; `row` may be unassigned."""
    if row == NOBODY or gap - law[ZONE] > law[HOLD]:
        return False
    k, c, i = coefficients(law, mass, share)
    return -k * (gap - law[ZONE]) - c * rate - i * internal[U(VARIABLES * row + SUM)] > 0.0


@inner
def respond(law, mass, share, friction, gap, nx, ny, nz, vx, vy, vz, internal, row, dt, keep):
    """The force [N] on what touches, at `gap` [m] along the normal and with this relative velocity [m/s].

    `dt` [s] moves the internal variables ahead before they act, as the source does; they stay so if `keep`. Returns the force, its normal
    part, what share of the sticking force friction has (1 where it holds), and the energy [J] that its springs hold.
    """
    k, c, i = coefficients(law, mass, share)
    zone = law[ZONE]
    rate = vx * nx + vy * ny + vz * nz
    total, sx, sy, sz = 0.0, 0.0, 0.0, 0.0
    at = U(VARIABLES * row)
    if row != NOBODY:
        total = internal[at + U(SUM)]
        sx, sy, sz = internal[at + U(STRETCH)], internal[at + U(STRETCH + 1)], internal[at + U(STRETCH + 2)]
    total = min(total + gap * dt, 0.0)
    normal = max(0.0, -k * (gap - zone) - c * rate - i * total)
    stored = 0.5 * k * (gap - zone) ** 2
    fx, fy, fz, hold = 0.0, 0.0, 0.0, 0.0
    if friction > 0.0:
        tx, ty, tz = vx - rate * nx, vy - rate * ny, vz - rate * nz
        out = sx * nx + sy * ny + sz * nz  # the surface may have turned
        sx, sy, sz = sx - out * nx + tx * dt, sy - out * ny + ty * dt, sz - out * nz + tz * dt
        fx, fy, fz = -k * sx - c * tx, -k * sy - c * ty, -k * sz - c * tz
        size, most = math.sqrt(fx * fx + fy * fy + fz * fz), friction * normal
        hold = 1.0
        if size > most:
            hold = most / size
            fx, fy, fz = fx * most / size, fy * most / size, fz * most / size
            sx, sy, sz = -fx / k, -fy / k, -fz / k
        stored += 0.5 * k * (sx * sx + sy * sy + sz * sz)
    if keep and row != NOBODY:
        internal[at + U(SUM)] = total
        internal[at + U(STRETCH)], internal[at + U(STRETCH + 1)], internal[at + U(STRETCH + 2)] = sx, sy, sz
    return fx + normal * nx, fy + normal * ny, fz + normal * nz, normal, hold, stored
