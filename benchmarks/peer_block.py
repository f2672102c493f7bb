"""Our side of the comparison with other engines: a 0.1 m cube of 216 points, pressed by a plate to 70 % of its height, released.

Prints one line in the peers' format. Simulated over real time is that of a run with a row of history every 10 ms; the times of ticks are
those of a second run that stops after every millisecond of simulated time, as a haptic loop does. Like in the peers' scripts, the clock
stands still while a row is measured and written.
"""

import argparse
import time

import numpy as np

from yawara.frame import Frame
from yawara.scene.compile import compile_scene
from yawara.scene.scene import Scene
from yawara.simulate import prepare_kernels, simulate

EDGE, TICK, FRAME, END = 0.1, 1e-3, 1e-2, 1.5  # [m], [s], [s], [s]
STEP = FRAME / 18  # [s], just below the largest stable one
PRESSED, HELD_FROM, HELD_UNTIL = 0.1, 0.4, 0.6  # [s]


def block_scene(points: int, frame: float = FRAME, step: float = STEP) -> Scene:
    """The peers' protocol: density 1000 kg/m^3, E = 50 kPa; the plate comes from 10 mm above and leaves at 1 m/s.

    The volume effect is on: a cavity pressure keeps the volume.
    """
    spacing = EDGE / (points - 1)
    down = 0.3 * EDGE + 0.01
    return Scene.model_validate(
        {
            "name": "press, hold, release",
            "gravity": [0.0, 0.0, -9.81],
            "time": {"end": END, "frame": frame, "step": step, "threads": 1},
            "body": {
                "block": {
                    "shape": "truss",
                    "counts": [points] * 3,
                    "spacing": spacing,
                    "origin": [-EDGE / 2, -EDGE / 2, 0.0],
                    # it flows, as a rheological body does: a part of the deformation stays
                    "material": {
                        "density": 1000.0,
                        "youngs_modulus": 5e4,
                        "poisson": 0.3,
                        "retardation_time": 1e-3,
                        "relaxation_time": 1.0,
                    },
                    "volume": {"cavity": 5e5},
                }
            },
            "tool": {
                "floor": {"shape": "floor"},
                "plate": {
                    "shape": "plate",
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", type=int, nargs="?", default=6, help="along each edge")
    count = parser.parse_args().points
    compiled = compile_scene(block_scene(count))
    prepare_kernels(compiled)
    whole, clock = Clock(), Clock()
    result = simulate(compiled, observers=(whole,), progress=whole.progress)
    ratio = END / sum(whole.spent)
    simulate(block_scene(count, TICK, TICK / 3), observers=(clock,), progress=clock.progress)
    history, ticks = result.history, clock.ticks
    height, volume, now = history["block.height"], history["block.volume"], history["time"]
    pressed = (now >= PRESSED) & (now < HELD_UNTIL)
    first = height[np.argmax(now >= PRESSED)]
    penetration = history["contact.penetration"].max()
    print(
        f"yawara truss | {count**3} | dt={TICK * 1e3:g}ms | ms/step mean={TICK * 1e3 / ratio:.3f} p10={np.percentile(ticks, 10):.3f} "
        f"p50={np.median(ticks):.3f} p99={np.percentile(ticks, 99):.3f} | RTF={ratio:.2f} | "
        f"h0={first * 1e3:.1f} hmin={height[pressed].min() * 1e3:.1f} hend={height[-1] * 1e3:.1f}mm "
        f"residual={100 * (1 - height[-1] / first):.2f}% | vol min={volume[pressed].min() / volume[0]:.3f} "
        f"end={volume[-1] / volume[0]:.3f} | pen={penetration * 1e3:.2f}mm | finite={bool(result.state.is_finite())} "
        f"steps={result.state.step_count} inverted={int(history['block.inverted'].max())}",
        flush=True,
    )


if __name__ == "__main__":
    main()
