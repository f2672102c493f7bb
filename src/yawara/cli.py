"""The command line: parse, call, print."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Virtual rheological objects: build, run, measure, export.")

Out = Annotated[Path, typer.Option("--out", help="Directory for what is written.", show_default=True)]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object per line.")]

BAD_INPUT, FAILED_RUN, MISSED = 2, 3, 1  # exit codes


def main() -> None:
    """Entry point: errors become messages and exit codes."""
    from yawara.checks import SceneError

    try:
        app()
    except SceneError as error:
        typer.echo(f"yawara: {error}", err=True)
        sys.exit(BAD_INPUT)
    except OSError as error:
        typer.echo(f"yawara: {error}; choose a place that can be read and written, or make room", err=True)
        sys.exit(BAD_INPUT)


@app.command()
def demo(out: Out = Path("out/demo")) -> None:
    """Press, hold and release three blocks: elastic, viscoplastic, rheological. Writes a report."""
    from rich.console import Console

    from yawara.demo import make_demo, table_of

    with progress_bar("three blocks") as (progress, notify):
        demonstration = make_demo(out, progress=progress, notify=notify)
    Console().print(table_of(demonstration))
    typer.echo(f"Report: {demonstration.report}")


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
    from yawara.run import is_complete, resume_run, run_scene
    from yawara.scene.file import load_scene

    if scene is not None and out is not None and is_recording(scene) and not setting and resume is None:
        _rerun(scene, out)
        return
    if (scene is None) == (resume is None) or (scene is None) != (out is None) or (resume is not None and setting):
        raise SceneError([("", "give SCENE.toml and --out DIR, or --resume DIR alone")], source="the command")
    if resume is not None:
        directory = resume
        if is_complete(resume):
            typer.echo(f"{resume} is complete; nothing to do.")
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
    from yawara.live.rerun import REPORT, rerun

    recording = load_recording(path)
    with progress_bar(path.name) as (progress, _), named_source(path):
        touched = rerun(recording, directory, progress=progress)["touch"]
    x, y, z = touched["largest_force_N"]
    typer.echo(
        f"{touched['orders']} orders in {touched['ticks']} ticks; largest force {x:.3g}, {y:.3g}, {z:.3g} N along x, y, z."
    )
    typer.echo(f"State at the end: {touched['state']}. Report: {directory / REPORT}")


def _print_outcome(outcome: Any, directory: Path) -> None:
    from yawara.run import CHECKPOINT, REPORT

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


@app.command()
def touch(
    what: Annotated[
        str, typer.Argument(metavar="[SCENE.toml | PRESET]", help="A scene, or dough, clay, gel, foam, tissue.")
    ] = "dough",
    device: Annotated[
        str | None,
        typer.Option(help="A haptic device beside the mouse: haply, simulated, replay:FILE, force_dimension, open_haptics."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to serve; beyond this machine a token is asked for.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to serve; 0 takes a free one.", min=0, max=65535)] = 8080,
    out: Out = Path("out/touch"),
    plain: Annotated[bool, typer.Option("--plain", help="Simple light, for machines without a graphics processor.")] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    seconds: Annotated[float | None, typer.Option(help="End by itself after so many seconds.", min=0.0)] = None,
) -> None:
    """See a soft body in the browser, pull and press it, and feel its force."""
    import webbrowser

    from yawara.checks import SceneError
    from yawara.touch import DeviceError, SolverError
    from yawara.touch import touch as serve_touch

    try:
        serve_touch(
            what, device=device, host=host, port=port, folder=out, plain=plain, seconds=seconds, say=typer.echo,
            opened=webbrowser.open if browser else len,
        )  # fmt: skip
    except DeviceError as error:
        raise SceneError([("", str(error))], source="--device") from None
    except SolverError as error:
        raise SceneError([("", str(error))], source=what) from None


@app.command()
def bench(
    as_json: AsJson = False,
    quick: Annotated[bool, typer.Option("--quick", help="Only the two cases with a bar.")] = False,
    growth: Annotated[bool, typer.Option("--growth", help="Cost per link from 10^3 to 60^3 points instead.")] = False,
) -> None:
    """Time one step of the standard bodies; the keys are those of the C++ yardstick (euler = semi-implicit Euler)."""
    import json

    from yawara.bench import growth_cases, measure, standard_cases

    with status("measuring"):
        for row in measure(growth_cases() if growth else standard_cases(quick=quick)):
            typer.echo(json.dumps(row) if as_json else _bench_line(row))


def _bench_line(row: dict[str, Any]) -> str:
    return (
        f"{row['case']:16} {row['links']:>8} links  {row['integrator']:6} {row['threads']} thread(s) "
        f"{row['us_per_step']:>11.2f} us/step {row['ns_per_link']:>7.2f} ns/link"
    )


@app.command()
def laws(
    network: Annotated[str, typer.Option(help="Classify a network, e.g. '(spring | damper) - damper'.")] = "",
    minimal: Annotated[bool, typer.Option("--minimal", help="Search for the smallest rheological networks.")] = False,
) -> None:
    """List the laws with their parameters, and what their networks of springs and dampers do."""
    from rich.console import Console

    from yawara.checks import SceneError
    from yawara.laws.tables import law_table, minimal_table, network_table

    try:
        table = minimal_table() if minimal else network_table(network) if network else law_table()
    except ValueError as error:
        raise SceneError([("--network", str(error))], source="the command") from None
    Console().print(table)


@app.command()
def study(
    name: Annotated[str, typer.Argument(help="Name of the study, or 'all'.")] = "",
    list_: Annotated[bool, typer.Option("--list", help="Name the studies.")] = False,
    as_json: AsJson = False,
) -> None:
    """Recompute a published result: the papers' number beside ours."""
    import json

    from rich.console import Console

    from yawara.checks import SceneError, nearest
    from yawara.studies import STUDIES, run_study, study_table

    if list_ or not name:
        for key, item in STUDIES.items():
            typer.echo(f"{key:22} {item.title}")
        return
    if name != "all" and name not in STUDIES:
        raise SceneError([("study", f"'{name}' is not known; {nearest(name, STUDIES)}")], source="the command")
    chosen = list(STUDIES) if name == "all" else [name]
    missed = False
    for key in chosen:
        with status(key) as show:
            rows = run_study(key, progress=partial(_show_row, show))
        missed |= any(row.ok is False for row in rows)
        if as_json:
            for row in rows:
                typer.echo(json.dumps(row.as_dict()))
        else:
            Console().print(study_table(key, rows))
    if missed:
        sys.exit(MISSED)


def _show_row(show: Callable[[str], None], row: Any) -> None:
    show(f"{row.study}: {row.row}")


@contextmanager
def status(title: str) -> Iterator[Callable[[str], None]]:
    """A line on the standard error that says what goes on; gone at the end, and nothing at all where there is no terminal."""
    from rich.console import Console

    with Console(stderr=True).status(title) as line:
        yield line.update


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

    from yawara.warm import is_compiled

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, transient=False) as bar:
        if not is_compiled("look", "explicit"):
            bar.console.print("Compiling the kernels for this machine, once: about 20 s.")
        task = bar.add_task(title, total=None)

        def progress(done: float, end: float) -> None:
            bar.update(task, completed=done, total=end)

        try:
            yield progress, lambda words: bar.console.print(words, markup=False, highlight=False)
        except KeyboardInterrupt:
            typer.echo("yawara: interrupted; a run in a directory goes on with: yawara run --resume DIR", err=True)
            sys.exit(130)
