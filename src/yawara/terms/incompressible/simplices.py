"""Volume of tetrahedra and of flat triangles, its gradients, and its first two derivatives in time.

With the edges e_i from corner 0 and their velocities u_i, a tetrahedron has V = e_1 . (e_2 x e_3) / 6, and

    V'' = sum dV/dx . x'' + (u_1 . (u_2 x e_3) + u_1 . (e_2 x u_3) + e_1 . (u_2 x u_3)) / 3

(Hirai 2005, sec. 4.3, in 3-D printed with 1/6: each pair of velocities stands twice in the second derivative). A triangle has
S = e_1 x e_2 / 2 and S'' = ... + u_1 x u_2.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.kernels.space import cross, difference, dot


@inlined
def _keep(gradient, at, g):
    gradient[at], gradient[at + U(1)], gradient[at + U(2)] = g[0], g[1], g[2]


@inlined
def _scaled(s, a):
    return s * a[0], s * a[1], s * a[2]


@inner
def tetrahedron(points, corner, e, gradient):
    """Volume, rate, what velocities bring; writes the gradients at the four corners."""
    n, at = U(4) * e, U(12) * e
    a, b, c, d = U(8) * U(corner[n]), U(8) * U(corner[n + U(1)]), U(8) * U(corner[n + U(2)]), U(8) * U(corner[n + U(3)])
    e1, e2, e3 = difference(points, a, b), difference(points, a, c), difference(points, a, d)
    v = U(4)
    u1, u2, u3 = difference(points, a + v, b + v), difference(points, a + v, c + v), difference(points, a + v, d + v)
    g1, g2, g3 = _scaled(1.0 / 6.0, cross(e2, e3)), _scaled(1.0 / 6.0, cross(e3, e1)), _scaled(1.0 / 6.0, cross(e1, e2))
    _keep(gradient, at, (-(g1[0] + g2[0] + g3[0]), -(g1[1] + g2[1] + g3[1]), -(g1[2] + g2[2] + g3[2])))
    _keep(gradient, at + U(3), g1)
    _keep(gradient, at + U(6), g2)
    _keep(gradient, at + U(9), g3)
    turning = (dot(u1, cross(u2, e3)) + dot(u1, cross(e2, u3)) + dot(e1, cross(u2, u3))) / 3.0
    return dot(e1, g1), dot(u1, g1) + dot(u2, g2) + dot(u3, g3), turning


@inner
def triangle(points, corner, e, thickness, gradient):
    """The same of area times thickness."""
    n, at, h = U(4) * e, U(12) * e, 0.5 * thickness
    a, b, c = U(8) * U(corner[n]), U(8) * U(corner[n + U(1)]), U(8) * U(corner[n + U(2)])
    e1, e2, v = difference(points, a, b), difference(points, a, c), U(4)
    u1, u2 = difference(points, a + v, b + v), difference(points, a + v, c + v)
    _keep(gradient, at, (h * (e1[1] - e2[1]), h * (e2[0] - e1[0]), 0.0))
    _keep(gradient, at + U(3), (h * e2[1], -h * e2[0], 0.0))
    _keep(gradient, at + U(6), (-h * e1[1], h * e1[0], 0.0))
    _keep(gradient, at + U(9), (0.0, 0.0, 0.0))
    content = h * (e1[0] * e2[1] - e1[1] * e2[0])
    rate = h * (u1[0] * e2[1] - u1[1] * e2[0] + e1[0] * u2[1] - e1[1] * u2[0])
    return content, rate, 2.0 * h * (u1[0] * u2[1] - u1[1] * u2[0])


@inner
def measure_elements(mine, points):
    """The thread's elements, as they are and as they move."""
    corner, thickness, gradient = mine.corner, mine.thickness, mine.gradient
    for e in range(mine.first_element, mine.last_element):
        if thickness[e] > 0.0:
            content, rate, turning = triangle(points, corner, e, thickness[e], gradient)
        else:
            content, rate, turning = tetrahedron(points, corner, e, gradient)
        mine.content[e], mine.content_rate[e], mine.turning[e] = content, rate, turning
