"""The slow, clear partner of the kernels: link laws and explicit schemes in plain Python and NumPy, one link at a time.

Works on a compiled model's links in the bodies' own order, with dictionaries for memories; shares no code with the kernels.
"""

import math

import numpy as np

from yawara.laws import (
    ForceDependentDamper,
    GeneralizedMaxwell,
    GeneralizedVoigt,
    InternalFriction,
    LimitedThreeElement,
    Maxwell,
    ThreeElement,
    Voigt,
)


def respond(law, d, ldot, memory, rest=1.0):
    """Tension [N], memory rates [m/s], stored energy [J], dissipated power [W] of one link; d = length - rest length [m]."""
    match law:
        case Voigt():
            e = d - memory[0]  # zero in a run: the rate is; random states may have it
            return law.k * e + law.c * ldot, [0.0], 0.5 * law.k * e * e, law.c * ldot**2
        case Maxwell():
            f = law.k * (d - memory[0])
            return f, [f / law.c], 0.5 * law.k * (d - memory[0]) ** 2, f * f / law.c
        case ThreeElement():
            # force balance of the joint: k1 e + c1 (ldot - qdot) = c2 qdot
            e = d - memory[0]
            rate = (law.k1 * e + law.c1 * ldot) / (law.c1 + law.c2)
            return law.c2 * rate, [rate], 0.5 * law.k1 * e * e, law.c1 * (ldot - rate) ** 2 + law.c2 * rate**2
        case GeneralizedVoigt():
            order = list(law.order)
            k, c = np.array(law.k)[order], np.array(law.c)[order]
            e = np.concatenate([[d - sum(memory)], memory])
            f = k[0] * e[0] if c[0] == 0 else (ldot + (k / c * e).sum()) / (1 / c).sum()
            rates = [(f - k[i] * e[i]) / c[i] for i in range(1, len(k))]
            first_rate = ldot - sum(rates)
            power = c[0] * first_rate**2 + sum(c[1:] * np.square(rates))
            return f, rates, 0.5 * float(k @ e**2), power
        case GeneralizedMaxwell():
            e = d - np.array(memory)
            arms = np.array(law.k) * e
            rates = arms / np.array(law.c)
            stored = 0.5 * law.k_inf * d * d + 0.5 * float(np.array(law.k) @ e**2)
            return law.k_inf * d + law.c_inf * ldot + arms.sum(), list(rates), stored, law.c_inf * ldot**2 + float(arms @ rates)
        case ForceDependentDamper():
            return _force_dependent(law, d, ldot, memory)
        case InternalFriction():
            e = d - memory[0]
            stuck = law.k * e + law.c1 * ldot
            rate = 0.0 if abs(stuck) <= law.friction else math.copysign(abs(stuck) - law.friction, stuck) / (law.c1 + law.c2)
            f = law.k * e + law.c1 * (ldot - rate)
            return f, [rate], 0.5 * law.k * e * e, law.c1 * (ldot - rate) ** 2 + law.c2 * rate**2 + law.friction * abs(rate)
        case LimitedThreeElement():
            e = d - memory[0]
            rate = _limited_rate(law, d, ldot, memory[0], rest)
            f = law.k1 * e + law.c1 * (ldot - rate)
            return f, [rate], 0.5 * law.k1 * e * e, law.c1 * (ldot - rate) ** 2 + f * rate
    raise TypeError(law)


def _limited_rate(law, d, ldot, q, rest):
    """Of the damper: free, or as its limit allows."""
    free = (law.k1 * (d - q) + law.c1 * ldot) / (law.c1 + law.c2)
    # Shares of the length: the Voigt part's must not leave a_min..a_max. Mirrored, the upper limit is like the lower one.
    voigt = law.ratio * rest + d - q
    side, bound = (1.0, law.a_min) if free > 0 else (-1.0, law.a_max)
    beyond = side * (bound * (rest + d) - voigt) + 1e-12 * rest  # less than that is rounding
    if beyond < 0:
        return free
    waiting = min(beyond / (0.01 * rest), 1.0)  # 1: the limit came in over the damper
    return side * min(side * free, max(side * (1.0 - bound) * ldot, 0.0) * (1.0 - waiting))


def _force_dependent(law, d, ldot, memory):
    e = d - memory[0]
    blocked = law.k1 * e + law.c1 * ldot

    def viscosity(f):
        if f <= law.f1:
            return law.c_max
        if f >= law.f2:
            return law.c_min
        slope = math.log(law.c_max / law.c_min) / (law.f2 - law.f1)
        return law.c_max * math.exp(-slope * (f - law.f1))

    low, high = 0.0, abs(blocked)
    for _ in range(200):  # bisection: the left side grows with f
        middle = 0.5 * (low + high)
        if middle * (1 + law.c1 / viscosity(middle)) < abs(blocked):
            low = middle
        else:
            high = middle
    f = math.copysign(0.5 * (low + high), blocked)
    rate = f / viscosity(abs(f))
    return f, [rate], 0.5 * law.k1 * e * e, law.c1 * (ldot - rate) ** 2 + viscosity(abs(f)) * rate**2


def forces(compiled, position, velocity, memory):
    """Forces [N] (point_count, 3), memory rates, stored energy [J] and dissipated power [W]; `memory` is a list of lists per link."""
    force, rates, stored, power = np.zeros_like(position), [], 0.0, 0.0
    index = 0
    for body in compiled.model.bodies:
        law = compiled.scene.body[body.name].law
        for a, b in body.links:
            rest = np.linalg.norm(compiled.model.rest_position[b] - compiled.model.rest_position[a])
            delta = position[b] - position[a]
            length = np.linalg.norm(delta)
            direction = delta / length
            f, rate, energy, heat = respond(
                law, length - rest, float(direction @ (velocity[b] - velocity[a])), memory[index], rest
            )
            force[a] += f * direction
            force[b] -= f * direction
            rates.append([float(value) for value in rate])
            stored += energy
            power += heat
            index += 1
    return force, rates, stored, power


def run(compiled, scheme, steps, dt, held=()):
    """Positions, velocities and memories after `steps` steps; `held` points stay where they are."""
    mass = compiled.model.point.mass[:, None]
    gravity = compiled.model.point.gravity[:3]
    free = np.ones((compiled.model.point_count, 1))
    free[list(held)] = 0.0
    x, v = compiled.state.position.copy(), compiled.state.velocity.copy() * free
    sizes = [compiled.scene.body[body.name].law.parts for body in compiled.model.bodies for _ in body.links]
    memory = [[0.0] * size for size in sizes]

    def rates(x, v, q):
        force, q_rate, _, _ = forces(compiled, x, v, q)
        return v, (force / mass + gravity) * free, q_rate

    def moved(q, rate, h):
        return [[value + h * r for value, r in zip(old, new, strict=True)] for old, new in zip(q, rate, strict=True)]

    for _ in range(steps):
        vx, a, qr = rates(x, v, memory)
        if scheme == "euler":
            x, v, memory = x + dt * vx, v + dt * a, moved(memory, qr, dt)
        elif scheme == "semi_implicit_euler":
            v = v + dt * a
            x, memory = x + dt * v, moved(memory, qr, dt)
        else:
            stages = [(vx, a, qr)]
            for h in (dt / 2, dt / 2, dt):
                vx, a, qr = stages[-1]
                stages.append(rates(x + h * vx, v + h * a, moved(memory, qr, h)))
            for weight, (vx, a, qr) in zip((1, 2, 2, 1), stages, strict=True):
                x, v, memory = x + dt / 6 * weight * vx, v + dt / 6 * weight * a, moved(memory, qr, dt / 6 * weight)
    return x, v, memory


def barrier_forces(position, velocity, cells, rest, threshold, K, C):
    """Forces [N] of inversion barriers by their definition: height over the opposite side, foot, ratios cut off at zero.

    A corner closer to the opposite side than `threshold` of its height in `rest` is pushed along the side's normal.
    """
    force = np.zeros_like(position)
    for cell in cells:
        for i in range(len(cell)):
            others = np.delete(cell, i)
            height, normal, ratio = _over_side(position[cell[i]], position[others], _side(rest[cell[i]], rest[others]))
            limit = threshold * abs(_over_side(rest[cell[i]], rest[others], _side(rest[cell[i]], rest[others]))[0])
            if height > limit:
                continue
            share = np.maximum(ratio, 0.0) / np.maximum(ratio, 0.0).sum()
            closing = normal @ (velocity[cell[i]] - share @ velocity[others])
            f = K * (limit - height) - C * closing
            force[cell[i]] += f * normal
            for other, part in zip(others, share, strict=True):
                force[other] -= part * f * normal
    return force


def _normal(side):
    """Of an edge in the plane z = 0, or of a face; which way depends on the order of its points."""
    normal = np.cross([0.0, 0.0, 1.0], side[1] - side[0]) if len(side) == 2 else np.cross(side[1] - side[0], side[2] - side[0])
    return normal / np.linalg.norm(normal)


def _side(corner, side):
    """+1 or -1: on which side of the opposite one the corner is at rest."""
    return np.sign(_normal(side) @ (corner - side[0]))


def _over_side(corner, side, sign):
    """Signed height, normal towards where the corner belongs, and barycentric ratios of its foot."""
    normal = sign * _normal(side)
    height = normal @ (corner - side[0])
    foot = corner - height * normal
    system = np.vstack([side.T, np.ones(len(side))])
    return height, normal, np.linalg.lstsq(system, np.append(foot, 1.0), rcond=None)[0]
