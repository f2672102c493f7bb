"""The papers' searches, move by move: corners, walks, what is accepted, how bits are cut."""

from itertools import pairwise

import numpy as np
import pytest

from asking import Asker, bowl, papers_space, search_with, unit_space
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.search import Efficient, Genetic, GlobalRandom, LocalRandom, ModifiedRandom, SteepestDescent
from yawara.calibrate.search.genetic import crossing, decoded
from yawara.calibrate.search.grid import grid_at
from yawara.checks import SceneError

RNG = np.random.default_rng


class Scripted:
    """Answers with one cost after the other, then with the last; remembers what was asked."""

    def __init__(self, costs):
        self.costs, self.batches = list(costs), []

    def __call__(self, values):
        self.batches.append(np.array(values))
        assert len(self.batches) < 2000, "it goes on for ever"
        return [Outcome(self.costs.pop(0) if len(self.costs) > 1 else self.costs[0]) for _ in values]


def moves_of(questions, origin, delta):
    """Whole numbers of deltas from the origin."""
    moves = (questions - origin) / delta
    np.testing.assert_allclose(moves, np.round(moves), atol=1e-9)
    return np.round(moves).astype(int)


# --- steepest descent


def test_corners_are_those_of_the_paper_in_its_order():
    space = papers_space()
    asker = Scripted([1.0])
    SteepestDescent(delta=10.0).run(asker, space, RNG(0))
    start, corners = asker.batches
    assert start.tolist() == [space.start.tolist()]
    # (K+, C1+, C2+), (K+, C1+, C2-), ...      Noborio et al. 2003 (ICRA), sec. 3.2, step 4
    signs = [(1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1), (-1, 1, 1), (-1, 1, -1), (-1, -1, 1), (-1, -1, -1)]
    np.testing.assert_array_equal(corners, space.start + 10.0 * np.array(signs))


def test_descent_takes_the_best_corner_and_ends_where_none_is_better():
    """The third corner, then one that is no better: an equal cost is not enough."""
    space = papers_space()
    asker = Scripted([5.0, *[9.0, 4.0, 3.0, 3.0, 9.0, 9.0, FAILED_COST, 9.0], *[3.0] * 8])
    SteepestDescent(delta=10.0).run(asker, space, RNG(0))
    assert len(asker.batches) == 3
    np.testing.assert_array_equal(asker.batches[2].mean(axis=0), space.start + 10.0 * np.array([1, -1, 1]))


def test_descent_reaches_a_quarter_of_the_grid_only():
    """All parameters move at once, so that their numbers of moves are all even or all odd: 2 of 8 parities, 1/2^(n-1)."""
    space = papers_space()
    asker = search_with(SteepestDescent(delta=10.0), space, bowl(space, np.array([0.3, 0.62, 0.4])), budget=2000)
    moves = moves_of(asker.questions, space.start, 10.0)
    assert len(np.unique(moves, axis=0)) > 100
    assert (moves % 2 == moves[:, :1] % 2).all()
    assert {0, 1} == set((moves % 2).ravel())


def test_descent_misses_a_minimum_beside_its_points():
    """One move along an axis from the start: no corner is better, though the point beside is the best."""
    space = unit_space([0.5, 0.5, 0.5])
    asker = search_with(SteepestDescent(delta=0.1), space, bowl(space, np.array([0.6, 0.5, 0.5])), budget=2000)
    assert asker.best.tolist() == [0.5, 0.5, 0.5]


def test_corners_are_clipped_to_the_bounds_and_come_back_onto_the_grid():
    space = unit_space([0.95, 0.5])
    grid = grid_at(space, space.start, 0.1)
    beyond = grid.moved(grid.home(), np.array([1, 1]))
    np.testing.assert_allclose(grid.values(beyond), [1.0, 0.6], rtol=1e-15)
    np.testing.assert_array_equal(grid.moved(beyond, np.array([1, 0])), beyond)
    assert grid.values(grid.moved(beyond, np.array([-1, -1]))).tolist() == [0.95, 0.5]


def test_without_delta_a_move_is_a_hundredth_of_each_range_or_of_its_logarithm():
    space = papers_space()
    grid = grid_at(space, space.start, None)
    ends = grid.values(np.array([[1, 1, 1], [-1, -1, -1]]))
    np.testing.assert_allclose(ends[0, :2] - ends[1, :2], [2 * 29.0, 2 * 95.0], rtol=1e-12)
    assert ends[0, 2] / ends[1, 2] == pytest.approx((20000.0 / 500.0) ** 0.02, rel=1e-12)


def test_a_point_reached_by_two_ways_is_the_same_to_the_last_bit():
    space = papers_space(start=(0.123, 0.456, 0.789))
    for delta in (0.1, None):  # 0.1 is no binary fraction: sums of it depend on their order
        grid = grid_at(space, space.start, delta)
        forth = np.array([3, -7, 5])
        assert grid.values(grid.moved(grid.moved(grid.home(), forth), -forth)).tobytes() == space.start.tobytes()


def test_of_many_corners_some_are_looked_at():
    """Of 1024 neighbours 256, each with all parameters up or down."""
    space = unit_space(np.full(10, 0.5))
    asker = search_with(SteepestDescent(delta=0.1), space, bowl(space, np.full(10, 0.35)), budget=3000)
    assert {len(batch) for batch in asker.batches} == {1, 256}
    assert (np.abs(moves_of(asker.batches[1], space.start, 0.1)) == 1).all()
    assert len(np.unique(asker.batches[1], axis=0)) > 200
    assert asker.known[asker.best.tobytes()].cost < 0.5 * asker.known[space.start.tobytes()].cost


# --- random walks


def test_a_walk_moves_all_parameters_and_keeps_to_the_box():
    """After m moves a coordinate has the mean square m delta^2."""
    space = unit_space([0.5, 0.5])
    grid = grid_at(space, space.start, 1e-3)
    ends = np.array([grid.walked(grid.home(), 100, RNG(seed)) for seed in range(1000)])
    assert (ends % 2 == 0).all()
    # 2000 squares of mean 100 and deviation 100 sqrt(2): their mean is within 5 deviations of itself, 16
    assert np.mean(ends**2) == pytest.approx(100.0, abs=16.0)
    narrow = grid_at(space, space.start, 0.2)
    walked = np.array([narrow.values(narrow.walked(narrow.home(), 50, RNG(seed))) for seed in range(50)])
    assert walked.min() == 0.0
    assert walked.max() == 1.0


def test_local_walks_begin_at_the_last_minimum_whatever_it_is_worth():
    space = unit_space([0.5, 0.5])
    up = [9.0] * 4
    asker = Scripted([5.0, *up, 7.0, *up, 8.0, *up])
    LocalRandom(delta=0.01, walk=1, walks=2).run(asker, space, RNG(3))
    starts = [batch[0] for batch in asker.batches[::2]]
    assert [len(batch) for batch in asker.batches] == [1, 4, 1, 4, 1, 4]
    for before, after in pairwise(starts):
        np.testing.assert_allclose(np.abs(after - before), 0.01, rtol=1e-9)


def test_global_starts_are_drawn_all_over_the_box():
    space = papers_space()
    asker = Scripted([1.0])
    GlobalRandom(delta=10.0, starts=400).run(asker, space, RNG(0))
    starts = np.vstack(asker.batches[::2])
    shares = (starts - space.low) / (space.high - space.low)  # even in the parameters' units
    # 400 numbers of deviation 1/sqrt(12): their mean is within 5 deviations of itself, 0.072
    np.testing.assert_allclose(shares.mean(axis=0), 0.5, atol=0.072)
    assert len(starts) == 400


def test_efficient_walks_around_the_lowest_minimum():
    """Of three: 5, then 3 at a corner of the second point, then 4."""
    space = unit_space([0.5, 0.5])
    up = [9.0] * 4
    asker = Scripted([5.0, *up, 6.0, 9.0, 3.0, 9.0, 9.0, *up, 4.0, *up, 3.0, *up, 8.0, *up])
    Efficient(delta=0.01, starts=3, walk=1, walks=1).run(asker, space, RNG(3))
    assert [len(batch) for batch in asker.batches] == [1, 4, 1, 4, 4, 1, 4, 1, 4, 1, 4]
    lowest, again, walked = asker.batches[3][1], asker.batches[7][0], asker.batches[9][0]
    assert again.tolist() == lowest.tolist()
    np.testing.assert_allclose(np.abs(walked - again), 0.01, rtol=1e-9)


@pytest.mark.parametrize("failed_walk", ["continue", "return"])
def test_modified_random_descends_only_from_walks_that_end_no_higher(failed_walk):
    space = unit_space([0.5, 0.5])
    up = [9.0] * 4
    # minimum 5; walks to 6 (no), 7 (no), 5 (yes, as high as S_ran): descent from there to 4; a walk to 4.5 (no)
    asker = Scripted([5.0, *up, 6.0, 7.0, 5.0, 5.0, 9.0, 4.0, 9.0, 9.0, *up, 4.5])
    ModifiedRandom(delta=0.01, walk=1, walks=4, failed_walk=failed_walk).run(asker, space, RNG(5))
    assert [len(batch) for batch in asker.batches] == [1, 4, 1, 1, 1, 1, 4, 4, 1]
    minimum, first, second, third, descent = (asker.batches[i][0] for i in (0, 2, 3, 4, 5))
    np.testing.assert_array_equal(descent, third)
    before = (minimum, first, second) if failed_walk == "continue" else (minimum,) * 3
    for start, end in zip(before, (first, second, third), strict=True):
        np.testing.assert_allclose(np.abs(end - start), 0.01, rtol=1e-9)
    lower = asker.batches[6][1]
    np.testing.assert_allclose(np.abs(asker.batches[8][0] - lower), 0.01, rtol=1e-9)


def test_a_search_whose_box_is_known_comes_to_an_end():
    """4 points and 2 bounds in each parameter, so 36 in all: the budget is never spent."""
    space = unit_space([0.5, 0.5])
    for search in (LocalRandom(delta=0.25, walks=50), ModifiedRandom(delta=0.25, walks=50)):
        asker = Asker(bowl(space, np.array([0.25, 0.75])))
        search.run(asker, space, RNG(1))
        assert len(asker.known) <= 36
        assert len(asker.questions) > len(asker.known)


# --- genes


def bits_of(text):
    return np.array([letter == "1" for letter in text.replace(" ", "")])


def test_crossing_by_hand():
    """K = 1011, C = 0010 and K = 0100, C = 1101, cut after the sixth bit: K of the first, C half of each."""
    child = crossing(bits_of("1011 0010"), bits_of("0100 1101"), 6)
    np.testing.assert_array_equal(child, bits_of("1011 0001"))
    # 11/15 and 1/15 of the ranges
    space = unit_space([0.5, 0.5])
    np.testing.assert_allclose(decoded(space, child), [[11.0 / 15.0, 1.0 / 15.0]], rtol=1e-15)


def test_bits_reach_both_bounds():
    space = papers_space()
    genes = np.repeat([[False], [True]], 48, axis=1)
    assert decoded(space, genes).tolist() == [space.low.tolist(), space.high.tolist()]


def encoded(space, questions, bits):
    """The inverse of `decoded`."""
    numbers = np.round(space.to_unit(questions) * (2**bits - 1)).astype(int)
    return (numbers[..., None] >> np.arange(bits)[::-1] & 1).reshape(len(questions), -1).astype(bool)


def generations(search, space, centre, *, seed=1):
    asker = search_with(search, space, bowl(space, centre), budget=10_000, seed=seed)
    return [encoded(space, batch, search.bits) for batch in asker.batches], asker


def best_genes(asker, space, count, bits, batch):
    costs = [asker.known[row.tobytes()].cost for row in batch]
    return encoded(space, batch[np.argsort(costs, kind="stable")[:count]], bits)


def test_generations_are_as_large_as_in_the_papers():
    """50 at first, then 10 that live on and 40 new ones."""
    space = papers_space()
    asker = Scripted([1.0])
    Genetic(generations=5).run(asker, space, RNG(1))
    assert [len(batch) for batch in asker.batches] == [50, 40, 40, 40, 40, 40]


def test_children_are_one_former_part_and_one_latter_part_of_survivors():
    space = papers_space()
    search = Genetic(generations=1, mutation=0.0, parents="survivors")
    (_, children), asker = generations(search, space, np.array([0.3, 0.62, 0.4]))
    parents = best_genes(asker, space, 10, 16, asker.batches[0])
    for child in children:
        assert any(
            (crossing(first, second, point) == child).all()
            for i, first in enumerate(parents)
            for j, second in enumerate(parents)
            for point in range(1, 48)
            if i != j
        )
    assert len(np.unique(children, axis=0)) > 20


@pytest.mark.parametrize(("reversal", "changed"), [("all", 48), ("one", 1)])
def test_mutants_have_bits_of_a_survivor_reversed(reversal, changed):
    space = papers_space()
    search = Genetic(generations=1, mutation=1.0, parents="survivors", reversal=reversal)
    (_, mutants), asker = generations(search, space, np.array([0.3, 0.62, 0.4]))
    parents = best_genes(asker, space, 10, 16, asker.batches[0])
    for mutant in mutants:
        assert changed in (mutant != parents).sum(axis=1)


def test_one_in_a_hundred_is_a_mutant():
    """8000 children, 80 of them expected; the complement of a parent is no crossing of two."""
    space = unit_space([0.5])
    asker = Scripted([1.0])  # all alike: the first 10 live on for ever
    Genetic(generations=200, parents="survivors", bits=52).run(asker, space, RNG(1))
    genes = [encoded(space, batch, 52) for batch in asker.batches]
    complements = {(~parent).tobytes() for parent in genes[0][:10]}
    count = sum(child.tobytes() in complements for batch in genes[1:] for child in batch)
    assert abs(count - 80) < 5 * np.sqrt(80)


def test_who_may_be_a_parent_decides_whether_it_stalls():
    """The reason for the default: children of survivors alone are soon all alike."""
    space = papers_space()
    answer = bowl(space, np.array([0.3, 0.62, 0.4]))
    among_survivors = search_with(Genetic(generations=200, parents="survivors"), space, answer, budget=10_000)
    among_all = search_with(Genetic(generations=200), space, answer, budget=10_000)
    assert len(among_survivors.known) < 400 < len(among_all.known)


@pytest.mark.parametrize(("individuals", "survivors"), [(5, 0.2), (4, 1.0)])
def test_survivors_must_be_two_and_not_all(individuals, survivors):
    with pytest.raises(SceneError, match="survivors must be 2 individuals at least, and not all"):
        Genetic(individuals=individuals, survivors=survivors)
