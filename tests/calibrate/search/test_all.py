"""What every search must do: find a minimum, repeat itself, survive failures, stay in the box, obey the budget."""

import contextlib
import inspect

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from asking import Asker, bowl, failing_beyond, papers_space, search_with
from yawara.calibrate.search import (
    SEARCHES,
    AnySearch,
    BudgetSpent,
    CmaEs,
    Efficient,
    Genetic,
    GlobalLocal,
    GlobalRandom,
    LeastSquares,
    LocalRandom,
    ModifiedRandom,
    SteepestDescent,
    default_search,
)
from yawara.calibrate.search.grid import SHARE

CENTRE = np.array([0.3, 0.62, 0.4])

# A point d from the minimum of a round bowl has no better corner if |d|^2 <= |d - s delta|^2 for all signs s, that is if
# |d_1| + |d_2| + |d_3| <= 3 delta/2; its distance is no more than that.
ON_GRID = 1.5 * SHARE

# search, evaluations it may take, distance from the minimum in the unit cube
CASES = {
    "least_squares": (LeastSquares(), 40, 1e-7),  # ends when the gradient, here the distance, times that to the bound is < 1e-8
    "global_local": (GlobalLocal(samples=16), 60, 1e-7),
    "cma_es": (CmaEs(), 1500, 1e-5),  # ends when points differ by 1e-6
    "genetic": (Genetic(), 3000, 1e-3),  # the nearest of 3000 points at random is 0.04 away: (3/(4 pi 3000))^(1/3)
    "modified_random": (ModifiedRandom(), 600, ON_GRID),
    "efficient": (Efficient(starts=2), 1000, ON_GRID),
    "global_random": (GlobalRandom(), 600, ON_GRID),
    "local_random": (LocalRandom(), 600, ON_GRID),
    "steepest_descent": (SteepestDescent(), 600, ON_GRID),
}
EVERY = pytest.mark.parametrize("method", CASES)


def distance(space, asker, centre):
    return np.linalg.norm(space.to_unit(asker.best) - centre)


def test_every_search_is_tested():
    assert set(CASES) == {kind.model_fields["method"].default for kind in SEARCHES}


@EVERY
def test_finds_the_bottom_of_a_bowl(method):
    search, budget, near = CASES[method]
    space = papers_space()
    asker = search_with(search, space, bowl(space, CENTRE), budget=budget)
    assert distance(space, asker, CENTRE) <= near


@EVERY
def test_survives_failures_in_half_of_the_box(method):
    search, budget, near = CASES[method]
    space = papers_space()
    asker = search_with(search, space, failing_beyond(space, bowl(space, CENTRE), 0.5), budget=2 * budget)
    assert distance(space, asker, CENTRE) <= near


@EVERY
def test_survives_failures_beside_the_minimum(method):
    """Steps, clouds and corners reach beyond the edge, again and again."""
    search, budget, near = CASES[method]
    space = papers_space(start=(0.1, 0.7, 0.6))
    asker = search_with(search, space, failing_beyond(space, bowl(space, CENTRE), CENTRE[0] + 0.25 * SHARE), budget=2 * budget)
    assert distance(space, asker, CENTRE) <= near


@EVERY
def test_never_leaves_the_box_and_finds_a_minimum_in_its_corner(method):
    search, budget, near = CASES[method]
    space = papers_space()
    asker = search_with(search, space, bowl(space, np.array([1.3, -0.2, 0.5])), budget=2 * budget)
    assert (asker.questions >= space.low).all()
    assert (asker.questions <= space.high).all()
    assert distance(space, asker, np.array([1.0, 0.0, 0.5])) <= near


@EVERY
def test_asks_the_same_questions_again(method):
    search, budget, _ = CASES[method]
    space = papers_space()
    first, second = (search_with(search, space, bowl(space, CENTRE), budget=budget, seed=7) for _ in range(2))
    assert [batch.tobytes() for batch in first.batches] == [batch.tobytes() for batch in second.batches]
    other = search_with(search, space, bowl(space, CENTRE), budget=budget, seed=8)
    is_drawn = method not in ("least_squares", "steepest_descent")
    assert (other.questions.tobytes() != first.questions.tobytes()) == is_drawn


@EVERY
def test_goes_on_where_it_was_interrupted(method):
    """Asked all over again, with the answers of the first time at hand."""
    search, budget, _ = CASES[method]
    space = papers_space()
    whole = search_with(search, space, bowl(space, CENTRE), budget=budget)
    asker = Asker(bowl(space, CENTRE), len(whole.known) // 2)
    with pytest.raises(BudgetSpent):
        search.run(asker, space, np.random.default_rng(1))
    asker.budget, asker.batches = budget, []
    with contextlib.suppress(BudgetSpent):
        search.run(asker, space, np.random.default_rng(1))
    assert asker.questions.tobytes() == whole.questions.tobytes()
    assert list(asker.known) == list(whole.known)


@EVERY
def test_the_end_of_the_budget_passes_through(method):
    search, _, _ = CASES[method]
    space = papers_space()
    asker = Asker(bowl(space, CENTRE), 7)
    with pytest.raises(BudgetSpent):
        search.run(asker, space, np.random.default_rng(1))
    assert len(asker.known) == 7


@pytest.mark.parametrize("kind", SEARCHES)
def test_says_what_it_does_where_it_is_from_and_when_to_use_it(kind):
    assert kind.__doc__ in inspect.getsource(kind)
    assert kind.source
    assert kind.use
    for name, field in kind.model_fields.items():
        assert name == "method" or field.description
    assert TypeAdapter(AnySearch).validate_python({"method": kind.model_fields["method"].default}) == kind()


def test_an_unknown_field_is_answered_with_the_nearest():
    with pytest.raises(ValidationError, match=r"did you mean 'survivors'\?"):
        TypeAdapter(AnySearch).validate_python({"method": "genetic", "survivor": 0.2})


def test_least_squares_is_the_default_for_few_parameters():
    assert default_search(8) == LeastSquares()
    assert default_search(9) == CmaEs()
