"""What was asked for: in the directory of a sweep, so that it can be taken up again."""

from pathlib import Path
from typing import Annotated

import tomli_w
from pydantic import Field, ValidationError

from yawara.checks import Part, Quantity, SceneError
from yawara.files import write_text
from yawara.scene.file import read_toml, scene_error
from yawara.scene.scene import Scene

REQUEST = "request.toml"

Seed = Annotated[int, Quantity("1", ge=0, whole=True)]
Count = Annotated[int, Quantity("1", ge=1, whole=True, remedy="say how many to draw, or leave it out")]


class Request(Part):
    """A sweep in words; who runs it is no part of it."""

    over: tuple[str, ...] = Field(description="what is varied, as PATH=LOW:HIGH:COUNT")
    sample: Count | None = Field(None, description="how many points are drawn; all combinations if left out")
    seed: Seed = Field(0, description="of the sample")
    together: bool = Field(False, description="first value with first value, second with second")
    measure: tuple[str, ...] = Field((), description="what is read off each run, as COLUMN:end")
    scene: Scene = Field(description="with all defaults")


def write_request(request: Request, directory: Path) -> None:
    text = tomli_w.dumps(request.model_dump(mode="json", exclude_none=True))
    write_text(directory / REQUEST, f"# A sweep; go on with: yawara sweep --resume DIR\n{text}")


def read_request(directory: Path) -> Request:
    path = directory / REQUEST
    if not path.exists():
        hint = f"holds no sweep (there is no {REQUEST}); start one with: yawara sweep SCENE.toml --over ... --out {directory}"
        raise SceneError([("", hint)], source=str(directory))
    try:
        return Request.model_validate(read_toml(path, "docs/sweeps.md, or start the sweep again in another directory"))
    except ValidationError as error:
        raise scene_error(error, kind=Request, source=str(path)) from None
