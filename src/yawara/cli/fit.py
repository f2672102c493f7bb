"""`yawara fit`: the material that explains measurements."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yawara.cli.app import app, is_done
from yawara.cli.interrupt import telling

if TYPE_CHECKING:
    from yawara.calibrate.asker import Standing
    from yawara.calibrate.fit import Fit

OnTheWay = tuple[Callable[["Standing"], None], Callable[[str], None]]

ExecutorName = Annotated[str, typer.Option("--executor", help="processes, here, dask (a local cluster), or dask://HOST:PORT.")]
WorkerCount = Annotated[
    int | None, typer.Option("--workers", help="Processes side by side; one per core if left out.", min=1, max=256)
]


@app.command()
def fit(
    experiment: Annotated[Path | None, typer.Argument(help="Experiment file (TOML).")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Directory for what is written.")] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Directory of a fit to go on with.")] = None,
    executor: ExecutorName = "processes",
    workers: WorkerCount = None,
) -> None:
    """Find the material that explains measurements, and how sure that is."""
    from yawara.calibrate.fit_job import FIT, Workplace, resume_fit, run_fit
    from yawara.checks import SceneError

    if (experiment is None) == (resume is None) or (experiment is None) != (out is None):
        raise SceneError([("", "give EXPERIMENT.toml and --out DIR, or --resume DIR alone")], source="the command")
    directory = resume if resume is not None else out
    assert directory is not None
    if resume is not None and is_done(FIT, resume):
        return
    with on_the_way(directory) as (progress, notify):
        place = Workplace(executor, workers, progress, notify)
        found = resume_fit(directory, place) if experiment is None else run_fit(experiment, directory, place)
    _print(found, directory)


@contextmanager
def on_the_way(directory: Path) -> Iterator[OnTheWay]:
    """A line that tells how far the search has come, and a way to print above it."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[standing]}"), TimeElapsedColumn())
    with Progress(*columns, transient=False) as bar:
        task = bar.add_task("fitting", total=None, standing="")

        def progress(standing: "Standing") -> None:
            left = standing.seconds_left
            words = f"{standing.asked} evaluations, {standing.rate:.2g}/s, best cost {standing.best_cost:.6g}"
            words += f", {standing.failed} failed" if standing.failed else ""
            words += f", {left:.0f} s left" if left is not None else ""
            bar.update(task, completed=standing.asked, total=standing.budget, standing=words)

        with telling(f"go on with: yawara fit --resume {directory}"):
            yield progress, lambda words: bar.console.print(words, markup=False, highlight=False)


def _print(found: "Fit", directory: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    from yawara.calibrate.fit_job import FITTED, REPORT

    table = Table("parameter", "value", "unit", "95 % interval", "note")
    for one in found.estimates.values():
        interval = one.interval
        ends = f"{interval.low:.5g} to {interval.high:.5g}" if interval else ""
        note = one.kept or ("ends at a bound" if interval and (interval.open_low or interval.open_high) else "")
        table.add_row(one.name, f"{one.value:.6g}", one.unit, ends, note)
    Console().print(table)
    for compared in found.compared:
        role = "not fitted" if compared.experiment.held_out else "fitted"
        for observation, comparison in zip(compared.experiment.observations, compared.comparisons, strict=True):
            numbers = ", ".join(f"{name} {value:.4g}" for name, value in comparison.metrics.items())
            typer.echo(f"{compared.experiment.name} ({role}), {observation.name}: {numbers}")
    typer.echo(
        f"{found.evaluations} evaluations in {found.seconds:.1f} s ({found.rate:.1f}/s), {found.stopped}; "
        f"readings scatter {found.scatter:.3g} times their noise."
    )
    for words in found.warnings:
        typer.echo(f"Note: {words}")
    typer.echo(f"Fitted: {directory / FITTED}. Report: {directory / REPORT}")
