"""What all commands share: the application, exit codes, options, and what a terminal shows while it waits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yawara.cli.interrupt import telling

if TYPE_CHECKING:
    from yawara.job.kind import JobKind

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Virtual rheological objects: build, run, measure, export.")

Out = Annotated[Path, typer.Option("--out", help="Directory for what is written.", show_default=True)]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object per line.")]

BAD_INPUT, FAILED_RUN, MISSED = 2, 3, 1  # exit codes


@contextmanager
def status(title: str) -> Iterator[Callable[[str], None]]:
    """A line on the standard error that says what goes on; gone at the end, and nothing at all where there is no terminal."""
    from rich.console import Console

    with Console(stderr=True).status(title) as line:
        yield line.update


def is_done(kind: "JobKind", directory: Path) -> bool:
    """Whether a job came to its end, which is then said."""
    from yawara.job.job import Job

    done = Job(kind, directory).is_complete
    if done:
        typer.echo(f"{directory} is complete; nothing to do.")
    return done


@contextmanager
def named_source(path: Path) -> Iterator[None]:
    """What is found wrong while a scene is built is reported as wrong with its file."""
    from yawara.checks import SceneError

    try:
        yield
    except SceneError as error:
        raise SceneError(error.problems, source=str(path) if error.source == "the scene" else error.source) from None


@contextmanager
def progress_bar(title: str) -> Any:
    """A bar that follows simulated time, and a way to print notices above it; both are silent about nothing."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, transient=False) as bar:
        task = bar.add_task(title, total=None)

        def progress(done: float, end: float) -> None:
            bar.update(task, completed=done, total=end)

        with telling("a run in a directory goes on with: yawara run --resume DIR"):
            yield progress, lambda words: bar.console.print(words, markup=False, highlight=False)
