"""One cube that falls on a floor and tumbles: how far its rotation is from the one it should have (Miyazaki et al. 1999, Table 1).

The table counts the angular acceleration that an element gives to itself because its rotation is not quite found,

    alpha = k sum r x R / I,   I = m sum |Ro|^2                            eqs. (14), (15)

Points bounce as in sec. 2.3 and the first appendix, with two signs put right: friction takes speed off (as printed, the normal speed being
negative, it adds some), and positions move with new velocities (as printed, with old ones, the cube explodes unless it is damped as much
as its rotation dies). The paper tells neither the edge, nor restitution, friction, nor how the cube is tilted.
"""

import math

import numpy as np
from numba import uint64 as U

from yawara.kernels.entries import kernel
from yawara.kernels.kinds import INT, PLACES, REAL, REALS, Floats
from yawara.kernels.rotation import WORK, matrix_of, turn

GRAVITY = 9.8  # [m/s^2]
HEIGHT = 10.0  # edges, of the lowest corner
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@kernel(PLACES, PLACES, INT, INT, REAL, REAL, REAL, REAL, REALS, REALS, REALS)
def _fall(place, shape, way, passes, rate2, dt, restitution, friction, size, largest, work):
    """Sizes of alpha [1/s^2] in the steps after the first touch, and the largest displacement of a corner [m]."""
    count, speed, turned = U(place.shape[0]), np.zeros(place.shape), (1.0, 0.0, 0.0, 0.0)
    rest2, touched, made = (shape * shape).sum(), False, U(0)
    while made < U(size.size):
        x, y, z = place[:, 0].mean(), place[:, 1].mean(), place[:, 2].mean()
        s0, s1, s2, s3, s4, s5, s6, s7, s8 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(count):
            X, Y, Z, a, b, c = shape[n, 0], shape[n, 1], shape[n, 2], place[n, 0] - x, place[n, 1] - y, place[n, 2] - z
            s0, s1, s2, s3, s4, s5 = s0 + X * a, s1 + X * b, s2 + X * c, s3 + Y * a, s4 + Y * b, s5 + Y * c
            s6, s7, s8 = s6 + Z * a, s7 + Z * b, s8 + Z * c
        turned = turn(way, passes, (s0, s1, s2, s3, s4, s5, s6, s7, s8), turned, rest2, work)
        m = matrix_of(turned[0], turned[1], turned[2], turned[3])
        u, v, w = 0.0, 0.0, 0.0
        for n in range(count):
            X, Y, Z, a, b, c = shape[n, 0], shape[n, 1], shape[n, 2], place[n, 0] - x, place[n, 1] - y, place[n, 2] - z
            X, Y, Z = m[0] * X + m[1] * Y + m[2] * Z, m[3] * X + m[4] * Y + m[5] * Z, m[6] * X + m[7] * Y + m[8] * Z
            u, v, w = u + b * Z - c * Y, v + c * X - a * Z, w + a * Y - b * X
            if touched:
                largest[0] = max(largest[0], math.sqrt((a - X) ** 2 + (b - Y) ** 2 + (c - Z) ** 2))
            speed[n, 0] -= dt * rate2 * (a - X)
            speed[n, 1] -= dt * rate2 * (b - Y)
            speed[n, 2] -= dt * (rate2 * (c - Z) + GRAVITY)
        if touched:
            size[made] = rate2 / rest2 * math.sqrt(u * u + v * v + w * w)
            made += U(1)
        for n in range(count):
            for i in range(3):
                place[n, i] += dt * speed[n, i]
            if place[n, 2] < 0.0 and speed[n, 2] < 0.0:
                touched = True
                along = math.hypot(speed[n, 0], speed[n, 1])
                left = max(0.0, along + friction * (1.0 + restitution) * speed[n, 2]) / along if along > 0.0 else 0.0
                speed[n, 0], speed[n, 1] = left * speed[n, 0], left * speed[n, 1]
                speed[n, 2], place[n, 2] = -restitution * speed[n, 2], -restitution * place[n, 2]


def fall(
    edge: float, tilt: tuple[float, float, float], rate2: float, dt: float, way: int, passes: int, *, restitution: float, friction: float, window: float
) -> tuple[Floats, float]:  # fmt: skip
    """alpha [1/s^2] in all steps of a `window` [s] from the first touch, and the largest displacement [m]; `rate2` is k/m [1/s^2].

    The cube starts at rest, turned by the rotation vector `tilt` [rad].
    """
    shape = edge * CORNERS
    place = shape @ _rotation(np.array(tilt)).T
    place[:, 2] += HEIGHT * edge - place[:, 2].min()
    size, largest = np.zeros(round(window / dt)), np.zeros(1)
    _fall(place, shape @ _rotation(np.array(tilt)).T, way, passes, rate2, dt, restitution, friction, size, largest, np.zeros(WORK))
    return size, float(largest[0])


def _rotation(vector: Floats) -> Floats:
    """Rodrigues, eq. (10)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector / angle
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix: Floats = np.eye(3) + math.sin(angle) * across + (1.0 - math.cos(angle)) * across @ across
    return matrix
