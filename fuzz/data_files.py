"""Measured data: tables for `extract` and `fit`, clouds of points, experiment files."""

import shutil
import tomllib
from pathlib import Path

import numpy as np
import tomli_w
from numpy.random import Generator

from fuzz.fits import bench
from fuzz.mutate import changed, spoilt, without_none

CELLS = (
    "nan",
    "",
    "1e300",
    "-1e300",
    "inf",
    "1,5",
    "x",
    "0",
    "1e-300",
    "99999999999999999999",
    "1e30",
    '"',
    "1;2",
    "0x10",
    "1_0",
    "\u0660",
)
PROTOCOLS = {
    "relaxation": ["--force", "force", "--displacement", "displacement"],
    "press-release": ["--force", "force", "--displacement", "displacement"],
    "creep": ["--force", "force", "--displacement", "displacement"],
    "recovery": ["--displacement", "displacement", "--load", "1:N", "--load-time", "1:s"],
}
MODELS = (["voigt"], ["maxwell"], ["three_element"], ["generalized_maxwell", "--elements", "1"])


def prepare(shared: Path) -> None:
    bench(shared / "bench")


def make(rng: Generator, folder: Path, shared: Path) -> list[str]:
    return _fit(rng, folder, shared) if rng.random() < 0.3 else _extract(rng, folder)


def _extract(rng: Generator, folder: Path) -> list[str]:
    protocol = str(rng.choice(list(PROTOCOLS)))
    path = folder / "curve.csv"
    path.write_bytes(_table(rng))
    model = MODELS[rng.integers(len(MODELS))]
    return ["extract", str(path), "--protocol", protocol, *PROTOCOLS[protocol], "--model", *model, "--out", str(folder / "out")]


def _table(rng: Generator) -> bytes:
    """A press and hold, some cells or bytes of it spoilt."""
    time = np.linspace(0.0, 10.0, int(rng.integers(8, 40)))
    displacement = np.minimum(time, 2.0) * 0.001
    force = 400.0 * displacement * (0.4 + 0.6 * np.exp(-time / 3.0)) + rng.normal(0.0, 0.002, len(time))
    if rng.random() < 0.3:  # let go
        force, displacement = np.where(time > 7.0, 0.0, force), np.where(time > 7.0, 0.0005, displacement)
    separator = str(rng.choice([",", ";", "\t", " "]))
    rows = [[f"{one:.6g}" for one in row] for row in zip(time, force, displacement, strict=True)]
    for _ in range(int(rng.integers(0, 4))):
        rows[rng.integers(len(rows))][rng.integers(3)] = str(rng.choice(CELLS))
    text = "\n".join(separator.join(row) for row in [["time [s]", "force [N]", "displacement [m]"], *rows]).encode()
    return spoilt(text, rng) if rng.random() < 0.4 else text


def _fit(rng: Generator, folder: Path, shared: Path) -> list[str]:
    shutil.copytree(shared / "bench", folder, dirs_exist_ok=True)
    path = folder / str(rng.choice(["height.csv", "cloud.ply", "experiment.toml"]))
    if path.suffix == ".toml" and rng.random() < 0.7:
        data = changed(tomllib.loads(path.read_text(encoding="utf-8")), rng, int(rng.integers(1, 3)))
        path.write_bytes(tomli_w.dumps(without_none(data)).encode("utf-8", "surrogatepass"))
    else:
        path.write_bytes(spoilt(path.read_bytes(), rng, int(rng.integers(1, 3))))
    return ["fit", str(folder / "experiment.toml"), "--out", str(folder / "out"), "--executor", "here"]
