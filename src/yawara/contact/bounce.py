"""Bounce: points that are found inside a tool after a step are sent back at once (seed 001, appendix 1).

With the collision point as origin and the normal along y, the source reflects speed and depth by the restitution e and slows the slide by
the friction mu; its sign of friction is corrected here, and the way along the surface counts from the instant of the collision:

    V'_n = -e V_n,  P'_n = -e P_n,  V'_t = V_t max(0, 1 - mu (1 + e) |V_n| / |V_t|),  P'_t = V'_t tau,  tau = P_n / V_n

Gravity went on acting below the surface, and the source's rule would give what it added there back on the way up: energy would grow. So
speeds are taken at the surface: V_s^2 = V_n^2 - 2 g d at depth d.
"""

import math

from numba import uint64 as U

from yawara.contact.tools.form import FORM, FRICTION
from yawara.contact.tools.load import tool_load
from yawara.contact.tools.pose import distance, set_poses, surface_velocity
from yawara.contact.work import LOAD, TALLY_STRIDE, tally_gap
from yawara.jit import inner
from yawara.state import MEMORY, SLOTS_OF_NODE, STRETCH


@inner
def bounce_off_tools(me, contact, tool, mass_of, gravity, touch, pose, points, memory, dt):
    """The thread's nodes; impulses go to the tools' loads. Energy [J] that was lost, and work [J] of what moves the tools."""
    restitution, place = contact.bounce[0], me * TALLY_STRIDE
    lost, work = 0.0, 0.0
    set_poses(tool, points, pose)
    for n in range(touch.node[me], touch.node[me + 1]):
        p = U(contact.node[n])
        i, mass = U(8) * p, mass_of[p]
        for t in range(tool.kind.size):
            gap, nx, ny, nz = distance(
                tool.kind, tool.form, tool.grid, t, pose, 0.0, points[i], points[i + U(1)], points[i + U(2)]
            )
            if gap >= 0.0 or mass == 0.0:
                continue
            ux, uy, uz, _, _, _ = surface_velocity(t, pose, points[i], points[i + U(1)], points[i + U(2)], nx, ny, nz)
            vx, vy, vz = points[i + U(4)] - ux, points[i + U(5)] - uy, points[i + U(6)] - uz
            inward = vx * nx + vy * ny + vz * nz
            if inward >= 0.0:
                continue
            tally_gap(touch.tally, place, gap)
            weight = -(gravity[0] * nx + gravity[1] * ny + gravity[2] * nz)  # [m/s^2], towards the surface
            left = min(gap / inward, dt)
            at_surface = math.sqrt(max(inward * inward + 2.0 * weight * gap, 0.0))
            height = -restitution * gap
            outward = math.sqrt(max((restitution * at_surface) ** 2 - 2.0 * weight * height, 0.0))
            tx, ty, tz = vx - inward * nx, vy - inward * ny, vz - inward * nz
            slide = math.sqrt(tx * tx + ty * ty + tz * tz)
            slower = (
                max(0.0, 1.0 - tool.form[FORM * t + FRICTION] * (1.0 + restitution) * at_surface / slide) if slide > 0.0 else 0.0
            )
            wx, wy, wz = slower * tx + outward * nx, slower * ty + outward * ny, slower * tz + outward * nz
            jx, jy, jz = mass * (wx - vx), mass * (wy - vy), mass * (wz - vz)
            before = vx * vx + vy * vy + vz * vz
            lost += 0.5 * mass * (before - wx * wx - wy * wy - wz * wz)
            # what putting it back takes from, or gives to, its weight
            fall = gravity[0] * tx + gravity[1] * ty + gravity[2] * tz
            lost += mass * ((slower - 1.0) * left * fall - weight * (height - gap))
            work += jx * ux + jy * uy + jz * uz
            back = (slower - 1.0) * left
            mx, my, mz = (height - gap) * nx + back * tx, (height - gap) * ny + back * ty, (height - gap) * nz + back * tz
            points[i], points[i + U(1)], points[i + U(2)] = points[i] + mx, points[i + U(1)] + my, points[i + U(2)] + mz
            at = U(MEMORY * SLOTS_OF_NODE * n + STRETCH)
            memory[at], memory[at + U(1)], memory[at + U(2)] = memory[at] + mx, memory[at + U(1)] + my, memory[at + U(2)] + mz
            points[i + U(4)], points[i + U(5)], points[i + U(6)] = ux + wx, uy + wy, uz + wz
            tool_load(touch.load, (me * tool.kind.size + t) * LOAD, pose, t, points[i], points[i + U(1)], points[i + U(2)],
                      jx / dt, jy / dt, jz / dt, 0.0, 0.0, 0.0)  # fmt: skip
    return lost, work


@inner
def work_on_links(me, contact, touch, forces, base, memory):
    """[J]: what the forces in the body did when points were put back after the last step; they are known now."""
    work = 0.0
    for n in range(touch.node[me], touch.node[me + 1]):
        at, f = U(MEMORY * SLOTS_OF_NODE * n + STRETCH), base + U(4) * U(contact.node[n])
        for axis in range(U(3)):
            work += forces[f + axis] * memory[at + axis]
            memory[at + axis] = 0.0
    return work
