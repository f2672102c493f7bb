"""Scenes: bodies of all shapes and laws, tools and contact, with a few things changed by chance, or the text itself."""

from pathlib import Path
from typing import Any

import tomli_w
from numpy.random import Generator

from fuzz.mutate import changed, spoilt, without_none

LAWS: tuple[dict[str, Any], ...] = (
    {"type": "voigt", "k": 300.0, "c": 6.0},
    {"type": "maxwell", "k": 300.0, "c": 60.0},
    {"type": "three_element", "k1": 300.0, "c1": 6.0, "c2": 90.0},
    {"type": "generalized_voigt", "k": [600.0, 400.0, 0.0], "c": [1.0, 6.0, 50.0]},
    {"type": "generalized_maxwell", "k": [300.0, 200.0], "c": [3.0, 15.0], "k_inf": 100.0, "c_inf": 0.4},
    {"type": "force_dependent_damper", "k1": 300.0, "c1": 6.0, "c_max": 60.0, "c_min": 6.0, "f1": 0.2, "f2": 1.5},
    {"type": "internal_friction", "k": 300.0, "c1": 0.8, "c2": 10.0, "friction": 0.3},
    {"type": "limited_three_element", "k1": 300.0, "c1": 6.0, "c2": 90.0, "ratio": 0.8, "a_min": 0.8, "a_max": 0.82},
)
SHAPES: tuple[dict[str, Any], ...] = (
    {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01},
    {"shape": "lattice", "counts": [3, 3, 2], "spacing": 0.01},
    {"shape": "chain", "counts": [4], "spacing": 0.01},
    {"shape": "sheet", "counts": [4, 3], "spacing": 0.01},
    {"shape": "sheet", "counts": [4, 4], "spacing": 0.01, "pattern": "alternating"},
    {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, "inversion_barrier": {}, "volume": {"cavity": 1e4, "cells": 1e3}},
    {"shape": "lattice", "counts": [3, 3, 3], "spacing": 0.01, "volume": {"centres": True, "centre_factor": 1.0}},
    {"shape": "truss", "counts": [4, 4, 4], "spacing": 0.01, "refine": [{"min": [0.0, 0.0, 0.0], "max": [0.02, 0.02, 0.02]}]},
)
TOOLS: tuple[dict[str, Any], ...] = (
    {"shape": "floor", "friction": 0.4},
    {"shape": "plate", "size": [0.1, 0.1, 0.01], "origin": [0.01, 0.01, 0.05],
     "motion": {"type": "path", "times": [0.0, 0.01], "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, -0.02]]}},
    {"shape": "sphere", "radius": 0.01, "origin": [0.0, 0.0, 0.05], "mass": 0.1, "motion": {"type": "hand"}},
    {"shape": "cylinder", "radius": 0.01, "length": 0.05, "origin": [0.0, 0.0, 0.06], "mass": 0.3, "turn": {"type": "free"}},
    {"shape": "box", "size": [0.01, 0.02, 0.03], "origin": [0.2, 0.0, 0.1], "rotation": [0.0, 0.5, 0.0]},
)  # fmt: skip
MATERIAL = {"youngs_modulus": 1e4, "density": 1200.0, "poisson": 0.3, "retardation_time": 0.001, "relaxation_time": 3.0}
PROBES: tuple[dict[str, Any], ...] = (
    {"type": "volume", "body": "dough"},
    {"type": "displacement", "body": "dough", "points": [0]},
    {"type": "distance", "body": "dough", "points": [0], "other_points": [1]},
    {"type": "stress", "body": "dough", "points": "all"},
    {"type": "residual_strain", "body": "dough", "points": [0], "component": "xx"},
)


def scene(rng: Generator) -> dict[str, Any]:
    """A small scene as it should be."""
    body = dict(SHAPES[rng.integers(len(SHAPES))])
    if rng.random() < 0.3 and body["shape"] in ("truss", "lattice") and "cells" not in body.get("volume", {}):
        body |= {"material": MATERIAL}
    else:
        body |= {"law": LAWS[rng.integers(len(LAWS))], "density": 1200.0}
    data: dict[str, Any] = {
        "format": 1, "name": "fuzz", "gravity": [0.0, 0.0, -9.81 * float(rng.integers(2))],
        "time": {"end": 0.002, "frame": 0.001, "integrator": str(rng.choice(["semi_implicit_euler", "rk4", "euler", "implicit_euler"]))},
        "body": {"dough": body}, "output": {"report": bool(rng.random() < 0.1), "glb": bool(rng.random() < 0.1)},
    }  # fmt: skip
    for table, part in _extras(rng).items():
        data[table] = part
    if rng.random() < 0.2:
        data["body"]["other"] = body | {"origin": [0.0, 0.0, 0.1]}
    return data


def _extras(rng: Generator) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if rng.random() < 0.4:
        found["fix"] = [{"body": "dough", "points": [0]}]
    if rng.random() < 0.3:
        found["drive"] = [{"body": "dough", "points": [1], "times": [0.0, 0.001], "displacement": [[0, 0, 0], [0, 0, -0.001]]}]
    if rng.random() < 0.3:
        found["force"] = [{"body": "dough", "points": [2], "times": [0.0, 0.001], "force": [[0.1, 0, 0], [0, 0, 0]]}]
    if rng.random() < 0.5:
        found["tool"] = {f"tool{n}": TOOLS[n] for n in sorted(rng.choice(len(TOOLS), rng.integers(1, 3), replace=False).tolist())}
    if rng.random() < 0.4:
        found["contact"] = {"method": str(rng.choice(["impulse", "time_integrated", "penalty", "bounce"])), "friction": 0.3}
    if rng.random() < 0.3:
        found["probe"] = {"probe": PROBES[rng.integers(len(PROBES))]}
    return found


def prepare(shared: Path) -> None:
    """Nothing is shared."""


def make(rng: Generator, folder: Path, shared: Path) -> list[str]:
    data = without_none(changed(scene(rng), rng, int(rng.integers(0, 4))))
    text = tomli_w.dumps(data).encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        text = spoilt(text, rng)
    (folder / "scene.toml").write_bytes(text)
    return ["run", str(folder / "scene.toml"), "--out", str(folder / "run")]
