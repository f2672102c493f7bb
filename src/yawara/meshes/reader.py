"""A program of its own: reads one file by the libraries that know its format, and writes what it found to the standard output.

It imports nothing of this package, so that it starts quickly: see `foreign.py`, which starts it. The answer is 'N' and an .npz archive,
or 'E' and the reason.
"""

import contextlib
import io
import json
import math
import os
import sys
import time
from typing import Any

import numpy as np


def cells(path: str) -> dict[str, Any]:
    """Points, and cells by kind, of a mesh that meshio reads."""
    import meshio

    limit_cpu()
    mesh = meshio.read(path)
    points = np.asarray(mesh.points, np.float64)
    position = np.zeros((len(points), 3))
    position[:, : points.shape[1]] = points[:, :3]
    kinds: dict[str, list[Any]] = {}
    for block in mesh.cells:
        if len(block.data):
            kinds.setdefault(block.type, []).append(np.asarray(block.data, np.int64))
    return {"points": position, **{f"cells {kind}": np.concatenate(data) for kind, data in kinds.items()}}


def surface(path: str) -> dict[str, Any]:
    """Points and triangles of all parts of a file that trimesh reads."""
    meshes = parts(path, **({"skip_materials": True} if path.lower().endswith(".obj") else {}))
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [np.asarray(mesh.faces, np.int64) + offset for mesh, offset in zip(meshes, offsets[:-1], strict=True)]
    position = np.concatenate([np.zeros((0, 3)), *(np.asarray(mesh.vertices, np.float64) for mesh in meshes)])
    return {"points": position, "triangles": np.concatenate([np.zeros((0, 3), np.int64), *faces])}


def points(path: str) -> dict[str, Any]:
    """All points of a file that trimesh reads."""
    found = [np.asarray(part.vertices, np.float64).reshape(-1, 3) for part in parts(path)]
    return {"points": np.concatenate([np.zeros((0, 3)), *found])}


def parts(path: str, **options: Any) -> list[Any]:
    import trimesh

    limit_cpu()
    loaded: Any = trimesh.load(path, process=False, **options)
    return list(loaded.geometry.values()) if isinstance(loaded, trimesh.Scene) else [loaded]


def limit_cpu() -> None:
    """Of what is still to come, after the imports: a file that is read for ever ends here, however busy the machine is."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        seconds = math.ceil(time.process_time() + LIMITS["cpu_seconds"])
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (LIMITS["memory_bytes"], LIMITS["memory_bytes"]))


KINDS = {"cells": cells, "surface": surface, "points": points}
LIMITS: dict[str, int] = {}


def answer(kind: str, path: str) -> bytes:
    said = io.StringIO()  # libraries print their complaints, and some leave the program
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            found = KINDS[kind](path)
        packed = io.BytesIO()
        np.savez(packed, **found)
        return b"N" + packed.getvalue()
    except MemoryError:
        return b"E" + b"it needs more memory than such a file should"
    except (Exception, SystemExit, RecursionError) as error:
        return b"E" + (" ".join(said.getvalue().split()) or f"{type(error).__name__}: {error}").encode("utf-8", "replace")


def main() -> None:
    kind, path, limits = sys.argv[1:]
    LIMITS.update(json.loads(limits))
    limit_memory()
    out = os.dup(1)
    os.dup2(2, 1)  # what is printed by C code must not get into the answer
    with os.fdopen(out, "wb") as stream:
        stream.write(answer(kind, path))


if __name__ == "__main__":
    main()
