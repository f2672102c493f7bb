"""How fast anything can run into anything else."""

import math

from numba import types
from numba import uint64 as U

from yawara.kernels.entries import kernel
from yawara.kernels.kinds import INDICES, REALS
from yawara.tools.form import BOUND, FORM

TURNS, DRIVES = types.Array(types.float64, 2, "C"), types.Array(types.float64, 3, "C")


@kernel(INDICES, INDICES, REALS, REALS, TURNS, DRIVES)
def greatest_speed(node, tool_point, form, points, turn, drive):
    """[m/s]: of the nodes, and of the tools' surfaces towards them, by what they do now and what drives are about to do."""
    fastest, farthest = 0.0, 0.0
    for n in range(node.size):
        p = U(8) * U(node[n])
        vx, vy, vz = points[p + U(4)], points[p + U(5)], points[p + U(6)]
        fastest = max(fastest, vx * vx + vy * vy + vz * vz)
    speed, of_tools = math.sqrt(fastest), 0.0
    for t in range(tool_point.size):
        p = U(8) * U(tool_point[t])
        vx, vy, vz = points[p + U(4)], points[p + U(5)], points[p + U(6)]
        turning = max(abs(points[p + U(7)]), abs(turn[t, 1]))
        if turning > 0.0:
            for n in range(node.size):  # nothing further out is hit
                q = U(8) * U(node[n])
                x, y, z = points[q] - points[p], points[q + U(1)] - points[p + U(1)], points[q + U(2)] - points[p + U(2)]
                farthest = max(farthest, x * x + y * y + z * z)
        reach = min(form[FORM * t + BOUND], math.sqrt(farthest))
        of_tools = max(of_tools, math.sqrt(vx * vx + vy * vy + vz * vz) + turning * reach)
    of_drives = 0.0
    for d in range(drive.shape[0]):
        of_drives = max(of_drives, math.sqrt(drive[d, 0, 1] ** 2 + drive[d, 1, 1] ** 2 + drive[d, 2, 1] ** 2))
    return speed + max(of_tools, of_drives)
