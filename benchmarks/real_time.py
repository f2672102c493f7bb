"""The largest block that keeps 1 kHz on one core, and 60 Hz on two: python benchmarks/real_time.py [--processor-time]

A cube of 0.1 m of the default elements, E = 10 kPa, density 1000 kg/m^3, is glued to the floor; a plate presses it by 3 mm and holds.
A tick is a millisecond, or a sixtieth of a second, of simulated time with its contacts, in whole steps. A block keeps the rate if the
middle one of its ticks takes no longer than it simulates. Sizes are tried by halving. Ticks follow each other as in a live scene.
"""

import argparse
import time
import warnings
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from yawara.journey import Journey
from yawara.scene.compile import compile_scene
from yawara.scene.scene import Scene
from yawara.simulate import prepare_kernels

EDGE, DEPTH, DOWN_IN, ABOVE = 0.1, 3e-3, 0.1, 1e-4  # [m], [m], [s], [m]
SIZES = (6, 8, 10, 12, 14, 16, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 31, 33, 35, 37, 42, 47)  # points along each edge
TICKS, WARM = 150, 10  # at 1 kHz, and the first ones that do not count


@dataclass(frozen=True)
class Rate:
    name: str
    tick: float  # [s]
    threads: int
    ticks: int


RATES = (Rate("1 kHz", 1e-3, 1, TICKS), Rate("60 Hz", 1 / 60, 2, 40))


def block_scene(points: int, poisson: float, rate: Rate) -> Scene:
    """The plate touches after a thirtieth of its way."""
    material = {"density": 1000.0, "youngs_modulus": 1e4, "poisson": poisson, "retardation_time": 1e-5}
    way = [[0.0, 0.0, 0.0], [0.0, 0.0, -DEPTH - ABOVE]]
    return Scene.model_validate(
        {
            "time": {"end": rate.ticks * rate.tick, "frame": rate.tick, "step": rate.tick, "threads": rate.threads},
            "body": {"block": {"shape": "lattice", "counts": [points] * 3, "spacing": EDGE / (points - 1), "material": material}},
            "fix": [{"body": "block", "points": "bottom"}],
            "tool": {
                "plate": {
                    "shape": "plate",
                    "size": [2 * EDGE, 2 * EDGE, 0.02],
                    "origin": [EDGE / 2, EDGE / 2, EDGE + ABOVE],
                    "friction": 0.5,
                    "motion": {"type": "path", "times": [0.0, DOWN_IN], "displacement": way},
                }
            },
            "contact": {"itself": False, "bodies": False},
            "output": {"positions": False, "energies": False},
        }
    )


@dataclass(frozen=True)
class Measured:
    points: int
    steps: float  # per tick
    middle: float  # [s] per tick
    slow: float  # [s], 99 of 100 take less
    force: float  # [N], of the plate at the end: it did touch


def measured(points: int, poisson: float, rate: Rate, *, processor_time: bool) -> Measured:
    compiled = compile_scene(block_scene(points, poisson, rate))
    prepare_kernels(compiled)
    now = time.process_time if processor_time else time.perf_counter
    spent = []
    with Journey(compiled) as journey:
        for tick in range(rate.ticks):
            begun = now()
            frame = journey.next_frame((tick + 1) * rate.tick)
            spent.append(now() - begun)
            if frame is None:
                raise SystemExit(f"a block of {points}^3 points failed: {journey.failure}")
    cores = rate.threads if processor_time else 1  # the process's time is that of all its threads
    ticks = np.array(spent[WARM:]) / cores
    return Measured(
        points,
        frame.state.step_count / rate.ticks,
        float(np.median(ticks)),
        float(np.percentile(ticks, 99)),
        abs(float(frame.tool_loads[0, 2])),
    )


def largest(poisson: float, rate: Rate, *, processor_time: bool) -> Measured | None:
    """Of the sizes, by halving; None if not even the smallest one keeps the rate."""
    least, beyond, best = 0, len(SIZES), None
    while least < beyond:
        middle = (least + beyond) // 2
        found = measured(SIZES[middle], poisson, rate, processor_time=processor_time)
        kept = found.middle <= rate.tick
        print(f"{rate.name}, nu = {poisson}: {found.points**3} points, {1e3 * found.middle:.2f} ms per tick", flush=True)
        if kept:
            least, best = middle + 1, found
        else:
            beyond = middle
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processor-time", action="store_true", help="without waiting for a core that others use")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # ticks are split into stable steps
    table = Table(title="The largest block that keeps the rate")
    for heading in ("rate", "cores", "nu", "points", "elements", "steps\nper tick", "ms per tick,\np50 / p99", "plate,\nN"):
        table.add_column(heading, justify="right")
    for rate in RATES:
        for poisson in (0.3, 0.45):
            best = largest(poisson, rate, processor_time=asked.processor_time)
            if best is None:
                table.add_row(rate.name, str(rate.threads), str(poisson), "none")
                continue
            table.add_row(
                rate.name,
                str(rate.threads),
                str(poisson),
                str(best.points**3),
                str((best.points - 1) ** 3),
                f"{best.steps:.1f}",
                f"{1e3 * best.middle:.2f} / {1e3 * best.slow:.2f}",
                f"{best.force:.2f}",
            )
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
