"""`yawara sweep`: one scene with many values, or the rest of an interrupted sweep."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from yawara.cli.app import FAILED_RUN, app, is_done, named_source
from yawara.cli.interrupt import telling

SHOWN_ROWS = 8


@app.command()
def sweep(
    scene: Annotated[Path | None, typer.Argument(help="Scene file (TOML).")] = None,
    over: Annotated[
        list[str] | None,
        typer.Option("--over", help="PATH=LOW:HIGH:COUNT, PATH=log:LOW:HIGH:COUNT or PATH=VALUE,VALUE,...; several make a grid."),
    ] = None,
    sample: Annotated[int | None, typer.Option("--sample", help="Draw this many sets of values from the ranges instead.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the sample.")] = 0,
    together: Annotated[bool, typer.Option("--together", help="First value with first value, second with second.")] = False,
    measure: Annotated[
        list[str] | None, typer.Option("--measure", help="COLUMN[:max|min|end|mean] of the history; max and end if left out.")
    ] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", help="Replace a value, e.g. body.dough.law.c2=500")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Directory for what is written.")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Directory of a sweep to go on with.")] = None,
    executor: Annotated[str, typer.Option("--executor", help="processes, here, dask or dask://HOST:PORT.")] = "processes",
    workers: Annotated[int | None, typer.Option("--workers", help="Runs side by side; all cores if left out.", min=1)] = None,
) -> None:
    """Run a scene with a grid or a sample of values, and write one table."""
    from yawara.calibrate.sweep.perform import SWEEP, resume_sweep, sweep_scene
    from yawara.checks import SceneError
    from yawara.scene.file import load_scene

    asked = over or measure or setting or sample is not None or together or seed
    if (scene is None) == (resume is None) or (scene is None) != (out is None) or (resume is not None and asked):
        raise SceneError([("", "give SCENE.toml, --over and --out DIR, or --resume DIR alone")], source="the command")
    if resume is not None:
        if is_done(SWEEP, resume):
            return
        with _bar(str(resume), resume) as progress:
            table = resume_sweep(resume, executor=executor, workers=workers, progress=progress)
    elif scene is not None and out is not None:
        loaded = load_scene(scene, setting or ())
        with named_source(scene), _bar(loaded.name, out) as progress:
            table = sweep_scene(
                loaded, over or (), sample=sample, seed=seed, together=together, measure=tuple(measure or ()), directory=out,
                executor=executor, workers=workers, progress=progress,
            )  # fmt: skip
    _print(table, resume or out)


@contextmanager
def _bar(title: str, directory: Path) -> Iterator[Callable[[Any], None]]:
    """Runs that are done, how many per second, and the time that is left."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from yawara.checks import SceneError

    pace = TextColumn("runs{task.fields[pace]}")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), pace, TimeElapsedColumn())
    with Progress(*columns) as bar:
        task = bar.add_task(title, total=None, pace="")
        try:
            with telling(f"go on with: yawara sweep --resume {directory}"):
                yield lambda standing: bar.update(task, completed=standing.asked, total=standing.budget, pace=_pace(standing))
        except SceneError:
            bar.remove_task(task)  # nothing was begun
            raise


def _pace(standing: Any) -> str:
    from datetime import timedelta

    left = standing.seconds_left
    return "" if left is None else f", {standing.rate:.3g}/s, {timedelta(seconds=round(left))} left,"


def _print(table: Any, directory: Path | None) -> None:
    from rich.console import Console

    from yawara.calibrate.sweep.perform import REPORT
    from yawara.calibrate.sweep.printed import head
    from yawara.calibrate.sweep.table import CSV

    console = Console()
    shown, words = head(table, SHOWN_ROWS, console.width)
    console.print(shown)
    if words:
        console.print(words, highlight=False)
    failed, count = len(table.failures), len(table.rows)
    if failed:
        typer.echo(
            f"{failed} of {count} runs failed; the column 'status' says why. The first: {table.failures[0]['status']}", err=True
        )
    if directory is not None:
        typer.echo(f"Table: {directory / CSV}. Report: {directory / REPORT}")
    if failed == count:
        sys.exit(FAILED_RUN)
