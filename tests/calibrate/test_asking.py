"""Questions are answered once, by whomever; what was answered is on the disk; who dies takes nothing along."""

import json
import zlib
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest

from asking import unit_space
from calibration_cases import small_problem
from dying import Deadly, Hopeless
from yawara.calibrate import workers as workers_module
from yawara.calibrate.asker import Asker
from yawara.calibrate.dask_workers import DaskWorkers
from yawara.calibrate.executors import workers_for
from yawara.calibrate.fit import fit_problem
from yawara.calibrate.journal import HEAD, MARK, Journal
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.search import BudgetSpent, CmaEs, LeastSquares
from yawara.calibrate.workers import Elsewhere, Here, Processes, WorkersLostError
from yawara.checks import SceneError

try:
    import distributed
except ImportError:
    distributed = None


class Bowl:
    """Answers by the distance from (0.3, 0.6), fails beyond 0.9, and counts."""

    def __init__(self):
        self.asked = []

    def evaluate(self, free):
        self.asked.append(tuple(free))
        if free[0] > 0.9:
            return Outcome(FAILED_COST, failure="too far")
        residual = np.asarray(free) - [0.3, 0.6]
        return Outcome(0.5 * float(residual @ residual), residual, {"x": float(free[0])})


POINTS = np.array([[0.1, 0.2], [0.3, 0.6], [0.95, 0.5], [0.5, 0.5]])


# --- memory and budget


def test_the_same_question_is_evaluated_once():
    bowl = Bowl()
    ask = Asker(Here(bowl))
    first = ask(POINTS[[0, 1, 0]])
    assert first[0] is first[2]
    again = ask(POINTS[[1, 3]])
    assert again[0] is first[1]
    assert bowl.asked == [tuple(POINTS[n]) for n in (0, 1, 3)]
    assert [tuple(values) for values, _ in ask.trace] == bowl.asked
    assert tuple(ask.best[0]) == (0.3, 0.6)


def test_values_that_differ_in_the_last_bit_are_other_values():
    bowl = Bowl()
    Asker(Here(bowl))(np.array([[0.3, 0.6], [np.nextafter(0.3, 1.0), 0.6]]))
    assert len(bowl.asked) == 2


def test_the_budget_counts_questions_not_repetitions():
    bowl = Bowl()
    ask = Asker(Here(bowl), budget=3)
    ask(POINTS[[0, 0, 1, 0]])
    ask(POINTS[[1, 0]])
    with pytest.raises(BudgetSpent):
        ask(POINTS[[2, 3, 0]])  # one of the two may still be evaluated
    assert bowl.asked == [tuple(POINTS[n]) for n in (0, 1, 2)]
    assert len(ask.trace) == 3
    assert ask(POINTS[[2, 1]])[0].failed
    with pytest.raises(BudgetSpent):
        ask(POINTS[[3]])


def test_how_far_it_has_come():
    seen = []
    ask = Asker(Here(Bowl()), budget=8, progress=seen.append)
    ask(POINTS)
    last = seen[-1]
    assert (last.asked, last.budget, last.fresh, last.failed, last.best_cost) == (4, 8, 4, 1, 0.0)
    assert last.rate == pytest.approx(4 / last.seconds)
    assert last.seconds_left == pytest.approx(4 / last.rate)


def test_the_best_answer_is_what_the_search_makes_small():
    """With a robust loss the sum of squares is lower in the wrong place: nearer to the outlier."""
    at = np.linspace(-1.0, 1.0, 11)
    data = np.append(0.3 * at + 0.6, 8.0)  # the last reading is far off

    class Line:
        def evaluate(self, free):
            residual = (np.append(free[0] * at + free[1], free[1]) - data) / 0.1
            return Outcome(0.5 * float(residual @ residual), residual)

    for loss, expected in (("linear", False), ("cauchy", True), ("huber", True), ("soft_l1", True), ("arctan", True)):
        search = LeastSquares(loss=loss)
        ask = Asker(Here(Line()), rated=search.rated)
        search.run(ask, unit_space([0.5, 0.5]), np.random.default_rng(0))
        last = ask.trace[-1][1]
        near = np.abs(ask.best[0] - [0.3, 0.6]).max() < 0.05
        assert near is np.True_ if expected else not near
        assert search.rated(ask.best[1]) <= search.rated(last)


# --- the journal


def noted(path, count=4):
    """A journal of the first points."""
    journal = Journal(path)
    Asker(Here(Bowl()), journal)(POINTS[:count])
    journal.close()
    return path.read_bytes()


def test_a_journal_is_read_back_bit_for_bit(tmp_path):
    noted(tmp_path / "journal")
    found = Journal(tmp_path / "journal").found
    for (values, outcome), point in zip(found, POINTS, strict=True):
        expected = Bowl().evaluate(point)
        assert values.tobytes() == point.tobytes()
        assert (outcome.cost, outcome.metrics, outcome.failure) == (expected.cost, expected.metrics, expected.failure)
        assert outcome.residual.tobytes() == expected.residual.tobytes()


def test_a_journal_answers_instead_of_the_workers(tmp_path):
    noted(tmp_path / "journal", 3)
    bowl = Bowl()
    journal = Journal(tmp_path / "journal")
    ask = Asker(Here(bowl), journal, budget=4)
    outcomes = ask(POINTS)
    journal.close()
    assert bowl.asked == [tuple(POINTS[3])]
    assert [outcome.cost for outcome in outcomes] == [Bowl().evaluate(point).cost for point in POINTS]
    assert len(ask.trace) == 4
    assert ask.fresh == 1
    assert (tmp_path / "journal").read_bytes() == noted(tmp_path / "other")


def test_wherever_a_journal_is_torn_the_whole_records_before_are_kept(tmp_path):
    whole = noted(tmp_path / "journal")
    ends = [len(noted(tmp_path / f"first {count}", count)) for count in range(1, 5)]
    path = tmp_path / "torn"
    beside = {end + n for end in (0, *ends) for n in (-1, 0, 1, 16)}  # a record's head has 16 bytes
    for length in sorted(n for n in beside | set(range(0, len(whole), 41)) if 0 <= n <= len(whole)):
        path.write_bytes(whole[:length])
        journal = Journal(path)
        kept = sum(end <= length for end in ends)
        assert len(journal.found) == kept
        Asker(Here(Bowl()), journal)(POINTS)
        journal.close()
        assert path.read_bytes() == whole


def test_a_record_that_was_spoilt_ends_the_journal(tmp_path):
    whole = bytearray(noted(tmp_path / "journal"))
    whole[-3] ^= 1
    (tmp_path / "journal").write_bytes(whole)
    assert len(Journal(tmp_path / "journal").found) == 3


def record(plain, residual=b""):
    line = plain if isinstance(plain, bytes) else json.dumps(plain).encode()
    return HEAD.pack(MARK, len(line), len(residual), zlib.crc32(line + residual)) + line + residual


GOOD_RECORD = {"values": ["0x1p+0", "0x1p+1"], "cost": "0x1p+0", "metrics": {}, "failure": ""}


@pytest.mark.parametrize(
    "first",
    [
        record([1, 2]),
        record(b"no JSON"),
        record(b"[" * 100_000),
        record({key: value for key, value in GOOD_RECORD.items() if key != "cost"}),
        record(GOOD_RECORD | {"values": 5}),
        record(GOOD_RECORD | {"values": ["0x1p+99999"]}),
        record(GOOD_RECORD | {"values": ["nan", "0x1p+0"]}),
        record(GOOD_RECORD | {"cost": "nan"}),
        record(GOOD_RECORD | {"metrics": {"a": "b"}}),
        record(GOOD_RECORD | {"failure": None}),
        record(GOOD_RECORD, residual=b"12345"),
        record(GOOD_RECORD)[:-3] + b"x",
    ],
    ids=range(12),
)
def test_a_journal_that_is_damaged_before_its_end_is_refused_and_left_as_it_is(tmp_path, first):
    path = tmp_path / "journal"
    path.write_bytes(first + record(GOOD_RECORD))
    before = path.read_bytes()
    with pytest.raises(SceneError, match=r"is damaged after 0 records .* remove it and go on with --resume"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_journal_of_another_problem_is_refused(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(record(GOOD_RECORD))
    with pytest.raises(SceneError, match="2 values where one belongs"):
        Journal(path, lambda values, outcome: f"{len(values)} values where one belongs")


def test_residuals_are_asked_for_again_where_they_were_not_kept(tmp_path):
    """As after a search that does not need them."""
    bowl, journal = Bowl(), Journal(tmp_path / "journal")
    ask = Asker(Here(bowl), journal, keep_residuals=False)
    assert [len(outcome.residual) for outcome in ask(POINTS[:3])] == [0, 0, 0]
    ask.keep_residuals, ask.budget = True, 0
    assert [len(outcome.residual) for outcome in ask(POINTS[:3])] == [2, 2, 0]  # the last one failed
    assert len(bowl.asked) == 5
    assert len(ask.trace) == 3
    journal.close()
    found = Asker(Here(Bowl()), Journal(tmp_path / "journal"))
    assert [len(outcome.residual) for outcome in found(POINTS[:3])] == [2, 2, 0]
    assert found.fresh == 0


# --- who evaluates


def test_any_executor_gives_the_same_answer():
    problem = small_problem(points=20)
    here = fit_problem(problem, executor="here")
    with ThreadPoolExecutor(3) as threads:
        there = fit_problem(problem, executor=threads)
    assert there.values == here.values
    assert [values.tolist() for values, _ in there.trace] == [values.tolist() for values, _ in here.trace]
    assert there.estimates == here.estimates


def test_a_worker_that_dies_takes_no_answer_along(tmp_path):
    answers = []
    with Processes(Deadly(tmp_path / "died"), 1) as team:
        team.run([np.array([n / 8]) for n in range(8)], lambda number, outcome: answers.append((number, outcome.cost)))
    assert (tmp_path / "died").exists()
    assert sorted(answers) == [(n, n / 8) for n in range(8)]  # each of them once


def test_workers_that_always_die_are_given_up(monkeypatch):
    monkeypatch.setattr(workers_module, "DEATHS", 2)
    with Processes(Hopeless(), 1) as team, pytest.raises(WorkersLostError, match=r"workers: died 2 times in a row .*--workers 1"):
        team.run([np.zeros(1)], lambda number, outcome: None)


class Unlucky(Executor):
    """An executor, such as that of a Dask cluster, in which a question has killed too many workers."""

    def submit(self, function, /, *arguments):
        future = Future()
        future.set_exception(distributed.KilledWorker("evaluate", "127.0.0.1", 3))
        return future


@pytest.mark.skipif(distributed is None, reason="needs Dask")
def test_a_question_that_kills_every_dask_worker_is_given_up():
    team = object.__new__(DaskWorkers)
    Elsewhere.__init__(team, Bowl(), Unlucky())
    with pytest.raises(WorkersLostError, match=r"workers: died again and again .*--resume"):
        team.run([np.zeros(2)], lambda number, outcome: None)


@pytest.mark.parametrize("name", ["proceses", "dusk", "http://here"])
def test_an_executor_that_is_not_known(name):
    with pytest.raises(SceneError, match=rf"--executor: must be processes, here, dask or dask://HOST:PORT \(got '{name}'\)"):
        workers_for(Bowl(), name)


# --- interrupted


class Stop(Exception):  # noqa: N818
    pass


def interrupted_after(count):
    def progress(standing):
        if standing.fresh == count:
            raise Stop

    return progress


@pytest.mark.parametrize("search", [LeastSquares(), CmaEs(population=4)], ids=lambda search: search.method)
def test_a_fit_that_is_interrupted_ends_with_the_same_answer(tmp_path, search):
    """Wherever: while it looks at the start, in the search, and while it looks around the answer."""
    problem = small_problem(points=10, noise=2e-4)
    options = {"search": search, "budget": 14, "executor": "here", "seed": 3}
    whole = fit_problem(problem, journal=tmp_path / "whole", **options)
    asked = len(Journal(tmp_path / "whole").found)
    assert asked > 14
    begun = 0
    for count in (1, 3, asked - 2):
        with pytest.raises(Stop):
            fit_problem(problem, journal=tmp_path / "torn", progress=interrupted_after(count - begun), **options)
        begun = count
    resumed = fit_problem(problem, journal=tmp_path / "torn", **options)
    assert resumed.values == whole.values
    assert resumed.estimates == whole.estimates
    assert resumed.warnings == whole.warnings
    assert resumed.outcome.cost == whole.outcome.cost
    assert resumed.evaluations == whole.evaluations == 14
    assert (tmp_path / "torn").read_bytes() == (tmp_path / "whole").read_bytes()
