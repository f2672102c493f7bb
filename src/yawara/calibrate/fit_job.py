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
from yawara.calibrate.workers import WorkersLostError
from yawara.checks import SceneError
from yawara.exclusive import alone_in, refuse_completed, refuse_used
from yawara.files import clear_temporaries, write_text
from yawara.json_file import is_written, read_json

REQUEST, JOURNAL, STAMP = "fit.toml", "evaluations.journal", "problem.json"


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
    refuse_used(directory, REQUEST, "fit")
    with alone_in(directory):
        refuse_used(directory, REQUEST, "fit")
        write_text(directory / STAMP, json.dumps({"problem": digest_of(loaded.problem)}) + "\n")
        write_text(directory / REQUEST, _with_whole_paths(file, path.absolute().parent))
        try:
            return _finish(file, loaded, directory, place)
        except WorkersLostError:
            raise
        except SceneError:  # it would be refused again: nothing of it is worth keeping
            for name in (REQUEST, STAMP, JOURNAL):
                (directory / name).unlink(missing_ok=True)
            raise


def resume_fit(directory: Path, place: Workplace = Workplace()) -> Fit:
    """Go on with an interrupted fit; ends with the same answer as one that never was."""
    if not (directory / REQUEST).exists():
        hint = f"holds no fit (there is no {REQUEST}); start one with: yawara fit EXPERIMENT.toml --out {directory}"
        raise SceneError([("", hint)], source=str(directory))
    file = read_fit_file(directory / REQUEST)
    loaded = problem_of(file, directory, source=str(directory / REQUEST))
    stamp = read_json(directory / STAMP, "start the fit again in another directory")
    if stamp.get("problem") != digest_of(loaded.problem):
        what = "the scene, the data or the parameters have changed since this fit began; start a new one in another directory"
        raise SceneError([("", what)], source=str(directory))
    complete = is_complete(directory)
    with alone_in(directory):
        refuse_completed(directory, complete=is_complete(directory) and not complete)
        clear_temporaries(directory)
        return _finish(file, loaded, directory, place)


def is_complete(directory: Path) -> bool:
    """Whether a fit here has come to its end; SceneError if the file that says so is damaged."""
    return is_written(directory / RESULT, f"remove it, and yawara fit --resume {directory} writes it again")


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


def _finish(file: FitFile, loaded: Loaded, directory: Path, place: Workplace) -> Fit:
    for words in loaded.warnings:
        if place.notify:
            place.notify(words)
    found = fit_problem(
        loaded.problem, search=file.search, budget=file.budget, seed=file.seed, intervals=file.intervals, executor=place.executor,
        workers=place.workers, journal=directory / JOURNAL, progress=place.progress, notify=place.notify,
    )  # fmt: skip
    write_answer(found, loaded.warnings, file.name, directory)
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


__all__ = ["FITTED", "REPORT", "RESULT", "Workplace", "is_complete", "resume_fit", "run_fit"]
