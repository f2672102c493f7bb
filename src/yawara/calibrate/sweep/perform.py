"""A sweep from its beginning to its end: in memory, or in a directory in which it can be taken up again.

The request is written first, each run is noted as soon as it is done, and the summary comes last: its presence says that all is there.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from yawara.calibrate.asker import Asker, Progress, Standing
from yawara.calibrate.executors import PROCESSES, workers_for
from yawara.calibrate.journal import Journal, key_of
from yawara.calibrate.outcome import Outcome
from yawara.calibrate.sweep.page import sweep_page
from yawara.calibrate.sweep.plan import Plan, plan_of
from yawara.calibrate.sweep.request import REQUEST, Request, read_request, request_text
from yawara.calibrate.sweep.runs import WALL_TIME
from yawara.calibrate.sweep.table import CSV, JSON, Table, table_of
from yawara.calibrate.workers import Workers, usable_cores
from yawara.files import write_text
from yawara.job.job import Job, request_digest
from yawara.job.kind import JobKind
from yawara.scene.file import mesh_files, scene_error
from yawara.scene.scene import Scene
from yawara.simulate import prepare_kernels
from yawara.summary import versions

JOURNAL, REPORT, SUMMARY = "runs.journal", "report.html", "summary.json"
SWEEP = JobKind(
    name="sweep", command="sweep", start="SCENE.toml --over ...", request=REQUEST, end=SUMMARY,
    decides="the scene, the meshes that it names or what is varied", progress=(JOURNAL,), scraps=(JOURNAL,),
    leaves=(CSV, JSON, REPORT, SUMMARY),
)  # fmt: skip
Over = Sequence[str] | Mapping[str, Sequence[float]]


def sweep_scene(
    scene: Scene,
    over: Over,
    *,
    sample: int | None = None,
    seed: int = 0,
    together: bool = False,
    measure: Sequence[str] = (),
    directory: str | Path | None = None,
    executor: str | Executor = PROCESSES,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Run a scene with many values; `over` are texts like 'body.dough.law.k1=100:3000:20', or values by path.

    With a directory, everything is written there, and `resume_sweep` goes on if it was interrupted; else nothing is written.
    """
    plan = plan_of(_request(scene, over, sample=sample, seed=seed, together=together, measure=tuple(measure)))
    job = None if directory is None else Job(SWEEP, directory)
    if job is not None:
        job.refuse_used()
    with _team(plan, executor, workers) as team, nullcontext() if job is None else _begun(job, plan):
        return _finish(plan, team, job, progress)


def _begun(job: Job, plan: Plan) -> AbstractContextManager[None]:
    text = request_text(plan.request)
    return job.begun(text, request_digest(text.encode(), mesh_files(plan.request.scene)))


def resume_sweep(
    directory: str | Path,
    *,
    executor: str | Executor = PROCESSES,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Go on with a sweep that was interrupted; the table is the same as that of one that never was."""
    job = Job.found(SWEEP, directory)
    plan = plan_of(read_request(job.request))
    digest = request_digest(job.request.read_bytes(), mesh_files(plan.request.scene))
    with job.taken_up(digest), _team(plan, executor, workers) as team:
        return _finish(plan, team, job, progress)


def _request(scene: Scene, over: Over, **others: Any) -> Request:
    try:
        return Request.model_validate({"scene": scene, "over": _texts(over), **others})
    except ValidationError as error:
        raise scene_error(error, kind=Request, source="the command") from None


def _texts(over: Over) -> tuple[str, ...]:
    if isinstance(over, Mapping):
        return tuple(f"{path}={','.join(repr(float(value)) for value in values)}" for path, values in over.items())
    return tuple(over)


def _team(plan: Plan, executor: str | Executor, workers: int | None) -> Workers:
    return workers_for(plan.runs, executor, min(usable_cores() if workers is None else workers, len(plan.points)))


def _finish(plan: Plan, team: Workers, job: Job | None, progress: Progress | None) -> Table:
    prepare_kernels(plan.compiled)  # once, here: workers find them compiled
    begun = time.perf_counter()
    with closing(Journal(None if job is None else job.directory / JOURNAL, plan.runs.misfit)) as journal:
        keys = {key_of(point) for point in plan.points}
        found = len(keys & {key_of(values) for values, _ in journal.found})

        def tell(standing: Standing) -> None:
            if progress:
                progress(replace(standing, asked=found + standing.fresh, budget=len(keys)))

        asker = Asker(team, journal, progress=tell)
        tell(asker.standing)
        outcomes = asker(plan.points)
    table = table_of(plan.request.scene.name, plan.axes, plan.points, outcomes, plan.columns)
    if job is not None:
        _write(plan, table, job, time.perf_counter() - begun)
    return table


def _write(plan: Plan, table: Table, job: Job, seconds: float) -> None:
    summary = summarise(table, seconds)
    table.write(job.directory)
    write_text(job.directory / REPORT, sweep_page(plan, table, summary))
    job.finish(summary)


def summarise(table: Table, seconds: float) -> dict[str, Any]:
    """How many runs there were, how they ended, and how long they took."""
    each = [outcome.metrics[WALL_TIME] for outcome in _distinct(table) if not outcome.failed]
    return {
        "scene": table.scene,
        "runs": len(table.outcomes),
        "failed": len(table.failures),
        "wall_time_s": seconds,  # of the last session of an interrupted sweep
        "run_time_s": {"sum": sum(each), "median": float(np.median(each)) if each else None, "longest": max(each, default=None)},
        "versions": versions(),
    }


def _distinct(table: Table) -> list[Outcome]:
    """A point that was drawn twice was run once."""
    return list({key_of(point): outcome for point, outcome in zip(table.points, table.outcomes, strict=True)}.values())
