"""`yawara synth`: synthetic measurements."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from yawara.cli.app import FAILED_RUN, app, named_source, progress_bar


@app.command()
def synth(
    scene: Annotated[Path, typer.Argument(help="Scene file (TOML): the truth.")],
    out: Annotated[Path, typer.Option("--out", help="Directory for what is written.")],
    times: Annotated[str, typer.Option(help="When points are captured [s], e.g. 1,2,3,4; four even times if left out.")] = "",
    points: Annotated[int, typer.Option(help="Points per time.", min=1, max=1_000_000)] = 3600,
    noise: Annotated[float, typer.Option(help="Of each coordinate of a point [m].", min=0.0)] = 0.0005,
    force_noise: Annotated[float, typer.Option(help="Of a force, over the largest one.", min=0.0)] = 0.02,
    volume_noise: Annotated[float, typer.Option(help="Of the volume, over itself.", min=0.0)] = 0.005,
    curve: Annotated[
        list[str] | None, typer.Option(help="A column of the history; the forces of what pushes if left out.")
    ] = None,
    body: Annotated[str, typer.Option(help="Body that is looked at; the first one if left out.")] = "",
    seed: Annotated[int, typer.Option(help="Of the noise.", min=0)] = 0,
    setting: Annotated[list[str] | None, typer.Option("--set", help="Replace a value, e.g. body.dough.law.k1=1200")] = None,
) -> None:
    """Measure a simulated body as a bench with cameras would: points, forces, volume, with noise. Clearly labelled synthetic."""
    from yawara.calibrate.synth import Bench, measure_scene
    from yawara.calibrate.synth_files import refuse_second, write_sample
    from yawara.scene.file import load_scene
    from yawara.status import SimulationError

    refuse_second(out)
    bench = Bench(_numbers(times), points, noise, force_noise, volume_noise, body, tuple(curve or ()), seed)
    loaded = load_scene(scene, setting or ())
    try:
        with progress_bar(loaded.name) as (progress, notify), named_source(scene):
            path = write_sample(measure_scene(loaded, bench, progress=progress, notify=notify), out)
    except SimulationError as error:
        typer.echo(f"yawara: {error}", err=True)
        sys.exit(FAILED_RUN)
    typer.echo(f"Synthetic measurements of {loaded.name}: {out}. Fit them with: yawara fit {path} --out {out / 'fit'}")


def _numbers(text: str) -> tuple[float, ...]:
    from yawara.checks import SceneError

    try:
        return tuple(float(one) for one in text.split(",") if one.strip())
    except ValueError:
        what = f"must be times in s with commas between (got '{text}'); write 1,2,3,4"
        raise SceneError([("--times", what)], source="the command") from None
