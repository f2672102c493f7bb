"""`yawara demo`."""

from pathlib import Path

import typer

from yawara.cli.app import Out, app, progress_bar


@app.command()
def demo(out: Out = Path("out/demo")) -> None:
    """Press, hold and release three blocks: elastic, viscoplastic, rheological. Writes a report."""
    from rich.console import Console

    from yawara.demo.make import make_demo, table_of

    with progress_bar("three blocks") as (progress, notify):
        demonstration = make_demo(out, progress=progress, notify=notify)
    Console().print(table_of(demonstration))
    typer.echo(f"Report: {demonstration.report}")
