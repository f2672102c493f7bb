"""What constraints want: R'' + 2 w R' + w^2 R = 0 for R = V - V0                             Hirai 2005, eqs. (4.36), (4.45)

With the gradients A and the accelerations a, R'' = A a + (what velocities bring). So a must fulfil A a = -C with

    C = 2 w R' + w^2 R + (what velocities bring)

Contacts by impulse act at the end of a step, and no force tells of them. In schemes with one stage what they brought to R' beyond what was
wanted is a second derivative that was not foreseen; the mean of the last steps is expected of the next one. Without that, a body that is
pressed would stand off its volume by as much as its pressure does in w^-2.
"""

from numba import uint64 as U

from yawara.kernels.jit import inner

FORGETTING = 0.5  # of what was not foreseen, in a step


@inner
def rate_of(mine, c, dt):
    """w [1/s]"""
    return mine.rate[c] if mine.rate[c] > 0.0 else mine.per_step / dt


@inner
def assemble_row(mine, c):
    """The constraint's row of A; returns V, R', and what velocities bring."""
    member, place, gradient, A = mine.member, mine.place, mine.gradient, mine.A
    content, rate, turning = 0.0, 0.0, 0.0
    A[U(3) * U(mine.row[c]) : U(3) * U(mine.row[c + U(1)])] = 0.0
    for m in range(U(mine.member_first[c]), U(mine.member_first[c + U(1)])):
        e = U(member[m])
        content, rate, turning = content + mine.content[e], rate + mine.content_rate[e], turning + mine.turning[e]
        for corner in range(U(4)):
            at, g = U(3) * U(place[U(4) * m + corner]), U(12) * e + U(3) * corner
            for axis in range(U(3)):
                A[at + axis] += gradient[g + axis]
    return content, rate, turning


@inner
def _unforeseen(mine, c, rate, dt):
    """[m^3/s^2], to be expected of this step."""
    unforeseen, at = mine.unforeseen, U(2) * c
    found = (rate - unforeseen[at + U(1)]) / dt
    unforeseen[at] += FORGETTING * (found - unforeseen[at])
    return unforeseen[at]


@inner
def assemble(ctx, mine):
    """Rows of A of the thread's constraints, and what they want."""
    for c in range(mine.first, mine.last):
        content, rate, turning = assemble_row(mine, c)
        w = rate_of(mine, c, ctx.dt)
        want = 2.0 * w * rate + w * w * (content - mine.rest[c])
        if mine.foresees:
            want += _unforeseen(mine, c, rate, ctx.dt)
            mine.unforeseen[U(2) * c + U(1)] = rate - ctx.dt * want
        mine.volume_rate[c], mine.wanted[c], mine.off[c] = rate, want + turning, (content - mine.rest[c]) / mine.rest[c]
