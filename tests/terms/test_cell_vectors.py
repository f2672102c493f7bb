"""Four cells at a time do what one cell after the other does."""

import numpy as np
import pytest
from numba import njit, uint64

from yawara.terms.cells.constants import BLOCK_CELLS
from yawara.terms.cells.measure import (
    add_along_gradients,
    add_one_by_one,
    measure,
    measure_in_motion,
    measure_one_by_one,
    measure_rate,
    rate_one_by_one,
)

POINTS = 40


@njit
def both(corner, corners, first, count, points, u, factor):
    """All three passes by four, and one by one."""
    results = []
    for by_four in (True, False):
        edge, gradient, again = np.zeros(9 * BLOCK_CELLS), np.zeros(12 * BLOCK_CELLS), np.zeros(12 * BLOCK_CELLS)
        content_again = np.zeros(BLOCK_CELLS)
        content, rate, rate_u, forces = np.zeros(BLOCK_CELLS), np.zeros(BLOCK_CELLS), np.zeros(BLOCK_CELLS), np.zeros(8 * POINTS)
        if by_four:
            measure_in_motion(corner, corners, first, count, points, edge, gradient, content, rate)
            measure(corner, corners, first, count, points, edge, again, content_again)
            measure_rate(corner, corners, first, count, u, uint64(4), uint64(0), edge, gradient, rate_u)
            add_along_gradients(corner, corners, first, count, gradient, factor, forces, uint64(4 * POINTS))
        else:
            measure_one_by_one(corner, corners, first, uint64(0), count, points, edge, gradient, content)
            again[:], content_again[:] = gradient, content
            rate_one_by_one(corner, corners, first, uint64(0), count, points, uint64(8), uint64(4), edge, gradient, rate)
            rate_one_by_one(corner, corners, first, uint64(0), count, u, uint64(4), uint64(0), edge, gradient, rate_u)
            add_one_by_one(corner, corners, first, uint64(0), count, gradient, factor, forces, uint64(4 * POINTS))
        results.append((gradient, content, rate, rate_u, forces, again, content_again))
    return results


@pytest.mark.parametrize("count", [1, 3, 4, 6, 8, 63, 64])
@pytest.mark.parametrize("corners", [3, 4])
def test_the_same_up_to_rounding(corners, count):
    random, first = np.random.default_rng(count), 5
    corner = np.concatenate([random.permutation(POINTS)[:corners] for _ in range(first + count)]).astype(np.uint32)
    points = random.standard_normal(8 * POINTS)
    points[3::4] = 0.0
    if corners == 3:
        points[2::4] = 0.0
    u, factor = random.standard_normal(4 * POINTS), random.standard_normal(BLOCK_CELLS)
    by_four, one_by_one = both(corner, np.uint64(corners), np.uint64(first), np.uint64(count), points, u, factor)
    for ours, theirs in zip(by_four, one_by_one, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-13)
    gradient, content, _, _, forces, _, _ = by_four
    assert np.count_nonzero(content) == count  # and nothing beyond
    assert not forces[: 4 * POINTS].any()
    np.testing.assert_allclose(forces.reshape(-1, 4).sum(axis=0), 0.0, atol=1e-12)  # no force on the whole
    # V is a third (half) of the sum of gradient . place, whatever the shape
    places = points.reshape(-1, 8)[corner.reshape(-1, corners)[first:]][:, :, :3]
    ways = gradient.reshape(4, 3, BLOCK_CELLS)[:corners, :, :count]
    np.testing.assert_allclose(np.einsum("tid,idt->t", places, ways), (corners - 1) * content[:count], rtol=1e-10, atol=1e-12)
