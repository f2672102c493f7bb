"""A fit in a directory: the request, the evaluations as they come, then the answer. Killed at any moment, it can be taken up again.

Every file appears whole or not at all; the journal of evaluations loses at most the record that was being written. A fit that is taken up
again asks all its questions once more, and finds most of the answers in the journal: it ends as if it had never been interrupted.
"""

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tomli_w

from yawara.calibrate.answer import FITTED, REPORT, RESULT, write_answer
from yawara.calibrate.asker import Progress
from yawara.calibrate.build import Loaded
from yawara.calibrate.executors import PROCESSES
from yawara.calibrate.experiment_file import FitFile, read_fit_file
from yawara.calibrate.fit import Fit, fit_problem
from yawara.calibrate.load import problem_of
from yawara.calibrate.problem import Problem
from yawara.job.job import Job
from yawara.job.kind import JobKind

REQUEST, JOURNAL = "fit.toml", "evaluations.journal"
FIT = JobKind(
    name="fit", command="fit", start="EXPERIMENT.toml", request=REQUEST, end=RESULT, decides="the scene, the data or the parameters",
    progress=(JOURNAL,), leaves=(RESULT,), refused_late=True, old_stamp=("problem.json", "problem"),
)  # fmt: skip


@dataclass(frozen=True)
class Workplace:
    """Who does the work, and who hears of it."""

    executor: str | Executor = PROCESSES
    workers: int | None = None
    progress: Progress | None = None
    notify: Callable[[str], None] | None = None


def run_fit(path: Path, directory: Path, place: Workplace = Workplace()) -> Fit:
    """Fit what an experiment file describes; refuses a directory that already holds a fit. Nothing is written if the file is wrong."""
    file = read_fit_file(path)
    loaded = problem_of(file, path.absolute().parent, source=str(path))
    job = Job(FIT, directory)
    job.refuse_used()
    with job.begun(_with_whole_paths(file, path.absolute().parent), digest_of(loaded.problem)):
        return _finish(file, loaded, job, place)


def resume_fit(directory: Path, place: Workplace = Workplace()) -> Fit:
    """Go on with an interrupted fit; ends with the same answer as one that never was."""
    job = Job.found(FIT, directory)
    file = read_fit_file(job.request)
    loaded = problem_of(file, directory, source=str(job.request))
    with job.taken_up(digest_of(loaded.problem)):
        return _finish(file, loaded, job, place)


def digest_of(problem: Problem) -> str:
    """Of everything that decides an evaluation."""
    parts = [
        problem.objective.value,
        {name: one.model_dump(mode="json") for name, one in problem.parameters.items()},
        dict(problem.start),
        [(one.name, one.scene, one.weight, one.held_out) for one in problem.experiments],
    ]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    for one in problem.experiments:
        for observation in one.observations:
            for name, value in sorted(vars(observation).items()):
                if name != "source":
                    digest.update(
                        f"{name}:".encode() + (value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
                    )
        for table in (one.scene.get("body", {}), one.scene.get("tool", {})):
            for item in table.values():
                if "file" in item:  # a mesh
                    digest.update(Path(item["file"]).read_bytes())
    return digest.hexdigest()[:16]


def _finish(file: FitFile, loaded: Loaded, job: Job, place: Workplace) -> Fit:
    for words in loaded.warnings:
        if place.notify:
            place.notify(words)
    found = fit_problem(
        loaded.problem, search=file.search, budget=file.budget, seed=file.seed, intervals=file.intervals, executor=place.executor,
        workers=place.workers, journal=job.directory / JOURNAL, progress=place.progress, notify=place.notify,
    )  # fmt: skip
    job.finish(write_answer(found, loaded.warnings, file.name, job.directory))
    return found


def _with_whole_paths(file: FitFile, home: Path) -> str:
    """The request with files named so that they are found from anywhere."""
    data = file.model_dump(mode="json", exclude_none=True)
    for experiment in data["experiment"].values():
        for part in (experiment, *experiment["cloud"], *experiment["curve"], *experiment["marker"]):
            for name in ("scene", "file"):
                if name in part:
                    part[name] = str(home / part[name])
    return tomli_w.dumps(data)


__all__ = ["FIT", "FITTED", "REPORT", "RESULT", "Workplace", "resume_fit", "run_fit"]
