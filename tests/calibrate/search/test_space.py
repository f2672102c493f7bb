"""The box of a search: there and back again without rounding where it matters."""

import numpy as np

from asking import papers_space
from yawara.calibrate.space import Space


def test_bounds_and_start_come_back_without_rounding():
    rng = np.random.default_rng(0)
    for _ in range(200):
        low = rng.uniform(0.1, 10.0, 4)
        high = low * rng.uniform(2.0, 1000.0, 4)
        space = Space(("a", "b", "c", "d"), low, high, rng.uniform(low, high), np.array([0.0, 1.0, 0.0, 1.0]))
        assert space.to_values(np.zeros(4)).tobytes() == low.tobytes()
        assert space.to_values(np.ones(4)).tobytes() == high.tobytes()
        assert space.to_values(space.to_unit(space.start)).tobytes() == space.start.tobytes()


def test_the_middle_of_a_logarithm_is_the_geometric_mean():
    space = papers_space()
    np.testing.assert_allclose(space.to_values(np.full(3, 0.5)), [1550.0, 5250.0, np.sqrt(500.0 * 20000.0)], rtol=1e-14)


def test_values_outside_are_brought_to_the_bounds():
    space = papers_space()
    assert space.to_values(np.array([[-0.1, 1.1, 2.0]])).tolist() == [[100.0, 10000.0, 20000.0]]
