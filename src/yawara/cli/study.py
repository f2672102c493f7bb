"""`yawara study`."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from yawara.cli.app import MISSED, AsJson, app, status


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
