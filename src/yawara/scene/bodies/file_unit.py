"""Files of meshes: where they are, and in which unit."""

from enum import StrEnum
from pathlib import Path


class LengthUnit(StrEnum):
    M = "m"
    CM = "cm"
    MM = "mm"
    UM = "um"
    INCH = "in"

    @property
    def metres(self) -> float:
        """[m]"""
        return {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254}[self.value]


def stamp(file: str) -> tuple[str, float, int]:
    """What a cached reading belongs to: a file that has changed is read anew."""
    path = Path(file)
    try:
        status = path.stat()
    except OSError:
        return str(path), 0.0, 0
    return str(path.resolve()), status.st_mtime, status.st_size
