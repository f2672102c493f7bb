"""Synthetic measurements as files, and an experiment file that fits them."""

from pathlib import Path
from typing import Any

import tomli_w

from yawara.calibrate.synth import Reading, Sample
from yawara.checks import SceneError
from yawara.files import write_text
from yawara.kernels.kinds import Floats
from yawara.scene.file import scene_text

SYNTHETIC = "synthetic: simulated by yawara, with noise; no measurement"
EXPERIMENT, SCENE = "experiment.toml", "scene.toml"
LOWEST, HIGHEST, FIRST = 0.05, 8.0, (2.5, 0.4)  # bounds, and starts in turn, of the parameters, over the truth
SMALLEST_NOISE = 1e-9  # in the curve's unit: where nothing was added and nothing is there


def write_sample(sample: Sample, directory: Path) -> Path:
    """Clouds as PLY, curves as CSV, the scene, and the experiment file, whose path is returned."""
    refuse_second(directory)
    part: dict[str, Any] = {"scene": SCENE, "cloud": [], "curve": []}
    for number, (time, points) in enumerate(sample.clouds.items(), 1):
        name = f"cloud_{number}.ply"
        write_text(directory / name, _ply(points, time))
        noise = max(sample.bench.noise, 1e-6)
        part["cloud"].append(
            {"file": name, "time": time, "body": sample.body, "noise": noise, "ignore": 0.0005, "beyond": 0.0025}
        )
    for reading in sample.curves:
        name = f"{reading.column}.csv"
        write_text(directory / name, _csv(reading))
        noise = reading.noise or max(SMALLEST_NOISE, 1e-6 * float(abs(reading.values).max()))
        columns = {"time": {"column": 1, "unit": "s"}, "value": {"column": 2, "unit": reading.unit}}
        part["curve"].append({"file": name, "quantity": reading.column, **columns, "noise": noise})
    noise = sample.volume_noise or 1e-6 * sample.volume
    part["volume"] = [{"value": sample.volume, "time": max(sample.clouds), "noise": noise, "body": sample.body}]
    data = {
        "name": f"{sample.scene.name} (synthetic)",
        "parameter": _parameters(sample),
        "experiment": {"bench": {key: value for key, value in part.items() if value}},
    }
    write_text(directory / SCENE, f"# The truth behind the synthetic measurements.\n{scene_text(sample.scene)}")
    # last: its presence says that all else is there
    write_text(directory / EXPERIMENT, f"# {SYNTHETIC}\n{tomli_w.dumps(data)}")
    return directory / EXPERIMENT


def refuse_second(directory: Path) -> None:
    """An experiment is never written over."""
    if (directory / EXPERIMENT).exists():
        raise SceneError([("--out", "already holds an experiment; choose another directory")], source=str(directory))


def _ply(points: Floats, time: float) -> str:
    head = [
        "ply", "format ascii 1.0", f"comment {SYNTHETIC}", f"comment t = {time!r} s, coordinates in m", f"element vertex {len(points)}",
        *(f"property double {axis}" for axis in "xyz"), "end_header",
    ]  # fmt: skip
    return "\n".join([*head, *(f"{x!r} {y!r} {z!r}" for x, y, z in points.tolist())]) + "\n"


def _csv(reading: Reading) -> str:
    rows = [f"{time!r},{value!r}" for time, value in zip(reading.time.tolist(), reading.values.tolist(), strict=True)]
    return "\n".join([f"# {SYNTHETIC}", f"time [s],{reading.column} [{reading.unit}]", *rows]) + "\n"


def _parameters(sample: Sample) -> dict[str, Any]:
    """All positive coefficients of the body's law or material, to be looked for in a wide range."""
    body = sample.scene.body[sample.body]
    part: Any = body.law if body.law is not None else body.material
    kind = "law" if body.law is not None else "material"
    found: dict[str, Any] = {}
    for name in type(part).model_fields:
        value, unit = getattr(part, name), type(part).unit_of(name)
        if isinstance(value, float) and value > 0.0 and unit not in ("", "1", "kg/m^3"):
            path = f"body.{sample.body}.{kind}.{name}"
            bounds = {"low": LOWEST * value, "high": HIGHEST * value, "start": FIRST[len(found) % 2] * value}
            found[name] = {"target": path, "unit": unit, **bounds, "log": True}
    return found
