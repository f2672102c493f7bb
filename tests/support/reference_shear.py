"""Shear and volume elements once more, slowly and in plain words: forces of one elastic element on its corners, for G = 1 or K = 1."""

import numpy as np


def rotation(F):
    """Polar, with determinant +1: the smallest singular value takes the sign."""
    u, _, vt = np.linalg.svd(F)
    u[:, -1] *= np.linalg.det(u @ vt)
    return u @ vt


def gradients(x):
    """Of the signed area or volume, (corners, dimension)."""
    d = x.shape[1]
    edges = (x[1:] - x[0]).T
    cofactor = np.linalg.det(edges) * np.linalg.inv(edges) if abs(np.linalg.det(edges)) > 1e-14 else None
    rows = cofactor / (2.0 if d == 2 else 6.0)
    return np.vstack([-rows.sum(axis=0), rows])


def size(x):
    return np.linalg.det((x[1:] - x[0]).T) / (2.0 if x.shape[1] == 2 else 6.0)


def deviatoric(X, x):
    F = (x[1:] - x[0]).T @ np.linalg.inv((X[1:] - X[0]).T)
    R = rotation(F)
    e = 0.5 * (R.T @ F + F.T @ R)
    e -= np.trace(e) / len(e) * np.eye(len(e))
    return -gradients(x) @ (R @ (2.0 * e) @ R.T)


def volume(X, x):
    return -(size(x) / size(X) - 1.0) * gradients(x)


def cot_at(x, i):
    u, v = x[(i + 1) % 3] - x[i], x[(i + 2) % 3] - x[i]
    return u @ v / (u[0] * v[1] - u[1] * v[0])


def cot(X, x):
    """Minus the numerical gradient of sum A0 w_i gamma_i^2 / 2."""
    A0 = size(X)
    length2 = [np.sum((X[(i + 1) % 3] - X[(i + 2) % 3]) ** 2) for i in range(3)]
    w = [2.0 * A0 * cot_at(X, i) * length2[i] / (length2[(i + 1) % 3] * length2[(i + 2) % 3]) for i in range(3)]

    def energy(x):
        return sum(0.5 * A0 * w[i] * (cot_at(x, i) - cot_at(X, i)) ** 2 for i in range(3))

    force, h = np.zeros_like(x), 1e-6
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = h
        force[place] = -(energy(x + step) - energy(x - step)) / (2 * h)
    return force


def printed(X, x):
    """Of a triangle, or of a square, whose corners follow each other."""
    count, force = len(x), np.zeros_like(x)
    for i in range(count):
        j, k = (i + 1) % count, (i - 1) % count

        def shear(x, i=i, j=j, k=k):
            u, v = x[j] - x[i], x[k] - x[i]
            along = u @ v / np.linalg.norm(v)
            return along / np.linalg.norm(u - along * v / np.linalg.norm(v))

        F = 0.5 * (shear(x) - shear(X)) * (x[j] + x[k] - 2 * x[i])
        force[i] += F
        force[j] -= 0.5 * F
        force[k] -= 0.5 * F
    return force


ROWS = ((0, 1), (0, 2), (1, 2), (1, 0), (2, 1), (2, 0))


def printed_solid(X, x, around, reaction):
    """Corners of a cell, each with its three neighbours; Hirai 2005, eqs. (4.22)-(4.29), rows in the order of the shears."""
    force = np.zeros_like(x)
    for corner in around:
        i, others = corner[0], list(corner[1:])
        rest, now = X[others] - X[i], x[others] - x[i]
        gamma = shears(now) - shears(rest)
        normal, area = faces(now)
        for g, (p, q) in zip(gamma, ROWS, strict=True):
            F = 0.25 * g * (area[p] * now[q] / np.linalg.norm(now[q]) + area[q] * normal[p])
            lever = np.linalg.solve(now.T, F)
            ratio = np.full(3, 1 / 3) if reaction == "thirds" or not lever.any() else lever / lever.sum()
            force[i] += F
            force[others] -= ratio[:, None] * F
    return force


def faces(x):
    """Normal towards the edge that is not in it, and area, of the three faces of a corner."""
    normal = np.array([np.cross(x[(p + 1) % 3], x[(p + 2) % 3]) for p in range(3)])
    length = np.linalg.norm(normal, axis=1)
    normal *= np.sign(np.einsum("pi,pi->p", normal, x))[:, None] / length[:, None]
    return normal, length / 2


def shears(x):
    normal, _ = faces(x)
    return np.array([x[p] @ x[q] / np.linalg.norm(x[q]) / (x[p] @ normal[p]) for p, q in ROWS])


def tangent_moduli(force, X, strains, h=1e-6):
    """d(virial over size)/d(strain), a column for each strain tensor."""
    columns = []
    for e in strains:
        stress = []
        for sign in (1.0, -1.0):
            x = X @ (np.eye(X.shape[1]) + sign * h * e).T
            stress.append(-force(X, x).T @ x / abs(size(X)))
        columns.append((stress[0] - stress[1]) / (2 * h))
    return columns
