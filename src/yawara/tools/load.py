"""What tools feel."""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.tools.pose import AXIS, POSE, POSITION


@inner
def tool_load(load, at, pose, t, x, y, z, fx, fy, fz, bx, by, bz):
    """Note what the tool feels when it pushes with this force [N] at this place: the opposite, its torque, what its drives give."""
    one = U(POSE * t + POSITION)
    rx, ry, rz = x - pose[one], y - pose[one + U(1)], z - pose[one + U(2)]
    mx, my, mz = rz * fy - ry * fz, rx * fz - rz * fx, ry * fx - rx * fy
    load[at] -= fx
    load[at + 1] -= fy
    load[at + 2] -= fz
    load[at + 3] += mx
    load[at + 4] += my
    load[at + 5] += mz
    load[at + 6] += fx * bx + fy * by + fz * bz


@inner
def turn_load(pose, t, load, at):
    """Torque [N m] about the tool's own axis."""
    one = U(POSE * t + AXIS)
    return pose[one] * load[at + 3] + pose[one + U(1)] * load[at + 4] + pose[one + U(2)] * load[at + 5]
