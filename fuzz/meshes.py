"""Mesh files of several formats, spoilt, as bodies and as tools."""

from pathlib import Path

import numpy as np
import tomli_w
from numpy.random import Generator

from fuzz.mutate import spoilt

CELLS = ("it.vtu", "it.vtk", "it.msh", "it.inp", "it.mesh")
SURFACES = ("it.stl", "it.obj", "it.ply")


def prepare(shared: Path) -> None:
    """A good file of each format."""
    import meshio
    import trimesh

    from yawara.laws import Voigt
    from yawara.scene.bodies import Truss

    body = Truss(counts=[3, 3, 3], spacing=0.01, law=Voigt(k=1.0, c=1.0), mass=1.0).geometry()
    for name in CELLS:
        meshio.Mesh(body.position, [("tetra", body.elements)]).write(shared / name)
    for name in SURFACES:
        trimesh.creation.box(extents=(0.02, 0.02, 0.03)).export(shared / name)


def make(rng: Generator, folder: Path, shared: Path) -> list[str]:
    name = str(rng.choice([*CELLS, *SURFACES]))
    data = spoilt((shared / name).read_bytes(), rng, int(rng.integers(0, 4)))
    if rng.random() < 0.2:  # numbers, rather than bytes
        data = data.replace(b"0.01", str(rng.choice(["1e200", "nan", "-1e-300", "inf", "0", "1e12"])).encode())
    (folder / name).write_bytes(data)
    law = {"law": {"type": "voigt", "k": 300.0, "c": 6.0}, "density": 1200.0}
    plain = {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, "origin": [0.0, 0.0, 0.2], **law}
    scene = {"time": {"end": 0.002, "frame": 0.001}, "output": {"report": False}}
    if name in CELLS:
        scene["body"] = {"dough": {"shape": "mesh", "file": name, **law}}
    elif rng.random() < 0.5:
        scene["body"] = {"dough": {"shape": "filled", "file": name, "spacing": float(np.exp(rng.uniform(-7, -3))), **law}}
    else:
        scene |= {"body": {"dough": plain}, "tool": {"tool": {"shape": "mesh", "file": name}}}
    (folder / "scene.toml").write_text(tomli_w.dumps(scene), encoding="utf-8")
    return ["run", str(folder / "scene.toml"), "--out", str(folder / "run")]
