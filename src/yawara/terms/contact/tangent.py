"""What contacts answer to a small change of velocity, for the implicit scheme: y = sum w s n (n . sum w u), and friction across."""

from numba import uint64 as U

from yawara.kernels.jit import inner


@inner
def apply_contacts(me, active, u, y, base):
    """Add the thread's part of the product to y[base:]."""
    for row in range(active.first[me], active.first[me] + active.used[me]):
        point, weight, n = active.point[row], active.weight[row], active.normal[row]
        x, y_, z = 0.0, 0.0, 0.0
        for k in range(4):
            if point[k] >= 0:
                at = U(4) * U(point[k])
                x, y_, z = x + weight[k] * u[at], y_ + weight[k] * u[at + U(1)], z + weight[k] * u[at + U(2)]
        along, grip = n[0] * x + n[1] * y_ + n[2] * z, active.slope[row, 1]
        push, s = (active.slope[row, 0] - grip) * along, active.slip[row]
        free = grip * (s[0] * x + s[1] * y_ + s[2] * z)
        for k in range(4):
            if point[k] >= 0:
                at = base + U(4) * U(point[k])
                y[at] += weight[k] * (push * n[0] + grip * x - free * s[0])
                y[at + U(1)] += weight[k] * (push * n[1] + grip * y_ - free * s[1])
                y[at + U(2)] += weight[k] * (push * n[2] + grip * z - free * s[2])


@inner
def contact_diagonal(me, active, diagonal, base):
    """Add the thread's part of the operator's diagonal [N s/m]."""
    for row in range(active.first[me], active.first[me] + active.used[me]):
        point, weight, n = active.point[row], active.weight[row], active.normal[row]
        slope, grip, s = active.slope[row, 0], active.slope[row, 1], active.slip[row]
        for k in range(4):
            if point[k] >= 0:
                for axis in range(3):
                    value = (slope - grip) * n[axis] * n[axis] + grip * (1.0 - s[axis] * s[axis])
                    diagonal[base + U(4) * U(point[k]) + U(axis)] += weight[k] * weight[k] * value
