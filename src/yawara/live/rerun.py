"""A recorded touch as an experiment: run again without a screen, measured and written like any other run."""

import io
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from yawara.checks import SceneError
from yawara.files import write_bytes, write_text
from yawara.frame import Frame
from yawara.job.job import Job, request_digest
from yawara.job.kind import JobKind
from yawara.live.digest import state_digest
from yawara.live.live import Live
from yawara.live.log import TouchLog, height_of
from yawara.live.recording import Recording, load_recording, repeat
from yawara.observe.exporter import write_surfaces
from yawara.observe.positions import Positions
from yawara.observe.probes import measures
from yawara.observe.recorder import Recorder
from yawara.run_report.page import run_page
from yawara.run_report.peak import Peak
from yawara.scene.file import mesh_files, scene_text
from yawara.simulate import Progress, Result
from yawara.summary import summarise
from yawara.warm import ensure_compiled, note_kernels

EVERY = 0.01  # [s] between rows of the history
RECORDING, SCENE, HISTORY, TOUCH = "recording.touch.json", "scene.toml", "history.csv", "touch.csv"
STATE, REPORT, SUMMARY = "state.npz", "report.html", "summary.json"
REPLAY = JobKind(
    name="replay", command="run", start="RECORDING.touch.json", request=RECORDING, end=SUMMARY,
    decides="the recording or the meshes that it names", progress=(), leaves=(SCENE, SUMMARY),
)  # fmt: skip


def rerun(recording: Recording, directory: Path, *, progress: Progress | None = None) -> dict[str, Any]:
    """Repeat a touch and write history, forces of every tick, the bodies at the end and a report; returns the summary."""
    if recording.ticks == 0:
        raise SceneError([("ticks", "must be > 0 (got 0); record some time, with or without a touch")], source="the recording")
    job = Job(REPLAY, directory)
    job.refuse_used()
    with closing(repeat(recording)) as moments:
        live, _ = next(moments)  # refuses bad scenes before anything is written
        text = recording.text()
        with job.begun(text, request_digest(text.encode(), mesh_files(recording.scene))):
            return _rerun(recording, live, moments, job, progress)


def resume_rerun(directory: Path, *, progress: Progress | None = None) -> dict[str, Any]:
    """Do an interrupted replay again, from its beginning: a touch is short, and gives the same bits."""
    job = Job.found(REPLAY, directory)
    recording = load_recording(job.request)
    digest = request_digest(job.request.read_bytes(), mesh_files(recording.scene))
    with job.taken_up(digest), closing(repeat(recording)) as moments:
        live, _ = next(moments)
        return _rerun(recording, live, moments, job, progress)


def _rerun(
    recording: Recording, live: Live, moments: Iterator[tuple[Live, Frame | None]], job: Job, progress: Progress | None
) -> dict[str, Any]:
    begun, log, positions = time.perf_counter(), TouchLog(kept=max(recording.ticks, 1)), Positions()
    recorder, first = Recorder(measures(live.compiled)), live.first_frame()
    ensure_compiled(note_kernels(live.compiled.model.terms))
    peak = Peak(live.compiled, recorder.history, changes=True)
    every, stopped = max(1, round(EVERY / recording.tick)), 0
    watching = (recorder, positions, peak)
    for observer in watching:
        observer.observe(first)
    for _, frame in moments:
        if frame is None:  # too much for the body; the same happened when it was recorded
            stopped += 1
            continue
        log.note(frame.time, live.hand_force(frame), live.hand_now(), height_of(live.compiled.model, frame.state))
        done = live.ticks - recording.first
        if done % every == 0 or done == recording.ticks:
            for observer in watching:
                observer.observe(frame)
        if progress and done % 100 == 0:
            progress(done * recording.tick, recording.ticks * recording.tick)
    duration = live.scene.time.model_copy(update={"end": live.ticks * recording.tick})
    compiled = replace(live.compiled, scene=live.scene.model_copy(update={"time": duration}))
    result = Result(compiled, live.state, live.journey.plan, recorder.history)
    summary = summarise(result, wall_time=time.perf_counter() - begun)
    forces = abs(log.rows[:, 1:4]).max(axis=0) if len(log.rows) else [0.0] * 3
    summary["touch"] = {
        "ticks": recording.ticks, "orders": len(recording.orders), "ticks_stopped": stopped,
        "largest_force_N": [float(one) for one in forces], "state": state_digest(live.state),
    }  # fmt: skip
    _write(job.directory, result, log, positions, peak, summary)
    job.finish(summary)
    return summary


def _write(directory: Path, result: Result, log: TouchLog, positions: Positions, peak: Peak, summary: dict[str, Any]) -> None:
    write_text(directory / SCENE, scene_text(result.compiled.scene))
    result.history.write_csv(directory / HISTORY)
    write_text(directory / TOUCH, log.csv())
    arrays: dict[str, Any] = result.state.arrays()
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    write_bytes(directory / STATE, packed.getvalue())
    write_surfaces(directory, result.compiled.model, result.state)
    write_text(directory / REPORT, run_page(result, positions, summary, peak))
