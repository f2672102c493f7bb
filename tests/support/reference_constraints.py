"""Constraints of volume in plain NumPy: dense matrices, derivatives by differences."""

import numpy as np

from yawara.meshes.facets import cell_sizes


def volumes(group, position):
    return np.bincount(group.of, group.thickness * cell_sizes(position, group.corner))


def gradients(group, position):
    """(constraint_count, 3 * point_count); volumes are linear in each coordinate."""
    columns = []
    for place in np.ndindex(position.shape):
        step = np.zeros_like(position)
        step[place] = 1.0
        columns.append(0.5 * (volumes(group, position + step) - volumes(group, position - step)))
    return np.array(columns).T


def turning(group, position, velocity):
    """Second derivative of volumes along straight lines."""
    h = 1e-4
    before, now, after = (volumes(group, position + t * velocity) for t in (-h, 0.0, h))
    return (after - 2.0 * now + before) / h**2


def pressures(compiled, state, force, held, acceleration, w):
    """Least-norm pressures [Pa] of the first body, and A M^-1 A^T."""
    (group,) = next(one for one in compiled.model.terms if one.name == "incompressible").groups
    x, v, point = state.position.copy(), state.velocity.copy(), compiled.model.point
    A = gradients(group, x)
    mobility = np.where(held, 0.0, point.inverse_mass[:, None]).ravel()
    a = np.where(held, acceleration, force * point.inverse_mass[:, None] + point.gravity[:3]).ravel()
    R, rate = volumes(group, x) - volumes(group, compiled.model.rest_position), A @ v.ravel()
    C = 2.0 * w * rate + w * w * R + turning(group, x, v)
    B = (A * mobility) @ A.T
    return np.linalg.lstsq(B, -(C + A @ a), rcond=1e-10)[0], B
