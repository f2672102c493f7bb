"""Tables in JSON files, from us or from strangers: a table, or a sentence that says why not and what to do."""

import json
from pathlib import Path
from typing import Any

from yawara.checks import SceneError

LARGEST = 1 << 30  # bytes; the recording of an hour's touch has a tenth


def read_json(path: Path, remedy: str) -> dict[str, Any]:
    """The table in a file. SceneError if there is no such file, or if it is none."""
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST >> 20} MB")
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SceneError([("", f"there is no file {path}; check the name and the current directory")], source=str(path)) from None
    except RecursionError:
        raise SceneError([("", f"cannot be read (it is nested too deeply); {remedy}")], source=str(path)) from None
    except (OSError, ValueError) as error:
        raise SceneError([("", f"cannot be read ({error}); {remedy}")], source=str(path)) from None
    if not isinstance(data, dict):
        raise SceneError([("", f"must be a table (got {type(data).__name__}); {remedy}")], source=str(path))
    return data


def is_written(path: Path, remedy: str) -> bool:
    """Whether the last file of a run is there, which says that the run is complete. SceneError if it is there but damaged."""
    return path.exists() and bool(read_json(path, remedy))
