"""Silicone between plates, to a third of its height: Yeoh's numbers from one measured press, the force of another predicted with them.

    python benchmarks/phantom.py DATA [--out DIR] [--friction MU] [--poisson NU] [--points N]

DATA is a directory with the open measurements `phantom_compression` (Dawood et al. 2026, CC BY 4.0), which are no part of this project:
take them from github.com/abubakardawood/tissue-phantom-material-database, and put each data/NAME/NAME_A1.csv and NAME_B1.csv into
DATA/phantom_compression.

The source does not say whether the plates were oiled. They are without friction here, as in its authors' own fits; with --friction the
numbers of the material become others. Plates press within one second what took two minutes: these data tell no time, and the body is too
light to notice.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from measured import PHANTOMS, RADIUS
from scipy.optimize import lsq_linear

from yawara.calibrate.fit import Fit
from yawara.calibrate.fit_job import Workplace, run_fit
from yawara.calibrate.reading.table import ColumnChoice, read_table
from yawara.files import write_text
from yawara.kernels.kinds import Floats
from yawara.materials import Yeoh

HEIGHT = 0.03  # [m]
WIDE = 0.045  # [m] of a block as high as the cylinder; without friction the shape of its section does not matter
AREA = np.pi * RADIUS**2
SECTION = WIDE**2 / AREA  # by that forces are scaled
DEPTH, TOOK = 0.02, 120.0  # [m], [s]
END, FRAMES = 1.0, 120  # [s] of the scene; a row has the mean of a frame, which is that of its middle
NAMES = ("C1", "C2", "C3")


@dataclass(frozen=True)
class Press:
    """How the press is computed."""

    friction: float = 0.0
    poisson: float = 0.49
    points: int = 4  # along a side; three cells for every two of the height


def table(data: Path, name: str, test: str) -> Path:
    return (data / "phantom_compression" / f"{name}_{test}.csv").resolve()


def measured_press(path: Path) -> tuple[Floats, Floats]:
    """(stretch, force [N])"""
    choices = {"way": ColumnChoice("Compression (mm)", dimension="m"), "force": ColumnChoice("Load (N)", dimension="N")}
    found = read_table(path, choices)
    return 1.0 - found["way"] / HEIGHT, found["force"]


def of_a_bar(path: Path) -> Floats:
    """C1, C2, C3 [Pa] by which an incompressible bar with free sides comes nearest: where the search begins."""
    stretch, force = measured_press(path)
    columns = [Yeoh.model_construct(C1=a, C2=b, C3=c).nominal_stress(stretch) for a, b, c in np.eye(3)]
    return lsq_linear(-AREA * np.stack(columns, axis=1), force).x


def press_scene(energy: Floats, how: Press) -> dict[str, Any]:
    """A block on a floor, under a plate."""
    spacing = WIDE / (how.points - 1)
    counts = (how.points, how.points, round(HEIGHT / spacing) + 1)
    body = {
        "shape": "lattice", "counts": counts, "spacing": spacing, "origin": [-WIDE / 2, -WIDE / 2, 0.0],
        "elements": "continuum",
        "material": {
            "density": 1070.0, "poisson": how.poisson, "retardation_time": 0.001,
            "energy": {"type": "yeoh", **dict(zip(NAMES, map(float, energy), strict=True))},
        },
    }  # fmt: skip
    motion = {
        "type": "path",
        "times": [0.0, END],
        "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, -DEPTH]],
        "interpolation": "linear",
    }
    plate = {"shape": "plate", "size": [0.2, 0.2, 0.01], "origin": [0.0, 0.0, HEIGHT], "friction": how.friction, "motion": motion}
    return {
        "name": "silicone between plates",
        "time": {"end": END, "frame": END / FRAMES, "integrator": "semi_implicit_euler", "threads": 1},
        "body": {"phantom": body},
        "tool": {"floor": {"shape": "floor", "friction": how.friction}, "plate": plate},
    }


def fit_press(data: Path, name: str, out: Path, how: Press, place: Workplace) -> Fit:
    """Yeoh's numbers from test A1; B1 is held out."""
    start = of_a_bar(table(data, name, "A1"))
    write_text(out / "press.toml", tomli_w.dumps(press_scene(start, how)))
    noise = 0.01 * float(measured_press(table(data, name, "A1"))[1].max())
    experiments = {}
    for test in ("A1", "B1"):
        curve = {
            "file": str(table(data, name, test)), "quantity": "plate.force_z", "time": {"column": "Time (s)", "scale": END / TOOK},
            "value": {"column": "Load (N)", "scale": SECTION}, "noise": noise, "shift": END / FRAMES / 2, "until": END, "every": 10,
        }  # fmt: skip
        experiments[test] = {"scene": "press.toml", "held_out": test != "A1", "curve": [curve]}
    near = {"C1": (0.2, 2.0), "C2": (-0.1, 0.2), "C3": (0.002, 0.2)}  # of C1 of a bar
    parameters = {
        one: {
            "target": f"body.phantom.material.energy.{one}", "low": near[one][0] * start[0], "high": near[one][1] * start[0],
            "start": float(np.clip(value, near[one][0] * start[0], near[one][1] * start[0])), "unit": "Pa", "log": False,
        }
        for one, value in zip(NAMES, start, strict=True)
    }  # fmt: skip
    search = {"method": "least_squares", "cost_tolerance": 0.01, "step_tolerance": 1e-3}  # far below what tests differ by
    file = {
        "name": f"silicone {name}", "parameter": parameters, "experiment": experiments, "search": search, "intervals": ["linear"]
    }  # fmt: skip
    write_text(out / "experiment.toml", tomli_w.dumps(file))
    return run_fit(out / "experiment.toml", out / "fit", place)


def misses(found: Fit) -> dict[str, tuple[float, float]]:
    """Of each test, (rms, largest) miss over the largest measured force."""
    return {one.experiment.name: _over_the_peak(one.comparisons[0].details) for one in found.compared}


def _over_the_peak(curve: Any) -> tuple[float, float]:
    away = np.asarray(curve["simulated"]) - np.asarray(curve["measured"])
    peak = float(np.abs(curve["measured"]).max())
    return float(np.sqrt(np.mean(away**2))) / peak, float(np.abs(away).max()) / peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("out/phantom"))
    parser.add_argument("--friction", type=float, default=Press.friction)
    parser.add_argument("--poisson", type=float, default=Press.poisson)
    parser.add_argument("--points", type=int, default=Press.points)
    parser.add_argument("--only", choices=PHANTOMS, help="one silicone")
    options = parser.parse_args()
    if not (options.data / "phantom_compression").is_dir():
        parser.error(
            f"there is no {options.data / 'phantom_compression'}; the head of this file says where the measurements are from"
        )
    how = Press(options.friction, options.poisson, options.points)
    for name in [options.only] if options.only else PHANTOMS:
        found = fit_press(options.data, name, options.out / name, how, Workplace(notify=print))
        numbers = ", ".join(f"{one} = {found.values[one]:.1f} Pa" for one in NAMES)
        print(f"{name}: {numbers}; of a bar {', '.join(f'{one:.1f}' for one in of_a_bar(table(options.data, name, 'A1')))}")
        for test, (rms, largest) in misses(found).items():
            print(f"  {test}: rms {100 * rms:.2f} %, largest {100 * largest:.2f} % of the largest force")
        print(f"  {found.evaluations} evaluations in {found.seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
