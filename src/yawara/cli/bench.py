"""`yawara bench`."""

from typing import Annotated, Any

import typer

from yawara.cli.app import AsJson, app, status


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
