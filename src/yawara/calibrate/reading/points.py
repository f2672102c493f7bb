"""Point clouds from files: PLY, OBJ, XYZ; of meshes, the vertices."""

from pathlib import Path

import numpy as np

from yawara.calibrate.reading.table import read_text
from yawara.checks import LARGEST, SceneError
from yawara.kernels.kinds import Floats
from yawara.meshes.foreign import UnreadableError, read_foreign

TEXT = {".xyz", ".txt", ".csv", ".asc", ".pts"}
MESHES = {".ply", ".obj", ".stl", ".off", ".glb"}


def read_points(path: Path) -> Floats:
    """Coordinates as they stand in the file, (point_count, 3). SceneError if there are none, or some are not finite."""
    source, kind = str(path), path.suffix.lower()
    if kind not in TEXT | MESHES:
        raise SceneError(
            [("file", f"must be one of {', '.join(sorted(TEXT | MESHES))} (got '{kind}'); convert it")], source=source
        )
    points = _text_points(path) if kind in TEXT else _mesh_points(path)
    if len(points) == 0:
        raise SceneError(
            [("file", "must hold points (got none); capture again, or check the program that wrote it")], source=source
        )
    strange = np.flatnonzero(~(np.abs(points) <= LARGEST).all(axis=1))
    if len(strange):
        first = f"got {points[strange[0]]} in point {strange[0] + 1}, {len(strange)} such points in all"
        what = f"must hold finite coordinates of at most {LARGEST:g} ({first})"
        raise SceneError([("file", f"{what}; remove them")], source=source)
    return points


def _text_points(path: Path) -> Floats:
    rows: list[list[float]] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        cells = line.split("#")[0].replace(",", " ").replace(";", " ").split()
        try:
            row = [float(cell) for cell in cells[:3]]
        except ValueError:
            if rows:
                what = f"must have three numbers (got {line.strip()[:40]!r}); remove the line"
                raise SceneError([(f"line {number}", what)], source=str(path)) from None
            continue  # a header
        if len(row) == 3:
            rows.append(row)
        elif len(row) == 2 or (len(row) == 1 and rows):
            raise SceneError([(f"line {number}", f"must have three numbers (got {len(row)}); add the others")], source=str(path))
    return np.array(rows, float).reshape(-1, 3)


def _mesh_points(path: Path) -> Floats:
    if not path.is_file():
        raise SceneError([("file", "there is no such file; check the name and the current directory")], source=str(path))
    try:
        return np.asarray(read_foreign("points", path)["points"], np.float64)
    except UnreadableError as error:
        with path.open("rb") as file:
            if b"element vertex 0" in file.read(4096):
                return np.zeros((0, 3))
        raise SceneError([("file", f"cannot be read ({error}); write it again as PLY or XYZ")], source=str(path)) from None
