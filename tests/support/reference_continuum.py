"""Continuum elements in plain NumPy: the slow partner of terms/continuum."""

from itertools import product

import numpy as np


def rotation_of(F):
    """R of F = R U with det R = +1."""
    u, _, vt = np.linalg.svd(F)
    return u @ np.diag([1.0, 1.0, np.linalg.det(u) * np.linalg.det(vt)]) @ vt


def cofactor(F):
    return np.stack([np.cross(F[1], F[2]), np.cross(F[2], F[0]), np.cross(F[0], F[1])])


def packed(J):
    """U/K and its slope: (J - 1)^2/2, and (0.6 - J)^3 below 0.6, linear below 0."""
    low = min(max(0.6 - J, 0.0), 0.6)
    return 0.5 * (J - 1.0) ** 2 + low**3 + 3.0 * low**2 * max(-J, 0.0), J - 1.0 - 3.0 * low**2


def elastic_stress(F, G, K):
    """(W, P) of the corotated law: G |dev U|^2 + G/3 (tr U - 3)^2 + (K - 2/3 G) U(J)."""
    R, J = rotation_of(F), np.linalg.det(F)
    U = R.T @ F
    e, trace = U - np.trace(U) / 3.0 * np.eye(3), np.trace(U) - 3.0
    stored, slope = packed(J)
    a = 2.0 / 3.0 * G
    W = G * (e**2).sum() + 0.5 * a * trace**2 + (K - a) * stored
    return W, R @ (2.0 * G * e + a * trace * np.eye(3)) + (K - a) * slope * cofactor(F)


SIGNS = np.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)], float)


def hexahedron(X, x, E, G, K):
    """(energy, forces on the corners without those of the guard): one stress point and four modes, of a cell of any shape."""
    b, V = np.zeros((8, 3)), 0.0
    for place in product((-(3**-0.5), 3**-0.5), repeat=3):
        factor = 1.0 + SIGNS * place
        slope = np.stack([SIGNS[:, j] * factor[:, (j + 1) % 3] * factor[:, (j + 2) % 3] / 8.0 for j in range(3)], axis=1)
        jacobian = X.T @ slope
        b += np.linalg.det(jacobian) * slope @ np.linalg.inv(jacobian)
        V += np.linalg.det(jacobian)
    b /= V
    W, P = elastic_stress(x.T @ b, G, K)
    energy, force = V * W, -V * b @ P.T
    h, modes = np.linalg.norm(SIGNS.T @ X, axis=1) / 4.0, []
    part = 0.85 * (1.0 - 0.68 * max((3.0 * K - 2.0 * G) / (2.0 * (3.0 * K + G)) - 0.3, 0.0))
    for j, k in ((1, 2), (0, 2), (0, 1), (None, None)):
        if j is None:
            pattern, stiff = SIGNS.prod(axis=1), part * 4.0 / 9.0 * V * (E + 2.0 * G) / h.max() ** 2
        else:
            pattern, stiff = SIGNS[:, j] * SIGNS[:, k], part * 4.0 / 3.0 * V * E / max(h[j], h[k]) ** 2
        g = (pattern - b @ (X.T @ pattern)) / 8.0
        energy, force = energy + 0.5 * stiff * ((g @ x) ** 2).sum(), force - stiff * np.outer(g, g @ x)
        modes.append(g @ x)
    return energy + V * guard(x.T @ b, modes, X.T @ SIGNS / 8.0, K + 4.0 / 3.0 * G), force


def guard(F, modes, axes, wave):
    """Energy of corners that come near to turning inside out, over the volume: of x = F M xi + the modes times their patterns."""
    energy, J = 0.0, np.linalg.det(F)
    for a, b, c in SIGNS:
        slopes = np.array([(0, c, b), (c, 0, a), (b, a, 0), (b * c, a * c, a * b)])  # of xi eta, ..., xi eta zeta
        ratio = np.linalg.det(F @ axes + np.einsum("mi,mj->ij", modes, slopes)) / np.linalg.det(axes)
        width = np.hypot(0.12, 0.48 * max(J, 0.0))
        over = np.clip((0.25 * J - ratio) / width, 0.0, 1.0)
        energy += 80.0 * 0.12 * width / 8.0 * wave * over**3 * (10.0 - 15.0 * over + 6.0 * over**2)
    return energy


def nodal(X, cells, x, G, K, beta=0.15):
    """(energy, forces) of tetrahedra with their stress at the points."""
    edges = np.swapaxes(X[cells[:, 1:]] - X[cells[:, :1]], 1, 2)
    inner, V = np.linalg.inv(edges), np.abs(np.linalg.det(edges)) / 6.0
    gradient = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    F_cell = np.einsum("eai,eaj->eij", x[cells], gradient)
    volume, F = np.zeros(len(X)), np.zeros((len(X), 3, 3))
    for e, cell in enumerate(cells):
        volume[cell] += V[e] / 4.0
        F[cell] += V[e] / 4.0 * F_cell[e]
    F /= volume[:, None, None]
    energy, force, P = 0.0, np.zeros_like(x), np.empty_like(F)
    for a in range(len(X)):
        W, P[a] = elastic_stress(F[a], G, K)
        energy += volume[a] * W
    for e, cell in enumerate(cells):
        # cells that come near to turning inside out
        over, strength = np.clip((0.1 - np.linalg.det(F_cell[e])) / 0.12, 0.0, 1.0), 40.0 * (K + 4.0 / 3.0 * G) * 0.12 * V[e]
        energy += strength * 0.12 * over**3 * (10.0 - 15.0 * over + 6.0 * over**2)
        force[cell] += strength * 30.0 * over**2 * (1.0 - over) ** 2 * gradient[e] @ cofactor(F_cell[e]).T
        away = F_cell[e] - F[cell]
        energy += beta * G * V[e] / 4.0 * (away**2).sum()
        # means do not add: sum over a corner's cells of V_e (F_e - F_a) is zero
        force[cell] -= V[e] / 4.0 * gradient[e] @ (P[cell] + 2.0 * beta * G * away).sum(axis=0).T
    return energy, force


def stabiliser_energy(points, position):
    """[J] of nodal elements, for s = 2 beta G = 1 Pa: 1/2 (sum_ab L_ab x_a . x_b - sum_a V_a |F_a|^2)."""
    owner, node = np.repeat(np.arange(len(points.count)), points.count), points.node
    centre = node[points.first[:-1]][owner]
    entry = points.row[owner] + np.arange(len(node)) - points.first[:-1][owner]
    away = position[node] - position[centre]
    F = np.zeros((len(points.count), 3, 3))
    np.add.at(F, owner, away[:, :, None] * points.weight[entry, None, :3])
    return -0.5 * float(
        0.5 * (points.weight[entry, 3] * (away**2).sum(axis=1)).sum() + (points.volume * (F**2).sum(axis=(1, 2))).sum()
    )
