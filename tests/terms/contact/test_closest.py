"""Closest points against exact fractions, on random, thin, parallel and degenerate triangles and segments.

The distance of the points found must be the least one to a few roundings of the largest coordinate. Only what is thinner than 1e-12
of its length counts as having no width; there half of that may be missed.
"""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, nnls

from plain import plain
from reference_geometry import segment_distance, segments_distance, triangle_distance
from yawara.kernels import closest

COUNT = 1500  # cases of each kind
ROUNDING = 1e-14
NO_WIDTH = 1e-12
PERMUTATIONS = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]

closest_between_segments, closest_on_segment, closest_on_triangle = (
    plain(one) for one in (closest.closest_between_segments, closest.closest_on_segment, closest.closest_on_triangle)
)


def any_points(random, number):
    return random.normal(size=(COUNT, number, 3))


def on_a_small_grid(random, number):
    """Coinciding, collinear and coplanar ones among them, and many that are equally near."""
    return random.integers(-2, 3, (COUNT, number, 3)).astype(float)


def nearly_on_a_line(random, number):
    """All or all but the first, with widths down to nothing."""
    points = any_points(random, number)
    across = 10.0 ** random.uniform(-18.0, 0.0, (COUNT, 1, 1))
    line = points[:, :1] + points[:, 1:2] * random.uniform(-1.0, 1.0, (COUNT, number, 1)) + across * points
    return np.where((np.arange(number) == 0)[:, None] & (random.uniform(size=(COUNT, 1, 1)) < 0.5), points, line)


def far_apart(random, number):
    """The first one, or the first half, by up to a thousand times the size."""
    points = any_points(random, number)
    points[:, : (number + 1) // 2 if number == 4 else 1] += 10.0 ** random.uniform(0.0, 3.0, (COUNT, 1, 1)) * points[:, :1]
    return points


def touching(random, number):
    """The first point in the plane of the others; for segments: they cross."""
    points = any_points(random, number)
    weights = random.uniform(-0.5, 1.5, (COUNT, number - 1))
    points[:, 0] = np.einsum("cn,cni->ci", weights / weights.sum(axis=1, keepdims=True), points[:, 1:])
    return points


def of_any_size(random, number):
    return any_points(random, number) * 10.0 ** random.uniform(-9.0, 9.0, (COUNT, 1, 1))


KINDS = [any_points, on_a_small_grid, nearly_on_a_line, far_apart, touching, of_any_size]
pytestmark = pytest.mark.parametrize("kind", KINDS)


def cases(kind, number):
    return kind(np.random.default_rng(KINDS.index(kind)), number)


def allowed(points, width=np.inf):
    """Error of a distance [m]."""
    size = np.abs(points).max() + 1e-300
    return ROUNDING * size + (0.5 * NO_WIDTH * size if width <= 2.0 * NO_WIDTH * size else 0.0)


def width_of(a, b, c):
    """Height over the longest edge [m]."""
    longest = max(np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(a - c))
    return np.linalg.norm(np.cross(b - a, c - a)) / longest if longest > 0.0 else 0.0


def found_on_triangle(p, a, b, c):
    u, v, w, region = closest_on_triangle(*p, *a, *b, *c)
    return np.linalg.norm(u * (a - p) + v * (b - p) + w * (c - p)), (u, v, w), region


def test_triangle_against_fractions(kind):
    for points in cases(kind, 4):
        distance, weights, region = found_on_triangle(*points)
        assert min(weights) >= 0.0
        assert sum(weights) == pytest.approx(1.0, abs=1e-15)
        assert region == np.count_nonzero(np.array(weights) == 0.0)
        assert abs(distance - triangle_distance(*points)) <= allowed(points, width_of(*points[1:]))


def test_triangle_in_any_order_of_corners(kind):
    for p, *corners in cases(kind, 4)[:200]:
        found = [found_on_triangle(p, *(corners[n] for n in order))[0] for order in PERMUTATIONS]
        assert np.ptp(found) <= 2.0 * allowed(np.array([p, *corners]), width_of(*corners))


def test_segment_against_fractions(kind):
    for p, a, b in cases(kind, 3):
        t, back = closest_on_segment(*p, *a, *b), closest_on_segment(*p, *b, *a)
        assert 0.0 <= t <= 1.0
        size = allowed(np.array([p, a, b]))
        assert abs(np.linalg.norm(p - a - t * (b - a)) - segment_distance(p, a, b)) <= size
        assert np.linalg.norm((1.0 - t - back) * (b - a)) <= 10.0 * size or (t, back) == (0.0, 0.0)


def found_between_segments(a, b, c, d):
    s, t, parallel = closest_between_segments(*a, *b, *c, *d)
    return np.linalg.norm(c - a + t * (d - c) - s * (b - a)), (s, t), parallel


def sine_between(a, b, c, d):
    lengths = np.linalg.norm(b - a) * np.linalg.norm(d - c)
    return np.linalg.norm(np.cross(b - a, d - c)) / lengths if lengths > 0.0 else 0.0


def test_segments_against_fractions(kind):
    for points in cases(kind, 4):
        distance, parameters, parallel = found_between_segments(*points)
        sine = sine_between(*points)
        assert min(parameters) >= 0.0
        assert max(parameters) <= 1.0
        assert parallel == (sine <= 1e-4)
        assert abs(distance - segments_distance(*points)) <= allowed(points, sine * np.abs(points).max())


def test_segments_exchanged_and_turned_round(kind):
    for a, b, c, d in cases(kind, 4)[:300]:
        points = np.array([a, b, c, d])
        distance, (s, t), parallel = found_between_segments(a, b, c, d)
        others = [((c, d, a, b), (t, s)), ((b, a, c, d), (1.0 - s, t)), ((a, b, d, c), (s, 1.0 - t))]
        for order, expected in others:
            again, parameters, same = found_between_segments(*order)
            assert abs(again - distance) <= 2.0 * allowed(points, sine_between(a, b, c, d) * np.abs(points).max())
            assert same == parallel
            if kind is any_points:  # elsewhere more than one pair may be closest
                assert parameters == pytest.approx(expected, abs=1e-9)


def minimised_on_triangle(p, a, b, c):
    """By weights that are not negative; a heavy row asks for a sum of 1."""
    heavy = 1e6
    weights, _ = nnls(np.vstack([np.stack([a, b, c], axis=1), np.full(3, heavy)]), np.append(p, heavy))
    weights /= weights.sum()
    return np.linalg.norm(weights @ np.array([a, b, c]) - p)


def minimised_between(a, b, c, d):
    """By fractions of both segments, within bounds."""
    found = lsq_linear(np.stack([b - a, c - d], axis=1), c - a, bounds=(0.0, 1.0), method="bvls", tol=1e-14)
    return np.sqrt(2.0 * found.cost)


def test_against_a_minimiser(kind):
    """The fractions themselves, by methods that share nothing with them: least squares with bounds (Lawson and Hanson 1974)."""
    for points in cases(kind, 4)[:20] / np.abs(cases(kind, 4)[:20]).max(axis=(1, 2), keepdims=True):
        for minimised, exact in ((minimised_on_triangle, triangle_distance), (minimised_between, segments_distance)):
            best = minimised(*points) ** 2
            assert exact(*points) ** 2 <= best + 1e-12
            assert best <= exact(*points) ** 2 + 1e-9


def test_parallel_segments_share_the_middle(kind):
    for a, b, _, shift in cases(kind, 4)[:50]:
        if (b == a).all():
            continue
        c, d = a + 0.25 * (b - a) + shift, a + 2.0 * (b - a) + shift
        along = 0.25 + shift @ (b - a) / np.square(b - a).sum()
        _, (s, t), parallel = found_between_segments(a, b, c, d)
        assert parallel
        expected = np.clip([along, along + 1.75], 0.0, 1.0).mean()
        tolerance = 1e-12 * (1.0 + np.abs([a, b, shift]).max() / np.linalg.norm(b - a))
        assert s == pytest.approx(expected, abs=tolerance)
        assert t == pytest.approx(np.clip((expected - along) / 1.75, 0.0, 1.0), abs=tolerance)
