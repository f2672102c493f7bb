"""`yawara run`: a scene, a recorded touch, or the rest of an interrupted run."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from yawara.cli.app import FAILED_RUN, app, is_done, named_source, progress_bar


@app.command()
def run(
    scene: Annotated[Path | None, typer.Argument(help="Scene file (TOML), or a recorded touch (.touch.json).")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Directory for what is written.")] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", help="Replace a value, e.g. body.dough.law.k1=1200")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Directory of a run to go on with.")] = None,
    checkpoint: Annotated[float, typer.Option(help="Seconds between checkpoints.", min=0.0, max=1e6)] = 2.0,
) -> None:
    """Run a scene, or go on with an interrupted run."""
    from yawara.checks import SceneError
    from yawara.live.names import is_recording
    from yawara.run import RUN, resume_run, run_scene
    from yawara.scene.file import load_scene

    if scene is not None and out is not None and is_recording(scene) and not setting and resume is None:
        _rerun(scene, out)
        return
    if (scene is None) == (resume is None) or (scene is None) != (out is None) or (resume is not None and setting):
        raise SceneError([("", "give SCENE.toml and --out DIR, or --resume DIR alone")], source="the command")
    if resume is not None:
        directory = resume
        if is_done(RUN, resume) or _resumed_replay(resume):
            return
        with progress_bar(str(resume)) as (progress, notify):
            outcome = resume_run(resume, progress=progress, notify=notify, checkpoint_seconds=checkpoint)
    elif scene is not None and out is not None:
        directory = out
        loaded = load_scene(scene, setting or ())
        with progress_bar(loaded.name) as (progress, notify), named_source(scene):
            outcome = run_scene(loaded, out, progress=progress, notify=notify, checkpoint_seconds=checkpoint)
    _print_outcome(outcome, directory)


def _rerun(path: Path, directory: Path) -> None:
    from yawara.live.recording import load_recording
    from yawara.live.rerun import rerun

    recording = load_recording(path)
    with progress_bar(path.name) as (progress, _), named_source(path):
        summary = rerun(recording, directory, progress=progress)
    _print_replay(summary, directory)


def _resumed_replay(directory: Path) -> bool:
    """Whether there was a replay, which is then done again."""
    from yawara.live.rerun import REPLAY, resume_rerun

    if not (directory / REPLAY.request).exists():
        return False
    with progress_bar(str(directory)) as (progress, _):
        summary = resume_rerun(directory, progress=progress)
    _print_replay(summary, directory)
    return True


def _print_replay(summary: dict[str, Any], directory: Path) -> None:
    from yawara.live.rerun import REPORT

    for sentence in summary["warnings"]:
        typer.echo(f"Warning: {sentence}")
    touched = summary["touch"]
    x, y, z = touched["largest_force_N"]
    typer.echo(
        f"{touched['orders']} orders in {touched['ticks']} ticks; largest force {x:.3g}, {y:.3g}, {z:.3g} N along x, y, z."
    )
    typer.echo(f"State at the end: {touched['state']}. Report: {directory / REPORT}")


def _print_outcome(outcome: Any, directory: Path) -> None:
    from yawara.checkpoint import CHECKPOINT
    from yawara.run import REPORT
    from yawara.status import StepStatus

    if outcome.result.failure:
        typer.echo(f"yawara: {outcome.result.failure}", err=True)
        typer.echo(f"The last good state (t = {outcome.result.state.time:.6g} s) is in {directory / CHECKPOINT}.", err=True)
        sys.exit(FAILED_RUN)
    summary = outcome.summary
    for drive, item in summary["recovery"].items():
        typer.echo(
            f"{drive}: pressed {item['pressed_m']:.4g} m, returned {item['returned_m']:.4g} m, residual {item['residual_m']:.4g} m, "
            f"peak force {item['peak_force_N']:.4g} N"
        )
    if summary["energy_balance_error"] is not None:
        typer.echo(f"Energy balance closes to {summary['energy_balance_error']:.2g} of the largest energy.")
    typer.echo(f"{summary['stepping']['steps']} steps in {summary['wall_time_s']:.2f} s. Written: {directory}")
    if outcome.result.compiled.scene.output.report:
        typer.echo(f"Report: {directory / REPORT}")
    if outcome.result.status is not StepStatus.DONE:
        typer.echo(f"yawara: {outcome.result.status}", err=True)
        sys.exit(FAILED_RUN)
