"""What was asked for: in the directory of a sweep, so that it can be taken up again."""

from pathlib import Path
from typing import Annotated

import tomli_w
from pydantic import Field, ValidationError

from yawara.checks import Part, Quantity
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


def request_text(request: Request) -> str:
    """As a TOML file."""
    text = tomli_w.dumps(request.model_dump(mode="json", exclude_none=True))
    return f"# A sweep; go on with: yawara sweep --resume DIR\n{text}"


def read_request(path: Path) -> Request:
    try:
        return Request.model_validate(read_toml(path, "docs/sweeps.md, or start the sweep again in another directory"))
    except ValidationError as error:
        raise scene_error(error, kind=Request, source=str(path)) from None
