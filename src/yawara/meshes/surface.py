"""A closed surface of triangles, read from a file and repaired, or refused with the reason."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from yawara.meshes.errors import MeshError, count_of, place_of
from yawara.meshes.facets import all_facets, crowded_facets, swapped
from yawara.meshes.foreign import UnreadableError, read_foreign
from yawara.meshes.holes import LARGEST, open_edges, patches
from yawara.meshes.rows import Booleans, Floats, Integers, diagonal, grouped, merged_points, used_points
from yawara.meshes.size import check_coordinates, check_size
from yawara.meshes.winding import inconsistent_faces, outward, shell_volumes, shells

FORMATS = (".stl", ".obj", ".ply")
MERGE = 1e-9  # of the diagonal: points nearer than this are one
FLAT = 1e-12  # of a shell's diagonal^3, or of a face's longest edge^2: less is no volume, or no area


@dataclass(frozen=True)
class Surface:
    """One or more closed shells; those of cavities point into the hollow."""

    position: Floats  # [m], (point_count, 3)
    triangles: Integers  # (triangle_count, 3), outward
    notices: tuple[str, ...] = ()  # what was repaired, for the user

    @property
    def volume(self) -> float:
        """Enclosed [m^3]."""
        return float(shell_volumes(self.position, self.triangles, np.zeros(len(self.triangles), np.int64))[0])

    @property
    def area(self) -> float:
        """[m^2]"""
        a, b, c = np.moveaxis(self.position[self.triangles], 1, 0)
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0)


def read_surface(path: str | Path, scale: float = 1.0) -> Surface:
    """The surface in an STL, OBJ or PLY file, repaired; `scale` is the file's unit of length [m]."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise MeshError(f"{path.name}: surfaces are read from {', '.join(FORMATS)} (got '{path.suffix}'); convert the file")
    position, triangles = _loaded(path)
    try:
        surface = clean_surface(position * scale, triangles)
        notices = check_size(surface.position, "the surface")
    except MeshError as error:
        raise MeshError(f"{path.name}: {error}") from None
    return Surface(surface.position, surface.triangles, (*notices, *surface.notices))


def _loaded(path: Path) -> tuple[Floats, Integers]:
    if not path.is_file():
        raise MeshError(f"{path}: there is no such file; check the path")
    try:
        found = read_foreign("surface", path)
    except UnreadableError as error:
        raise MeshError(
            f"{path.name}: cannot be read as a surface ({error}); check that it is whole and really a {path.suffix} file with faces"
        ) from None
    return found["points"], found["triangles"]


def clean_surface(position: Floats, triangles: Integers) -> Surface:
    """Points [m] and faces as a closed surface: copies merged, useless faces dropped, small holes filled, all faces outward."""
    position, triangles = _checked(position, triangles)
    triangles = merged_points(position, MERGE * diagonal(position))[triangles]
    triangles, notices = _useful(position, triangles)
    _refuse_crowded(position, triangles)
    turn = inconsistent_faces(position, triangles)
    patch, holes = patches(position, swapped(triangles, turn))
    closed = np.concatenate([swapped(triangles, turn), patch])
    _refuse_open(position, closed)
    _refuse_crowded(position, closed)
    flipped = np.concatenate([turn, np.zeros(len(patch), bool)])
    solid = _solid(position, closed)
    out, cavities = outward(position, closed[solid])
    flips = int(np.count_nonzero((flipped[solid] ^ out)[: np.count_nonzero(solid[: len(turn)])]))
    if holes:
        notices.append(f"{count_of(holes, 'hole')} filled with {count_of(len(patch), 'face')}.")
    if not solid.all():
        notices.append(f"{count_of(int(np.count_nonzero(~solid)), 'face')} of parts without volume dropped.")
    if flips:
        notices.append(f"{count_of(flips, 'face')} turned over to point outward.")
    if cavities:
        notices.append(f"{count_of(cavities, 'closed part')} inside another taken as a hollow.")
    return Surface(*used_points(position, swapped(closed[solid], out)), tuple(notices))


def _checked(position: Floats, triangles: Integers) -> tuple[Floats, Integers]:
    position = np.asarray(position, np.float64).reshape(-1, 3)
    triangles = np.asarray(triangles, np.int64).reshape(-1, 3)
    if len(triangles) == 0:
        raise MeshError(f"there are no faces ({count_of(len(position), 'point')}); give a surface of triangles")
    if triangles.min() < 0 or triangles.max() >= len(position):
        raise MeshError(f"faces name point {triangles.max()} of {len(position)} points; write the file again")
    position, triangles = used_points(position, triangles)
    check_coordinates(position)
    return position, triangles


def _useful(position: Floats, triangles: Integers) -> tuple[Integers, list[str]]:
    """Without faces that have no area and without copies, and what to tell about it."""
    a, b, c = triangles.T
    whole = (a != b) & (b != c) & (c != a)
    first = np.sort(grouped(np.sort(triangles[whole], axis=1))[0])
    kept = triangles[whole][first]
    needed = ~_needless(position, kept)
    degenerate, copies = int(np.count_nonzero(~whole) + np.count_nonzero(~needed)), int(np.count_nonzero(whole)) - len(first)
    if not needed.any():
        raise MeshError(f"none of the {len(triangles)} faces has an area; check the file and its unit")
    notices = [f"{count_of(degenerate, 'face')} without area dropped."] if degenerate else []
    return kept[needed], notices + ([f"{count_of(copies, 'copy', 'copies')} of faces dropped."] if copies else [])


def _needless(position: Floats, triangles: Integers) -> Booleans:
    """Faces of no area that close nothing. One with a neighbour at each edge stays: without it, its neighbours would gape."""
    if len(triangles) == 0:
        return np.zeros(0, bool)
    sides = position[np.roll(triangles, -1, axis=1)] - position[triangles]
    area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    flat = area <= FLAT * np.square(sides).sum(axis=2).max(axis=1)
    _, group, count = grouped(np.sort(all_facets(triangles), axis=1))
    needed: Booleans = np.all((count[group] == 2).reshape(3, -1), axis=0)
    return flat & ~needed


def _refuse_crowded(position: Floats, triangles: Integers) -> None:
    edges = crowded_facets(triangles)
    if len(edges):
        place = place_of(position[edges[0]].mean(axis=0))
        raise MeshError(
            f"{count_of(len(edges), 'edge has', 'edges have')} more than two faces, one of them at {place}; "
            "remove inner walls, and separate or unite parts that touch"
        )


def _refuse_open(position: Floats, triangles: Integers) -> None:
    edges = open_edges(triangles)
    if len(edges):
        place = place_of(position[edges[0]].mean(axis=0))
        raise MeshError(
            f"the surface is not closed: {count_of(len(edges), 'open edge')}, one of them at {place}; "
            f"holes of up to {LARGEST} edges are filled, close larger ones in the program that wrote it"
        )


def _solid(position: Floats, triangles: Integers) -> Booleans:
    """Faces of the shells that enclose a volume; refuses if none does."""
    shell = shells(triangles)
    volume = np.abs(shell_volumes(position, triangles, shell))
    lower, upper = np.full((len(volume), 3), np.inf), np.full((len(volume), 3), -np.inf)
    for corner in triangles.T:
        np.minimum.at(lower, shell, position[corner])
        np.maximum.at(upper, shell, position[corner])
    solid = volume > FLAT * np.linalg.norm(upper - lower, axis=1) ** 3
    if not solid.any():
        raise MeshError(
            f"the surface encloses no volume ({volume.sum():.3g} m^3); it is flat, or its faces do not hang together: "
            "give a closed surface, or triangles in the x-y plane as a flat body"
        )
    return solid[shell]
