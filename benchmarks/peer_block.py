"""Our side of the comparison with other engines: a 0.1 m cube of 216 points, pressed by a plate to 70 % of its height, released.

Prints one line in the peers' format. Simulated over real time is that of whole runs with a row of history every 50 ms, repeated for a few
seconds as one is over in less than a tenth of one; the times of ticks are those of a run that stops after every millisecond of simulated
time, as a haptic loop does. Like in the peers' scripts, the clock stands still while a row is measured and written.
"""

import argparse
import time

import numpy as np

from yawara.frame import Frame
from yawara.scene.compile import compile_scene
from yawara.scene.scene import Scene
from yawara.simulate import Result, prepare_kernels, simulate

EDGE, TICK, FRAME, END = 0.1, 1e-3, 5e-2, 1.5  # [m], [s], [s], [s]
PRESSED, HELD_FROM, HELD_UNTIL = 0.1, 0.4, 0.6  # [s]
LONG_ENOUGH, MOST_RUNS = 2.0, 40  # [s] of runs together, and how many at most


def block_scene(points: int, elements: str = "continuum", *, frame: float = FRAME, step: float | None = None) -> Scene:
    """The peers' protocol: density 1000 kg/m^3, E = 50 kPa, nu = 0.3; the plate comes from 10 mm above and leaves at 1 m/s.

    Without a `step`, the largest stable one is taken. Links need a cavity pressure that keeps the volume; elements do not.
    """
    down = 0.3 * EDGE + 0.01
    block = {
        "shape": "truss",
        "counts": [points] * 3,
        "spacing": EDGE / (points - 1),
        "origin": [-EDGE / 2, -EDGE / 2, 0.0],
        # it flows, as a rheological body does: a part of the deformation stays
        "material": {
            "density": 1000.0,
            "youngs_modulus": 5e4,
            "poisson": 0.3,
            "retardation_time": 1e-3,
            "relaxation_time": 1.0,
        },
    }
    if elements == "links":
        block |= {"elements": "links", "volume": {"cavity": 5e5}}
    return Scene.model_validate(
        {
            "name": "press, hold, release",
            "gravity": [0.0, 0.0, -9.81],
            "time": {"end": END, "frame": frame, "threads": 1} | ({} if step is None else {"step": step}),
            "body": {"block": block},
            "tool": {
                "floor": {"shape": "floor", "friction": 1.0},
                "plate": {
                    "shape": "plate",
                    "friction": 1.0,
                    "size": [0.2, 0.2, 0.02],
                    "origin": [0.0, 0.0, EDGE + 0.01],
                    "motion": {
                        "type": "path",
                        "times": [PRESSED, HELD_FROM, HELD_UNTIL, HELD_UNTIL + 0.08],
                        "displacement": [[0, 0, 0], [0, 0, -down], [0, 0, -down], [0, 0, 0.08 - down]],
                    },
                },
            },
            "contact": {"itself": False, "bodies": False},
            "output": {"positions": False, "energies": False},
        }
    )


class Clock:
    """Notes the wall time of every tick, from the end of one row of the history to where the next one begins."""

    def __init__(self) -> None:
        self.begun, self.done, self.spent = 0.0, 0.0, []

    def progress(self, now: float, end: float) -> None:
        self.done = time.perf_counter()

    def observe(self, frame: Frame) -> None:
        if frame.index:
            self.spent.append(self.done - self.begun)
        self.begun = time.perf_counter()

    @property
    def ticks(self) -> np.ndarray:
        """[ms], without the first ones."""
        return 1e3 * np.array(self.spent[5:])


def timed_run(scene) -> tuple[Result, Clock]:
    clock = Clock()
    return simulate(scene, observers=(clock,), progress=clock.progress), clock


def whole_runs(compiled) -> tuple[Result, float]:
    """The last of several runs, and simulated over real time of all but the first, which warms up."""
    timed_run(compiled)
    spent: list[float] = []
    while sum(spent) < LONG_ENOUGH and len(spent) < MOST_RUNS:
        result, clock = timed_run(compiled)
        spent.append(sum(clock.spent))
    return result, END * len(spent) / sum(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", type=int, nargs="?", default=6, help="along each edge")
    parser.add_argument(
        "--elements", choices=("continuum", "links"), default="continuum", help="continuum is a material's default"
    )
    asked = parser.parse_args()
    compiled = compile_scene(block_scene(asked.points, asked.elements))
    prepare_kernels(compiled)
    result, ratio = whole_runs(compiled)
    fine, clock = timed_run(block_scene(asked.points, asked.elements, frame=TICK, step=TICK))  # split into whole stable ones
    history, ticks = fine.history, clock.ticks
    height, volume, now = history["block.height"], history["block.volume"], history["time"]
    pressed = (now >= PRESSED) & (now < HELD_UNTIL)
    start = np.argmax(now >= PRESSED - TICK / 2)  # at rest under its own weight
    first, content = height[start], volume[start]
    penetration = max(run.history["contact.penetration"].max() for run in (result, fine))
    inverted = max(int(run.history["block.inverted"].max()) for run in (result, fine))
    print(
        f"yawara {asked.elements} | {asked.points**3} | dt={TICK * 1e3:g}ms | ms/step mean={TICK * 1e3 / ratio:.3f} "
        f"p10={np.percentile(ticks, 10):.3f} p50={np.median(ticks):.3f} p99={np.percentile(ticks, 99):.3f} | RTF={ratio:.2f} | "
        f"h0={first * 1e3:.1f} hmin={height[pressed].min() * 1e3:.1f} hend={height[-1] * 1e3:.1f}mm "
        f"residual={100 * (1 - height[-1] / first):.2f}% | vol min={volume[pressed].min() / content:.3f} "
        f"end={volume[-1] / content:.3f} | pen={penetration * 1e3:.2f}mm | "
        f"finite={bool(result.state.is_finite() and fine.state.is_finite())} steps={result.state.step_count} inverted={inverted}",
        flush=True,
    )


if __name__ == "__main__":
    main()
