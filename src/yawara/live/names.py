"""How files of touches are called."""

from pathlib import Path

SUFFIX = ".touch.json"


def is_recording(path: Path) -> bool:
    return path.name.endswith(SUFFIX)
