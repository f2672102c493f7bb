"""Scene files: TOML, with values that may be set from outside; every error at once."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from yawara.checks import Part, SceneError, nearest, part_error
from yawara.old_names import current_data, current_path
from yawara.scene.scene import FORMAT, Scene

OPTIONAL_TABLES = ("output",)


def load_scene(path: str | Path, settings: Iterable[str] = ()) -> Scene:
    """Read a scene file; `settings` are texts like 'body.dough.law.k1=1200' that replace values."""
    path = Path(path)
    data = read_toml(path, "docs/scene-format.md")
    _find_meshes(data, path.absolute().parent)
    return read_scene(data, settings, source=str(path))


def read_toml(path: Path, described: str) -> dict[str, Any]:
    """The plain data of a file whose format is `described` in a page of the documentation; SceneError if it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SceneError([("", f"there is no file {path}; check the name and the current directory")], source=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError([("", f"cannot be read ({error}); it must be a UTF-8 text file")], source=str(path)) from None
    except RecursionError:
        raise SceneError([("", f"is nested too deeply; see {described}")], source=str(path)) from None
    except ValueError as error:  # of TOML, or of a number with thousands of digits
        raise SceneError([("", f"is not TOML: {error}; see {described}")], source=str(path)) from None


def _find_meshes(data: dict[str, Any], directory: Path) -> None:
    """Mesh files are named as seen from the scene file; a copy of the scene elsewhere must still find them."""
    for table in (data.get("body"), data.get("tool")):
        for item in table.values() if isinstance(table, dict) else ():
            if isinstance(item, dict) and isinstance(item.get("file"), str):
                item["file"] = str(directory / item["file"])


def read_scene(data: dict[str, Any], settings: Iterable[str] = (), *, source: str = "the scene") -> Scene:
    """A scene from plain data."""
    data = current_data([Scene], data)
    problems = [problem for setting in settings if (problem := _apply(data, setting))]
    if data.get("format", FORMAT) != FORMAT or isinstance(data.get("format"), bool):
        problems.append(("format", f"must be {FORMAT} (got {data['format']!r}); this version reads format {FORMAT} only"))
    if problems:
        raise SceneError(problems, source=source)
    try:
        return Scene.model_validate(data)
    except ValidationError as error:
        raise scene_error(error, source=source) from None


def scene_error(error: ValidationError, *, kind: type[Part] = Scene, source: str = "the scene") -> SceneError:
    """The report of a failed check of a scene, or of another kind of part, in our words."""
    return part_error(kind, error, source=source)


RARE = ("term", "method")  # tables that hardly any scene has: left out where they are empty


def scene_data(scene: Scene) -> dict[str, Any]:
    """Plain data that `read_scene` turns into the same scene."""
    data = scene.model_dump(mode="json", exclude_none=True)
    return {name: value for name, value in data.items() if value or name not in RARE}


def mesh_files(scene: Scene) -> list[Path]:
    """That bodies and tools are made of."""
    parts = (*scene.body.values(), *scene.tool.values())
    return [Path(file) for one in parts if (file := getattr(one, "file", None)) is not None]


def scene_text(scene: Scene) -> str:
    """The scene as a TOML file."""
    return tomli_w.dumps(scene_data(scene))


def _apply(data: dict[str, Any], setting: str) -> tuple[str, str] | None:
    """Set one value in place; a problem if the path leads nowhere."""
    path, equals, text = setting.partition("=")
    if not equals or not path.strip():
        return setting, "must look like body.dough.law.k1=1200; write path=value"
    *parents, last = current_path(Scene, path.strip()).split(".")
    place: Any = data
    if parents and parents[0] in OPTIONAL_TABLES:
        data.setdefault(parents[0], {})
    for depth, name in enumerate(parents):
        key = int(name) if isinstance(place, list) and name.isdigit() else name
        try:
            place = place[key]
        except (KeyError, IndexError, TypeError):
            valid = (
                list(place) if isinstance(place, dict) else [str(n) for n in range(len(place))] if isinstance(place, list) else []
            )
            return setting, f"there is no {'.'.join([*parents[:depth], name])}; {nearest(name, valid)}"
    if isinstance(place, list) and last.isdigit() and int(last) < len(place):
        place[int(last)] = _value(text)
    elif isinstance(place, dict):
        place[last] = _value(text)
    else:
        return setting, f"{'.'.join(parents)} has no entry {last}; check the path"
    return None


def _value(text: str) -> Any:
    """A TOML value; anything else is a string."""
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except (ValueError, RecursionError):
        return text.strip()
