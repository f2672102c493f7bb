"""A run in a directory: scene, checkpoints, history, report, summary, exports. Killed at any moment, it can be taken up again.

Every file appears whole or not at all. A checkpoint holds the state and the rows so far; positions go into part files beside it,
which are written first: there is always a checkpoint whose parts are complete.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yawara.checkpoint import CHECKPOINT, PARTS, Checkpoint, keeps_positions, load_checkpoint
from yawara.core.state import State
from yawara.files import write_text
from yawara.frame import Frame
from yawara.job.job import Job, request_digest
from yawara.job.kind import JobKind
from yawara.observe.exporter import VtuSeries, export_end, write_series_list
from yawara.observe.positions import Positions
from yawara.observe.probes import measures
from yawara.observe.recorder import Recorder
from yawara.plan import plan_steps
from yawara.run_report.page import run_page
from yawara.run_report.peak import Peak
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.file import load_scene, mesh_files, scene_text
from yawara.scene.scene import Scene
from yawara.simulate import Observer, Progress, Result, prepare_kernels, simulate
from yawara.summary import summarise

SCENE, SUMMARY, HISTORY, REPORT, SERIES = "scene.toml", "summary.json", "history.csv", "report.html", "frames"
CHECKPOINT_SECONDS = 2.0  # wall time between checkpoints
RUN = JobKind(
    name="run", command="run", start="SCENE.toml", request=SCENE, end=SUMMARY, decides="the scene or the meshes that it names",
    progress=(CHECKPOINT, PARTS), scraps=(PARTS,), leaves=(CHECKPOINT, SUMMARY), begins_again=CHECKPOINT,
)  # fmt: skip

Notify = Callable[[str], None]


@dataclass
class RunOutcome:
    """A run and what it left."""

    result: Result
    summary: dict[str, Any]


@dataclass
class Checkpointer:
    """Saves the run now and then; an observer, to be called after all others."""

    directory: Path
    recorder: Recorder
    positions: Positions
    seconds: float  # wall time between checkpoints
    wall_before: float = 0.0  # [s], until it was interrupted
    peak: Peak | None = None  # with a report

    def __post_init__(self) -> None:
        self.begun = self.last = time.perf_counter()

    @property
    def wall_time(self) -> float:
        """[s], of the whole run, however often it was interrupted."""
        return self.wall_before + time.perf_counter() - self.begun

    def observe(self, frame: Frame) -> None:
        if time.perf_counter() - self.last >= self.seconds:
            self.save(frame.index, frame.state)

    def save(self, index: int, state: State) -> None:
        saved = self.positions.save()  # first: a checkpoint never counts positions that are not on disk
        if self.peak is not None:
            self.peak.save()
        Checkpoint(index, saved, self.wall_time, self.recorder.history.table, state).save(self.directory / CHECKPOINT)
        self.last = time.perf_counter()


def run_scene(
    scene: Scene,
    directory: str | Path,
    *,
    progress: Progress | None = None,
    notify: Notify | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    observers: tuple[Observer, ...] = (),
) -> RunOutcome:
    """Run a scene from its beginning; refuses a directory that already holds a run."""
    job, compiled = Job(RUN, directory), compile_scene(scene)  # refuses bad scenes before anything is written
    job.refuse_used()
    prepare_kernels(compiled)
    # The thread count fixes the order of sums: a resumed run must use the same one.
    fixed = scene.time.model_copy(update={"threads": plan_steps(compiled).threads})
    request = scene_text(scene.model_copy(update={"time": fixed}))
    with job.begun(request, request_digest(request.encode(), mesh_files(scene))):
        recorder, positions = Recorder(measures(compiled)), Positions(job.directory / PARTS)
        saver = Checkpointer(
            job.directory, recorder, positions, checkpoint_seconds, peak=_peak(compiled, recorder, job.directory)
        )
        return _finish(compiled, job, saver, None, progress, notify, observers)


def resume_run(
    directory: str | Path,
    *,
    progress: Progress | None = None,
    notify: Notify | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> RunOutcome:
    """Go on from the last checkpoint; ends in the same state, bit for bit, as a run that was never interrupted."""
    job = Job.found(RUN, directory)
    compiled = compile_scene(load_scene(job.request))
    with job.taken_up(request_digest(job.request.read_bytes(), mesh_files(compiled.scene))):
        return _take_up(compiled, job, checkpoint_seconds, progress, notify)


def _take_up(
    compiled: Compiled, job: Job, checkpoint_seconds: float, progress: Progress | None, notify: Notify | None
) -> RunOutcome:
    directory = job.directory
    recorder = Recorder(measures(compiled))
    found = load_checkpoint(directory, compiled, recorder.history) if (directory / CHECKPOINT).exists() else None
    prepare_kernels(compiled)
    if found is None:  # killed before the first one: from the beginning
        peak = _peak(compiled, recorder, directory)
        saver = Checkpointer(directory, recorder, Positions(directory / PARTS), checkpoint_seconds, peak=peak)
        return _finish(compiled, job, saver, None, progress, notify, ())
    recorder.history.rows = [tuple(row) for row in found.rows.tolist()]
    positions = Positions(directory / PARTS, saved=found.saved_positions)
    peak = _peak(compiled, recorder, directory)
    if peak is not None:
        peak.take_up(compiled)
    saver = Checkpointer(directory, recorder, positions, checkpoint_seconds, found.wall_time, peak)
    if notify:
        notify(f"Going on from t = {found.state.time:.6g} s.")
    return _finish(compiled, job, saver, (found.frame, found.state), progress, notify, ())


def _peak(compiled: Compiled, recorder: Recorder, directory: Path) -> Peak | None:
    """Only reports show it."""
    return Peak(compiled, recorder.history, directory / PARTS) if compiled.scene.output.report else None


def _finish(
    compiled: Compiled,
    job: Job,
    saver: Checkpointer,
    start: tuple[int, State] | None,
    progress: Progress | None,
    notify: Notify | None,
    observers: tuple[Observer, ...],
) -> RunOutcome:
    """Simulate to the end and write everything."""
    directory = job.directory
    output, recorder, positions = compiled.scene.output, saver.recorder, saver.positions
    watching: list[Observer] = []
    if keeps_positions(output):
        watching.append(positions)
    if output.vtu:
        watching.append(VtuSeries(directory / SERIES, compiled.model))
    for words in compiled.notices:
        if notify:
            notify(words)
    if saver.peak is not None:
        watching.append(saver.peak)
    watching += [*observers, saver]
    result = simulate(
        compiled, observers=watching, recorder=recorder, progress=progress, notify=notify, start=start, strict=False
    )
    history = result.history
    saver.save(len(history.rows) - 1, result.state)
    history.write_csv(directory / HISTORY)
    summary = summarise(result, wall_time=saver.wall_time)
    if result.failure:
        return RunOutcome(result, summary)
    history.write_hdf5(directory / "history.h5", positions if output.positions else None)
    if output.vtu:
        write_series_list(directory / SERIES, history["time"])
    export_end(directory, compiled, result.state, history, positions)
    if output.report:
        write_text(directory / REPORT, run_page(result, positions, summary, saver.peak))
    job.finish(summary)
    return RunOutcome(result, summary)
