"""`yawara laws`."""

from typing import Annotated

import typer

from yawara.cli.app import app


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
