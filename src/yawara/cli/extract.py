"""`yawara extract`: parameters of a law from measured curves."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from yawara.cli.app import FAILED_RUN, app, status


@app.command()
def extract(
    curves: Annotated[
        list[Path], typer.Argument(metavar="CURVE.csv...", help="Measured curves of one material, fitted together.")
    ],
    protocol: Annotated[str, typer.Option(help="What was done: relaxation, creep, recovery, press-release.")],
    model: Annotated[
        str,
        typer.Option(
            help="voigt, maxwell, three_element, generalized_voigt, generalized_maxwell; or auto: what the curves support."
        ),
    ] = "auto",
    elements: Annotated[str, typer.Option(help="Parts of the law: a number, or auto.")] = "auto",
    own: Annotated[str, typer.Option("--with", help="Elements of its own beside the parts: none, spring, damper, both.")] = "",
    time: Annotated[str, typer.Option(help="COLUMN[:unit], by name or number; the unit may stand in the header.")] = "1",
    force: Annotated[str, typer.Option(help="COLUMN[:unit]")] = "",
    displacement: Annotated[str, typer.Option(help="COLUMN[:unit]")] = "",
    stress: Annotated[str, typer.Option(help="COLUMN[:unit], instead of a force; the law then has moduli.")] = "",
    strain: Annotated[str, typer.Option(help="COLUMN[:unit], instead of a displacement.")] = "",
    noise: Annotated[str, typer.Option(help="COLUMN[:unit] with the standard deviation of what was observed.")] = "",
    load: Annotated[str, typer.Option(help="VALUE[:unit] of a constant force or stress from time 0, instead of a column.")] = "",
    load_time: Annotated[str, typer.Option(help="VALUE[:unit]: how long it acted.")] = "",
    stretch: Annotated[str, typer.Option(help="VALUE[:unit] of a held displacement or strain, instead of a column.")] = "",
    ramp_time: Annotated[str, typer.Option(help="VALUE[:unit] in which it was reached, from time 0; a step if left out.")] = "",
    release: Annotated[str, typer.Option(help="VALUE[:unit]: when it was let go; found by itself if left out.")] = "",
    begin: Annotated[str, typer.Option("--from", help="VALUE[:unit]: fit rows from this time on.")] = "",
    tare: Annotated[bool, typer.Option("--tare", help="The first row is zero of force and displacement.")] = False,
    average: Annotated[bool, typer.Option("--average", help="Rows of the same time become one, their mean.")] = False,
    criterion: Annotated[str, typer.Option(help="aicc or bic, for --elements auto.")] = "aicc",
    section: Annotated[str, typer.Option(help="VALUE[:unit] of the specimen, as 78.5:mm^2.")] = "",
    length: Annotated[str, typer.Option(help="VALUE[:unit] of the specimen, as 30:mm.")] = "",
    density: Annotated[str, typer.Option(help="VALUE[:unit], for the material's file.")] = "",
    out: Annotated[Path | None, typer.Option("--out", help="Directory for law.toml, report.html and extraction.json.")] = None,
) -> None:
    """Extract the parameters of a law from measured curves, with intervals, by least squares."""
    from rich.console import Console

    from yawara.calibrate.extract.command import ExtractRequest, extract_law
    from yawara.calibrate.extract.files import write_extraction
    from yawara.calibrate.extract.tables import choice_table, parameter_table

    request = ExtractRequest(
        protocol=protocol, model=model, elements=elements, own=own, time=time, force=force, displacement=displacement, stress=stress,
        strain=strain, noise=noise, load=load, load_time=load_time, stretch=stretch, ramp_time=ramp_time, release=release, begin=begin,
        tare=tare, average=average, criterion=criterion, section=section, length=length, density=density,
    )  # fmt: skip
    with status("fitting"):
        found = extract_law(curves, request)
    console = Console()
    console.print(parameter_table(found))
    if len(found.choice.fits) > 1:
        console.print(choice_table(found))
    for words in found.remarks():
        typer.echo(f"note: {words}")
    for path in write_extraction(found, out) if out else ():
        typer.echo(f"written: {path}")
    if found.refusal:
        typer.echo(f"yawara: {found.refusal}", err=True)
        sys.exit(FAILED_RUN)
