"""Fits to real measurements: tissue phantoms under a press, clay after a poke. Fitted on one trial, tried on others.

    python benchmarks/measured.py DATA [--out DIR]

DATA is a directory with the open measurements `phantom_compression` (Dawood et al. 2026, CC BY 4.0) and `si4rp_pokes` (Yang, Ji, Lai 2025,
MIT); they are no part of this project. What the data cannot tell is said in the output: neither has a time constant in it, and the clay
has no force.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
import trimesh

from yawara.calibrate.fit import Fit
from yawara.calibrate.fit_job import Workplace, run_fit
from yawara.files import write_text

# ---- tissue phantoms: a cylinder between two plates

RADIUS, HEIGHT = 0.025, 0.03  # [m]
COUNTS, SPACING = (
    (10, 10, 7),
    0.005,
)  # of a block as high; between plates without friction the shape of the section does not matter
SECTION = ((COUNTS[0] - 1) * SPACING) ** 2 / (np.pi * RADIUS**2)  # of the block, over the cylinder's: by that forces are scaled
SPEED = 0.01 / 60  # [m/s]
DEEPEST = 0.10  # strain: up to there one modulus may do, and the data sheet gives one for it
PHANTOMS = ("EF10_100T", "EF10_50T", "EF30_25T", "EF50_0T")
MODULI = {
    "EF10_100T": 7.1e3,
    "EF10_50T": 17.1e3,
    "EF30_25T": 56.1e3,
    "EF50_0T": 181e3,
}  # [Pa], 2 to 10 % strain, mean of ten tests


def phantom(data: Path, name: str, out: Path) -> Fit:
    """Young's modulus from test A1; A5 and B1 are held out."""
    end = DEEPEST * HEIGHT / SPEED
    write_text(out / "press.toml", tomli_w.dumps(press_scene(end)))
    experiments = {}
    for test in ("A1", "A5", "B1"):
        file = (data / "phantom_compression" / f"{name}_{test}.csv").resolve()
        curve = {
            "file": str(file), "quantity": "press.force_z", "time": "Time (s)", "value": {"column": "Load (N)", "scale": -SECTION},
            "noise": 0.02, "until": end, "every": 10,
        }  # fmt: skip
        experiments[test] = {"scene": "press.toml", "held_out": test != "A1", "curve": [curve]}
    modulus = {"target": "body.phantom.material.youngs_modulus", "low": 1e3, "high": 1e6, "start": 3e4, "unit": "Pa"}
    return fitted(out, f"tissue phantom {name}", {"E": modulus}, experiments)


def press_scene(end: float) -> dict[str, Any]:
    """Plates without friction, and so slow that nothing but the material's elasticity shows."""
    material = {"density": 1000.0, "youngs_modulus": 3e4, "poisson": 0.45, "retardation_time": 0.1}
    body = {"shape": "truss", "counts": COUNTS, "spacing": SPACING, "material": material}
    drive = {
        "name": "press", "body": "phantom", "points": "top", "axes": "z", "times": [0.0, end],
        "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, -SPEED * end]], "interpolation": "linear",
    }  # fmt: skip
    return {
        "name": "a tissue phantom under a press",
        "time": {"end": end, "frame": end / 25, "step": end / 25, "integrator": "implicit_euler"},
        "body": {"phantom": body},
        "fix": [{"body": "phantom", "points": "bottom", "axes": "z"}],
        "drive": [drive],
    }


# ---- clay, poked by a tool

CLEAR, SETTLED = 0.005, 0.6  # [m] above the clay at the beginning; [s] after the poke
CELL, SHIFTED = 0.11 / 32, 0.010  # [m]: of a height map; what its heights are too high by
FITTED, HELD_OUT = "clay_poke_round", ("clay_poke_cylinder", "clay_poke_rectangle")


def clay(data: Path, out: Path) -> Fit:
    """Relaxation time and the tool's height from one poke; two pokes by other tools are held out."""
    cases = read_cases(data / "si4rp_pokes" / "cases.csv")
    experiments = {}
    for name in (FITTED, *HELD_OUT):
        end = poke_files(data / "si4rp_pokes", name, cases[name], out)
        cloud = {"file": f"{name}.xyz", "time": end, "noise": 0.001, "ignore": 0.0005}
        experiments[name] = {"scene": f"{name}.toml", "held_out": name != FITTED, "cloud": [cloud]}
    parameters = {
        "relaxation_time": {"target": "body.clay.material.relaxation_time", "low": 0.03, "high": 3.0, "start": 0.3},
        "tool_height": {"target": "tool.poker.motion.displacement.1.2", "low": -0.024, "high": -0.012, "start": -0.02},
    }
    return fitted(out, "clay, poked", parameters, experiments)


def read_cases(path: Path) -> dict[str, dict[str, str]]:
    import csv

    with path.open(newline="") as file:
        return {row["case"]: row for row in csv.DictReader(file)}


def poke_files(data: Path, name: str, case: dict[str, str], out: Path) -> float:
    """Scene, surface before and points after, in coordinates whose origin is under the tool; the time [s] of the points.

    It sticks to the table, and has no weight: the law has no yield stress, and would flow under it. The modulus is a guess, as no
    force was measured.
    """
    place = np.array([float(case["tool_start_x_m"]), float(case["tool_start_y_m"]), 0.0])
    top = float(case["tool_start_z_m"])
    before = trimesh.load(data / name / "body_before.obj", process=False)
    write_mesh(out / f"{name}.stl", hull(before.vertices - place))
    depth = -float(case["lowest_dz_m"])
    down, up = (CLEAR + depth) / 0.0357, 0.45  # [s]: 15 mm in 0.42 s
    end = down + up + SETTLED
    tool = {
        "shape": "mesh", "file": str((data / "tools" / f"{case['tool']}.obj").resolve()), "origin": [0.0, 0.0, top + CLEAR],
        "rotation": [0.0, 0.0, np.radians(float(case["tool_rot_z_deg"]))], "friction": 0.3,
        "motion": {
            "type": "path", "times": [0.0, down, down + up],
            "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, -CLEAR - depth], [0.0, 0.0, 0.02]],
        },
    }  # fmt: skip
    material = {"density": 1600.0, "youngs_modulus": 3e4, "poisson": 0.4, "retardation_time": 0.001, "relaxation_time": 0.3}
    scene = {
        "name": name, "time": {"end": end, "frame": 0.02},
        "body": {"clay": {"shape": "filled", "file": f"{name}.stl", "spacing": 0.007, "material": material, "inversion_barrier": {}}},
        "fix": [{"body": "clay", "points": {"min": [-1.0, -1.0, -1.0], "max": [1.0, 1.0, 0.003]}}],
        "tool": {"poker": tool},
    }  # fmt: skip
    write_text(out / f"{name}.toml", tomli_w.dumps(scene))
    heights = np.load(data / name / "height_map_after.npy").astype(float) * 1e-3 - SHIFTED
    middle = before.bounds.mean(axis=0) - place
    x, y = np.meshgrid((np.arange(32) - 15.5) * CELL + middle[0], (np.arange(32) - 15.5) * CELL + middle[1], indexing="ij")
    seen = heights > 0.004  # the rim is shadow
    points = np.stack([x[seen], y[seen], heights[seen]], axis=1)
    write_text(out / f"{name}.xyz", "\n".join(f"{a:.6f} {b:.6f} {c:.6f}" for a, b, c in points) + "\n")
    return end


def hull(points: Any) -> Any:
    """The body meshes are not closed; their hulls are, and the lumps are nearly convex."""
    return trimesh.PointCloud(points).convex_hull


# ---- both


def write_mesh(path: Path, mesh: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    mesh.export(path)


def fitted(out: Path, name: str, parameters: dict[str, Any], experiments: dict[str, Any]) -> Fit:
    path = out / "experiment.toml"
    write_text(path, tomli_w.dumps({"name": name, "parameter": parameters, "experiment": experiments}))
    return run_fit(path, out / "fit", Workplace(notify=print))


def tell(found: Fit) -> None:
    for one in found.estimates.values():
        interval = one.interval
        ends = f"({interval.low:.4g} to {interval.high:.4g})" if interval else one.kept
        print(f"  {one.name} = {one.value:.4g} {one.unit} {ends}")
    for compared in found.compared:
        role = "not fitted" if compared.experiment.held_out else "fitted"
        for comparison in compared.comparisons:
            print(
                f"  {compared.experiment.name} ({role}): "
                + ", ".join(f"{key} {value:.4g}" for key, value in comparison.metrics.items())
            )
    print(f"  {found.evaluations} evaluations in {found.seconds:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("out/measured"))
    options = parser.parse_args()
    for name in PHANTOMS:
        print(f"tissue phantom {name}; modulus by the data's own sheet {MODULI[name]:.4g} Pa")
        tell(phantom(options.data, name, options.out / name))
    print("clay, poked")
    tell(clay(options.data, options.out / "clay"))


if __name__ == "__main__":
    main()
