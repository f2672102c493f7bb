"""VTU: one file per time, all points with their data; PVD: the list of them, which ParaView opens as a film."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yawara.files import atomic_path, write_text
from yawara.observe.export.arrays import checked_indices, checked_positions

_GRID = "<UnstructuredGrid>\n"


def write_vtu(
    path: str | os.PathLike[str],
    position: ArrayLike,
    cells: Mapping[str, ArrayLike],
    *,
    point_data: Mapping[str, ArrayLike] | None = None,
    time: float | None = None,
) -> None:
    """Write points [m], cells by meshio type ('tetra', 'hexahedron', 'triangle', 'line') and data per point; time in s."""
    import meshio

    points = checked_positions("position", position)
    mesh = meshio.Mesh(points, _cells(cells, len(points)), point_data=_point_data(point_data or {}, len(points)))
    with atomic_path(path) as temporary:
        meshio.write(temporary, mesh, file_format="vtu", binary=True)
        if time is not None:
            _add_time(temporary, time)


def write_pvd(path: str | os.PathLike[str], entries: Sequence[tuple[float, str]]) -> None:
    """Write the collection of (time [s], file name as seen from the folder of `path`)."""
    lines = [
        f'    <DataSet timestep="{float(time)!r}" group="" part="0" file={quoteattr(Path(name).as_posix())}/>'
        for time, name in entries
    ]
    head = '<?xml version="1.0" encoding="utf-8"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">'
    write_text(path, "\n".join([head, "  <Collection>", *lines, "  </Collection>", "</VTKFile>", ""]))


def _cells(cells: Mapping[str, ArrayLike], point_count: int) -> list[tuple[str, NDArray[np.int64]]]:
    blocks = [
        (kind, checked_indices(f"cells['{kind}']", indices, columns=None, point_count=point_count))
        for kind, indices in cells.items()
        if np.size(indices)  # meshio trips over empty blocks
    ]
    # ParaView shows nothing of a grid without cells
    return blocks or [("vertex", np.arange(point_count)[:, None])]


def _point_data(data: Mapping[str, ArrayLike], point_count: int) -> dict[str, NDArray[np.generic]]:
    result: dict[str, NDArray[np.generic]] = {}
    for name, values in data.items():
        array = np.asarray(values)
        if len(np.atleast_1d(array)) != point_count:
            raise ValueError(f"point_data['{name}'] must have {point_count} rows (got {array.shape}); give one row per point")
        # meshio writes names as they are, in whatever encoding the system has, and knows no bool
        plain = escape(name, {'"': "&quot;"}).encode("ascii", "xmlcharrefreplace").decode()
        result[plain] = array.astype(np.uint8) if array.dtype == bool else array
    return result


def _add_time(path: Path, time: float) -> None:
    """Insert the field from which ParaView takes the time of a single file; meshio does not write fields."""
    field = (
        '<FieldData>\n<DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">'
        f"{float(time)!r}</DataArray>\n</FieldData>\n"
    )
    head, grid, tail = path.read_text().partition(_GRID)
    path.write_text(head + grid + field + tail)
