"""`yawara touch`."""

from pathlib import Path
from typing import Annotated

import typer

from yawara.cli.app import Out, app


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
    priority: Annotated[
        bool | None,
        typer.Option(
            "--priority/--no-priority",
            help="Before all other processes, where the system allows it. By default only for a device that is felt.",
        ),
    ] = None,
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
            what, device=device, host=host, port=port, folder=out, plain=plain, priority=priority, seconds=seconds,
            say=typer.echo, opened=webbrowser.open if browser else len,
        )  # fmt: skip
    except DeviceError as error:
        raise SceneError([("", str(error))], source="--device") from None
    except SolverError as error:
        raise SceneError([("", str(error))], source=what) from None
