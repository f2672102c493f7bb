"""One cube that falls on a floor and tumbles: how far its rotation is from the one it should have (Miyazaki et al. 1999, Table 1).

The table counts the angular acceleration that an element gives to itself because its rotation is not quite found,

    alpha = k sum r x R / I,   I = m sum |Ro|^2                            eqs. (14), (15)

Points bounce as in sec. 2.3 and the first appendix, with two signs put right: friction takes speed off (as printed, the normal speed being
negative, it adds some), and positions move with new velocities (as printed, with old ones, the cube explodes unless it is damped as much
as its rotation dies). The paper tells neither the edge, nor restitution, friction, nor how the cube is tilted.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import uint64 as U

from yawara.kernels.entries import kernel
from yawara.kernels.jit import inner
from yawara.kernels.kinds import INT, PLACES, REAL, REALS, Floats
from yawara.kernels.rotation import WORK, matrix_of, turn

GRAVITY = 9.8  # [m/s^2]
HEIGHT = 10.0  # edges, of the lowest corner
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@dataclass(frozen=True)
class Cube:
    """That starts at rest above a floor."""

    edge: float  # [m]
    tilt: tuple[float, float, float]  # [rad], rotation vector
    restitution: float
    friction: float


def fall(cube: Cube, rate2: float, dt: float, way: int, passes: int, window: float) -> tuple[Floats, float]:
    """alpha [1/s^2] in all steps of a `window` [s] from the first touch, and the largest displacement [m] in it.

    `rate2` is k/m [1/s^2], `dt` the step [s].
    """
    shape = cube.edge * CORNERS @ rodrigues(np.array(cube.tilt)).T
    place = shape.copy()
    place[:, 2] += HEIGHT * cube.edge - shape[:, 2].min()
    size, largest = np.zeros(round(window / dt)), np.zeros(1)
    _fall(place, shape, way, passes, rate2, dt, cube.restitution, cube.friction, size, largest, np.zeros(WORK))
    return size, float(largest[0])


def rodrigues(vector: Floats) -> Floats:
    """The rotation about a vector by its length [rad], eq. (10)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector / angle
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix: Floats = np.eye(3) + math.sin(angle) * across + (1.0 - math.cos(angle)) * across @ across
    return matrix


@inner
def _moment(shape: Any, place: Any, mean: Any) -> Any:
    """S = sum Ro r^T"""
    s0, s1, s2, s3, s4, s5, s6, s7, s8 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(U(place.shape[0])):
        X, Y, Z = shape[n, 0], shape[n, 1], shape[n, 2]
        x, y, z = place[n, 0] - mean[0], place[n, 1] - mean[1], place[n, 2] - mean[2]
        s0, s1, s2, s3, s4, s5 = s0 + X * x, s1 + X * y, s2 + X * z, s3 + Y * x, s4 + Y * y, s5 + Y * z
        s6, s7, s8 = s6 + Z * x, s7 + Z * y, s8 + Z * z
    return s0, s1, s2, s3, s4, s5, s6, s7, s8


@inner
def _kick(shape: Any, place: Any, mean: Any, speed: Any, m: Any, rate2: Any, dt: Any) -> Any:
    """New velocities, eq. (2); |sum r x R| and the largest displacement."""
    u, v, w, largest = 0.0, 0.0, 0.0, 0.0
    for n in range(U(place.shape[0])):
        X, Y, Z = shape[n, 0], shape[n, 1], shape[n, 2]
        X, Y, Z = m[0] * X + m[1] * Y + m[2] * Z, m[3] * X + m[4] * Y + m[5] * Z, m[6] * X + m[7] * Y + m[8] * Z
        x, y, z = place[n, 0] - mean[0], place[n, 1] - mean[1], place[n, 2] - mean[2]
        u, v, w = u + y * Z - z * Y, v + z * X - x * Z, w + x * Y - y * X
        largest = max(largest, math.sqrt((x - X) ** 2 + (y - Y) ** 2 + (z - Z) ** 2))
        speed[n, 0] -= dt * rate2 * (x - X)
        speed[n, 1] -= dt * rate2 * (y - Y)
        speed[n, 2] -= dt * (rate2 * (z - Z) + GRAVITY)
    return math.sqrt(u * u + v * v + w * w), largest


@inner
def _bounce(place: Any, speed: Any, restitution: Any, friction: Any) -> Any:
    """V' = -eps V along the normal, |V| - mu (1 + eps) |V_n| along the surface and not below 0; whether a corner did."""
    touched = False
    for n in range(U(place.shape[0])):
        if place[n, 2] < 0.0 and speed[n, 2] < 0.0:
            touched, along = True, math.hypot(speed[n, 0], speed[n, 1])
            left = max(0.0, along + friction * (1.0 + restitution) * speed[n, 2]) / along if along > 0.0 else 0.0
            speed[n, 0], speed[n, 1] = left * speed[n, 0], left * speed[n, 1]
            speed[n, 2], place[n, 2] = -restitution * speed[n, 2], -restitution * place[n, 2]
    return touched


@kernel(PLACES, PLACES, INT, INT, REAL, REAL, REAL, REAL, REALS, REALS, REALS)
def _fall(
    place: Any, shape: Any, way: Any, passes: Any, rate2: Any, dt: Any, restitution: Any, friction: Any, size: Any, largest: Any, work: Any
) -> None:  # fmt: skip
    speed, turned, rest2 = np.zeros(place.shape), (1.0, 0.0, 0.0, 0.0), (shape * shape).sum()
    touched, made = False, U(0)
    while made < U(size.size):
        mean = place[:, 0].mean(), place[:, 1].mean(), place[:, 2].mean()
        turned = turn(way, passes, _moment(shape, place, mean), turned, rest2, work)
        m = matrix_of(turned[0], turned[1], turned[2], turned[3])
        moment, most = _kick(shape, place, mean, speed, m, rate2, dt)
        if touched:
            size[made], largest[0] = rate2 / rest2 * moment, max(largest[0], most)
            made += U(1)
        place += dt * speed
        touched = _bounce(place, speed, restitution, friction) or touched
