"""Directories of interrupted fits, one of their files damaged."""

import json
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

from numpy.random import Generator

from fuzz.mutate import changed
from fuzz.runs import damage_one_file

JOURNAL = "evaluations.journal"


def scene() -> dict[str, Any]:
    """A small cube that is pressed for a while."""
    return {
        "time": {"end": 0.4, "frame": 0.1, "step": 0.05, "integrator": "implicit_euler"},
        "body": {"dough": {"shape": "lattice", "counts": [3, 3, 3], "spacing": 0.01, "mass": 0.01,
                           "law": {"type": "three_element", "k1": 2.0, "c1": 0.3, "c2": 1.0}}},
        "fix": [{"body": "dough", "points": "bottom"}],
        "force": [{"body": "dough", "points": "top", "times": [0.0, 0.2], "force": [[0.0, 0.0, -0.03], [0.0, 0.0, 0.0]]}],
    }  # fmt: skip


def experiment() -> dict[str, Any]:
    """What `bench` measured of the cube."""
    curve = {"file": "height.csv", "quantity": "dough.height", "time": "time", "value": "height", "noise": 1e-4}
    target = {"target": "body.dough.law.k1", "low": 0.5, "high": 8.0, "start": 3.0}
    parts = {"bench": {"scene": "scene.toml", "curve": [curve], "cloud": [{"file": "cloud.ply", "time": 0.4}]}}
    return {"parameter": {"k1": target}, "experiment": parts, "intervals": ["linear"], "budget": 12}


def bench(place: Path) -> None:
    """The files of an experiment: scene, curve, cloud, and what is asked."""
    import tomli_w

    from yawara.scene.file import read_scene
    from yawara.simulate import simulate

    place.mkdir(parents=True, exist_ok=True)
    result = simulate(read_scene(scene()))
    times, heights = result.history["time"], result.history["dough.height"]
    rows = [f"{time:.6g},{height:.9g}" for time, height in zip(times, heights, strict=True)]
    (place / "height.csv").write_text("time [s],height [m]\n" + "\n".join(rows) + "\n", encoding="utf-8")
    points = [" ".join(f"{x:.9g}" for x in point) for point in result.state.position]
    head = (
        f"ply\nformat ascii 1.0\nelement vertex {len(points)}\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    )
    (place / "cloud.ply").write_text(head + "\n".join(points) + "\n", encoding="utf-8")
    (place / "scene.toml").write_text(tomli_w.dumps(scene()), encoding="utf-8")
    (place / "experiment.toml").write_text(tomli_w.dumps(experiment()), encoding="utf-8")


def prepare(shared: Path) -> None:
    from yawara.calibrate.fit_job import Workplace, run_fit

    bench(shared / "bench")

    def stop(standing: Any) -> None:
        if standing.fresh == 5:
            raise KeyboardInterrupt

    try:
        run_fit(shared / "bench" / "experiment.toml", shared / "fit", Workplace("here", progress=stop))
    except KeyboardInterrupt:
        return


def make(rng: Generator, folder: Path, shared: Path) -> list[str]:
    place = shutil.copytree(shared / "fit", folder / "fit")
    if rng.random() < 0.4:
        _another_record(place / JOURNAL, rng)
    elif rng.random() < 0.3:
        stamp = json.loads((place / "job.json").read_text(encoding="utf-8"))
        (place / "job.json").write_text(json.dumps(changed(stamp, rng, 1)), encoding="utf-8")
    else:
        damage_one_file(place, rng, "result.json")
    return ["fit", "--resume", str(place), "--executor", "here"]


def _another_record(path: Path, rng: Generator) -> None:
    """A journal whose first record has a right checksum and wrong contents."""
    head, data = struct.Struct("<4sIII"), path.read_bytes()
    mark, line_size, residual_size, _ = head.unpack_from(data)
    begin, end = head.size, head.size + line_size + residual_size
    line = json.dumps(changed(json.loads(data[begin : begin + line_size]), rng, 1)).encode()
    residual = data[begin + line_size : end][: int(rng.integers(0, residual_size + 1))]
    path.write_bytes(head.pack(mark, len(line), len(residual), zlib.crc32(line + residual)) + line + residual + data[end:])
