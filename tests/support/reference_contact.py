"""The slow, clear partner of the contact kernels: which pairs touch, and with what force, one pair at a time in plain NumPy.

A node against the nearest side of a body, the reaction shared by the ratios of the foot (Sugiyama et al. 2002, eq. (9)); two edges along
their common normal (Tomokuni et al. 2003, eq. (19)); the time-integrated penalty (Sugiyama et al. 2002, eq. (8)); Coulomb's friction as a
spring and a damper that slip at mu N. What friction at a distance leaves over of the angular momentum is made up for by the smallest
forces that do.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

CONE = 0.05  # of its length: how far the faces beside an edge may stand over the plane between two edges
INSIDE = 1e-3  # of its length: edges that meet closer to an end leave it to the node there


@dataclass
class Law:
    """Coefficients of every contact; those that are None follow from the mass that the contact has to move."""

    zone: float = 0.0
    friction: float = 0.0
    K: float | None = None
    C: float | None = None
    I: float | None = None  # noqa: E741 - as in the papers
    rate: float = 0.0  # [1/s]
    damping_ratio: float = 0.0
    integral_ratio: float = 0.0

    def coefficients(self, mass):
        K = mass * self.rate**2 if self.K is None else self.K
        C = 2.0 * self.damping_ratio * np.sqrt(K * mass) if self.C is None else self.C
        return K, C, self.integral_ratio * C * K / mass if self.I is None else self.I

    def force(self, mass, gap, normal, velocity, total=0.0, stretch=(0.0, 0.0, 0.0)):
        """On what touches: along the normal, and along the surface; `total` is the integral of the gap."""
        K, C, I = self.coefficients(mass)  # noqa: E741
        across = np.eye(3) - np.outer(normal, normal)
        N = max(0.0, -K * (gap - self.zone) - C * (velocity @ normal) - I * min(total, 0.0))
        friction = -K * across @ stretch - C * across @ velocity
        size = np.linalg.norm(friction)
        if size > self.friction * N:
            friction *= self.friction * N / size
        return N * normal + friction


@dataclass
class Pair:
    """Points that touch, with weights that sum to 1 on one side and to -1 on the other."""

    points: np.ndarray
    weights: np.ndarray
    gap: float
    normal: np.ndarray
    couple: np.ndarray  # points that take the couple
    key: tuple

    def forces(self, law, position, velocity, mass, total=0.0, stretch=(0.0, 0.0, 0.0)):
        """(point_count, 3)"""
        result = np.zeros_like(position)
        moved = 1.0 / (self.weights**2 / mass[self.points]).sum()
        force = law.force(moved, self.gap, self.normal, self.weights @ velocity[self.points], total, np.asarray(stretch))
        np.add.at(result, self.points, np.outer(self.weights, force))
        if law.friction > 0.0:
            lever = self.weights @ position[self.points]
            result[self.couple] += smallest_forces(position[self.couple], -np.cross(lever, force))
        return result


def smallest_forces(place, torque):
    """Forces with this torque and no sum whose squares are least; in the plane, if there are two places only."""
    if len(place) == 2:
        arm = place[1] - place[0]
        across = np.array([-arm[1], arm[0], 0.0]) * torque[2] / (arm @ arm)
        return np.array([-across, across])
    equations, right = [], [0.0, 0.0, 0.0, *torque]
    for axis in range(3):
        equations.append(np.concatenate([np.eye(3)[axis]] * len(place)))
    for axis in range(3):  # (x cross f) . e = f . (e cross x)
        equations.append(np.concatenate([np.cross(np.eye(3)[axis], x) for x in place]))
    return np.linalg.lstsq(np.array(equations), np.array(right), rcond=1e-12)[0].reshape(-1, 3)


def closest_weights(p, corners):
    """Of the corners of a point, a segment or a triangle: the best of the feet on it and on all its borders that lie inside."""
    best, found = np.inf, None
    for count in range(1, len(corners) + 1):
        for chosen in combinations(range(len(corners)), count):
            base, sides = corners[chosen[0]], corners[list(chosen[1:])] - corners[chosen[0]]
            rest = np.linalg.lstsq(sides.T, p - base, rcond=None)[0] if count > 1 else np.zeros(0)
            weights = np.zeros(len(corners))
            weights[list(chosen)] = [1.0 - rest.sum(), *rest]
            distance = np.linalg.norm(weights @ corners - p)
            if weights.min() >= 0.0 and distance < best - 1e-13:
                best, found = distance, weights
    return found


def is_inside(p, sides):
    """By the angle that the sides, (count, 2 or 3, 3), take up as seen from the place."""
    r = sides - p
    if sides.shape[1] == 2:
        a, b = r[:, 0], r[:, 1]
        return np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1)).sum() > np.pi
    a, b, c = r[:, 0], r[:, 1], r[:, 2]
    x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    volume = (a * np.cross(b, c)).sum(axis=1)
    other = x * y * z + (a * b).sum(axis=1) * z + (b * c).sum(axis=1) * x + (c * a).sum(axis=1) * y
    return 2.0 * np.arctan2(volume, other).sum() > 2.0 * np.pi


def node_pairs(position, nodes, sides, zone):
    """Nodes of one body against the nearest side of another, (count, 2 or 3) points each, outward or with the body on the left."""
    corners = position[sides].reshape(-1, 3)
    middle = corners.mean(axis=0)
    radius = np.linalg.norm(corners - middle, axis=1).max()
    for node in nodes:
        p = position[node]
        if np.linalg.norm(p - middle) > radius + zone:
            continue
        weights = [closest_weights(p, position[side]) for side in sides]
        away = np.array([p - w @ position[side] for w, side in zip(weights, sides, strict=True)])
        nearest = int(np.argmin((away**2).sum(axis=1)))
        distance = np.linalg.norm(away[nearest])
        sign = -1.0 if is_inside(p, position[sides]) else 1.0
        if sign * distance <= zone:
            points = np.array([node, *sides[nearest]])
            all_weights = np.array([1.0, *-weights[nearest]])
            yield Pair(points, all_weights, sign * distance, sign * away[nearest] / distance, sides[nearest], ("node", int(node)))


def sharp_edges(position, triangles):
    """Edges between faces of different directions: (two points, the third points of both faces)."""
    beside = {}
    for face in triangles.astype(int).tolist():
        for n in range(3):
            beside.setdefault(frozenset((face[n], face[(n + 1) % 3])), []).append((face[(n + 2) % 3], face))
    for edge, ((apex, face), (other, next_face)) in beside.items():
        one, two = (np.cross(position[f[1]] - position[f[0]], position[f[2]] - position[f[0]]) for f in (face, next_face))
        if one @ two / np.linalg.norm(one) / np.linalg.norm(two) < np.cos(np.radians(1.0)):
            yield sorted(edge), (apex, other)


def edge_pairs(position, edges, others, zone):
    """Edges of one body against those of another: along their common normal, if all faces beside them fall away from it."""
    for (i, j), apexes in edges:
        for (k, h), other_apexes in others:
            a, c = position[i], position[k]
            e, f = position[j] - a, position[h] - c
            normal = np.cross(e, f)
            if np.linalg.norm(normal) < 1e-4 * np.linalg.norm(e) * np.linalg.norm(f):
                continue
            s, t = np.linalg.lstsq(np.stack([e, -f], axis=1), c - a, rcond=None)[0]
            if min(s, t) < INSIDE or max(s, t) > 1.0 - INSIDE:
                continue
            normal /= np.linalg.norm(normal)
            # heights of the faces' third corners over both edges; those of the other body lie below, those of this one above
            mine, theirs = position[list(apexes)] - a, position[list(other_apexes)] - c
            if (mine @ normal).sum() < (theirs @ normal).sum():
                normal = -normal
            gap = (a + s * e - c - t * f) @ normal
            over = (theirs @ normal).max() / np.linalg.norm(f), -(mine @ normal).min() / np.linalg.norm(e)
            if gap <= zone and max(over) <= CONE:
                points = np.array([i, j, k, h])
                yield Pair(points, np.array([1.0 - s, s, t - 1.0, -t]), gap, normal, points, ("edge", i, j, k, h))
