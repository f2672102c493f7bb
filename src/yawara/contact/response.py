"""The force of one contact, from how deep it is and how fast it gets deeper.

Time-integrated penalty (seed 004, eq. (8)), with L the distance from the surface (negative inside) and V its rate:

    N = -K (L - eps) - C V - I S,   S = integral of L dt <= 0,   N >= 0

The spring begins at the outer border of the eps zone. The source resets S when L leaves the zone; where a load falls slowly (a body that
relaxes under a plate) S would still carry it then, and the contact would drop it and catch it again. So here S is reset when L has left
the zone and the force has fallen to zero. Plain penalty (eq. (1)): eps = 0, I = 0.
Friction (Coulomb) is a spring and damper along the surface that slips at mu N: a body on a slope stays where it is, as long as it can.
"""

import math

import numpy as np
from numba import uint64 as U

from yawara.jit import inner, kernel
from yawara.state import KEY, MEMORY, STRETCH, SUM

# Places in the law. Coefficients that are not given (0) follow from the mass m in the contact. HOLD [m] is how far beyond its zone a
# contact may go on.
RATE2, STIFFNESS, DAMPING_RATIO, DAMPING, INTEGRAL_RATIO, INTEGRAL, ZONE, FRICTION, HOLD, LAW = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

NOBODY = -1


@kernel
def coefficients(law, mass, share):
    """K [N/m], C [N s/m], I [N/(m s)] of a contact that has this mass [kg] to move, times its share among those around it.

    Derived: K = m w^2, with w [1/s] from the time step; C = 2 zeta sqrt(K m); I = ratio * C K / m, where a ratio of 1 is the limit of
    stability (seed 004: m s^3 + C s^2 + K s + I).
    """
    k = law[STIFFNESS] if law[STIFFNESS] > 0.0 else law[RATE2] * mass
    c = law[DAMPING] if law[DAMPING] >= 0.0 else 2.0 * law[DAMPING_RATIO] * math.sqrt(k * mass)
    i = law[INTEGRAL] if law[INTEGRAL] >= 0.0 else law[INTEGRAL_RATIO] * c * k / mass
    return share * k, share * c, share * i


@inner
def slot_of(memory, first, slots, key, may_claim):
    """The row of `memory` that belongs to this key among `slots` rows from `first` on; a free one is claimed if that is allowed."""
    free = NOBODY
    for row in range(first, first + slots):
        owner = memory[U(MEMORY * row + KEY)]
        if owner == key:
            return row
        if owner == 0.0 and free == NOBODY:
            free = row
    if may_claim and free != NOBODY:
        memory[U(MEMORY * free + KEY)] = key
        return free
    return NOBODY


@inner
def release(memory, row):
    """Forget a contact that has ended; `row` may be nobody's."""
    if row != NOBODY:
        for n in range(U(MEMORY)):
            memory[U(MEMORY * row) + n] = 0.0


@inner
def forget(memory, first, slots, seen):
    """Release the rows of contacts that were not seen this time."""
    for slot in range(slots):
        if memory[U(MEMORY * (first + slot) + KEY)] != 0.0 and not seen >> slot & 1:
            release(memory, first + slot)


@inner
def who_remembers(memory, first_row, slots, begin, end):
    """Which of the elements from begin to end have a slot in use."""
    remembers = np.zeros(max(end - begin, 0), np.bool_)
    for n in range(begin, end):
        for slot in range(slots):
            if memory[U(MEMORY * (first_row + slots * n + slot) + KEY)] != 0.0:
                remembers[n - begin] = True
    return remembers


@inner
def still_pushes(law, mass, share, gap, rate, memory, row):
    """Whether a contact beyond its zone still pushes, by what it remembers; `row` may be nobody's."""
    if row == NOBODY or gap - law[ZONE] > law[HOLD]:
        return False
    k, c, i = coefficients(law, mass, share)
    return -k * (gap - law[ZONE]) - c * rate - i * memory[U(MEMORY * row + SUM)] > 0.0


@inner
def respond(law, mass, share, friction, gap, nx, ny, nz, vx, vy, vz, memory, row, dt, keep):
    """The force [N] on what touches, at `gap` [m] along the normal and with this relative velocity [m/s].

    `dt` [s] moves the memories ahead before they act, as the source does; they stay so if `keep`. Returns the force, its normal part,
    what share of the sticking force friction has (1 where it holds), and the energy [J] that its springs hold.
    """
    k, c, i = coefficients(law, mass, share)
    zone = law[ZONE]
    rate = vx * nx + vy * ny + vz * nz
    total, sx, sy, sz = 0.0, 0.0, 0.0, 0.0
    at = U(MEMORY * row)
    if row != NOBODY:
        total = memory[at + U(SUM)]
        sx, sy, sz = memory[at + U(STRETCH)], memory[at + U(STRETCH + 1)], memory[at + U(STRETCH + 2)]
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
        memory[at + U(SUM)] = total
        memory[at + U(STRETCH)], memory[at + U(STRETCH + 1)], memory[at + U(STRETCH + 2)] = sx, sy, sz
    return fx + normal * nx, fy + normal * ny, fz + normal * nz, normal, hold, stored
