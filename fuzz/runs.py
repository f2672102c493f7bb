"""Directories of interrupted runs and sweeps, one of their files damaged: its bytes, or its arrays."""

import contextlib
import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from fuzz.mutate import spoilt

NUMBERS = (np.nan, np.inf, -np.inf, 1e300, -1.0, 0.0, 1e29, 0.5, 1e-300, 7.0)


class _Stop:
    """Interrupts a run in its middle; an observer."""

    def observe(self, frame: Any) -> None:
        if frame.index == 4:
            raise KeyboardInterrupt


def prepare(shared: Path) -> None:
    from yawara import run_scene
    from yawara.calibrate import sweep_scene
    from yawara.scene.file import read_scene

    block = {
        "shape": "truss",
        "counts": [3, 3, 3],
        "spacing": 0.01,
        "density": 1200.0,
        "law": {"type": "voigt", "k": 300.0, "c": 6.0},
    }
    scene = read_scene({
        "gravity": [0.0, 0.0, -9.81], "time": {"end": 0.006, "frame": 0.001, "threads": 1},
        "body": {"dough": block, "other": block | {"origin": [0.0, 0.0, 0.021]}}, "tool": {"table": {"shape": "floor"}}, "contact": {},
    })  # fmt: skip
    with contextlib.suppress(KeyboardInterrupt):
        run_scene(scene, shared / "run", checkpoint_seconds=0.0, observers=(_Stop(),))

    def stop(standing: Any) -> None:
        if standing.fresh == 2:
            raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):
        sweep_scene(scene, ["body.dough.law.k=200:400:4"], directory=shared / "sweep", executor="here", progress=stop)


def make(rng: Generator, folder: Path, shared: Path) -> list[str]:
    what = str(rng.choice(["run", "run", "run", "sweep"]))
    place = shutil.copytree(shared / what, folder / what)
    if rng.random() < 0.5:
        (place / "job.json").unlink()  # or most changes of the request would be noticed by it alone
    if what == "run" and rng.random() < 0.5:
        _change_arrays(place / "checkpoint.npz", rng)
    else:
        damage_one_file(place, rng, {"run": "summary.json", "sweep": "summary.json"}[what])
    resume = [what, "--resume", str(place)]
    return [*resume, "--executor", "here"] if what == "sweep" else resume


def damage_one_file(place: Path, rng: Generator, last: str) -> None:
    """Any of its files; or the last one, which says that all is complete, made up."""
    files = sorted(path for path in place.rglob("*") if path.is_file())
    if rng.random() < 0.1:
        (place / last).write_bytes(rng.bytes(int(rng.integers(0, 50))))
        return
    path = files[rng.integers(len(files))]
    if rng.random() < 0.1:
        path.unlink()
    else:
        path.write_bytes(spoilt(path.read_bytes(), rng, int(rng.integers(1, 4))))


def _change_arrays(path: Path, rng: Generator) -> None:
    with np.load(path) as saved:
        arrays = dict(saved)
    name = str(rng.choice(sorted(arrays)))
    arrays[name] = _another(arrays[name], rng)
    packed = io.BytesIO()
    np.savez(packed, **{key: value for key, value in arrays.items() if value is not None})
    path.write_bytes(packed.getvalue())


def _another(array: Any, rng: Generator) -> Any:
    """Another shape, type or number; or none."""
    match rng.integers(6):
        case 0:
            return None
        case 1:
            return array[:-1] if array.ndim else np.zeros(3)
        case 2:
            return array.astype(rng.choice(["f4", "i8", "U8", "c16", "?"]))
        case 3:
            return np.zeros((int(rng.integers(0, 5)), 8))
        case _:
            array = np.array(array, float if array.dtype.kind == "f" or rng.random() < 0.5 else array.dtype)
            if array.size:
                with np.errstate(invalid="ignore"):
                    array.reshape(-1)[rng.integers(array.size)] = np.array(rng.choice(NUMBERS)).astype(array.dtype)
            return array
