"""How an element turns as a whole: what its corners' velocities have of a rigid rotation, which no damper inside it may feel.

    omega = J^-1 sum r x v,   J = sum (|r|^2 I - r r^T)

of corners of equal weight, as the elements' forces know no masses. Taken off the velocities, it leaves forces without moment.
"""

from yawara.kernels.jit import inlined

THIN = 1e-9  # an element that has become a line, or a point, does not know how it turns about it
NOTHING = 1e-60  # [m^2], so that a point divides by something


@inlined
def inertia_of(q):
    """tr(Q) I - Q of Q = sum r r^T (xx yy zz yz zx xy), in the same order."""
    return q[1] + q[2], q[2] + q[0], q[0] + q[1], -q[3], -q[4], -q[5]


@inlined
def inverse_of(j):
    """Of a symmetric matrix without negative eigenvalues; one that is singular is made a little larger first."""
    a, b, c, d, e, f = j
    size = a + b + c
    det = a * (b * c - d * d) + f * (e * d - f * c) + e * (f * d - b * e)
    if not det > THIN * size * size * size:
        more = THIN * size + NOTHING
        a, b, c = a + more, b + more, c + more
        det = a * (b * c - d * d) + f * (e * d - f * c) + e * (f * d - b * e)
    n = 1.0 / det
    return (
        n * (b * c - d * d), n * (a * c - e * e), n * (a * b - f * f), n * (e * f - a * d), n * (d * f - b * e), n * (d * e - c * f),
    )  # fmt: skip


@inlined
def of_both(m, x, y, z):
    """Of a symmetric matrix and a vector."""
    return m[0] * x + m[5] * y + m[4] * z, m[5] * x + m[1] * y + m[3] * z, m[4] * x + m[3] * y + m[2] * z
