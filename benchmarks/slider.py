"""What a material slider costs a touched body: python benchmarks/slider.py [--cells 5,5,5 9,9,9] [--changes 300]

Between ticks of 1 ms, each of the sliders of the dough is moved a little. Times are those of taking the new numbers, and of the ticks after
them, among which is the one that looks at the pace of the highest mode anew.
"""

import argparse
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from yawara.live.live import TICK, Live
from yawara.live.material import settings_of
from yawara.live.messages import Change
from yawara.live.presets import preset_scene

TICKS = 5  # after each change


def sizes(text: str) -> tuple[int, int, int]:
    x, y, z = (int(part) for part in text.split(","))
    return x, y, z


def measure(cells: tuple[int, int, int], slider: str, changes: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Points, and times [ms] of changes and of ticks after them."""
    live = Live(preset_scene("dough", cells))
    (body,) = live.scene.body
    for _ in range(20):
        live.tick()
    setting, taken, ticks = settings_of(live.scene.body[body])[slider], [], []
    for n in range(changes):
        value = setting.value * (1.0 + 0.2 * np.sin(0.1 * n))
        begun = time.perf_counter()
        live.carry_out(Change(body, {slider: float(np.clip(value, setting.low, setting.high))}))
        taken.append(time.perf_counter() - begun)
        for _ in range(TICKS):
            begun = time.perf_counter()
            live.tick()
            ticks.append(time.perf_counter() - begun)
    live.close()
    return live.compiled.model.point_count, 1e3 * np.array(taken), 1e3 * np.array(ticks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=sizes, nargs="+", default=[(5, 5, 5), (9, 9, 9)])
    parser.add_argument("--changes", type=int, default=300)
    arguments = parser.parse_args()
    table = Table("points", "slider", "change p50, p90 [ms]", "tick after it p50, p99 [ms]", title=f"ticks of {1e3 * TICK:g} ms")
    for cells in arguments.cells:
        for slider in ("stiffness", "return_time", "residue", "poisson"):
            points, taken, ticks = measure(cells, slider, arguments.changes)
            change, tick = np.percentile(taken, [50, 90]), np.percentile(ticks, [50, 99])
            table.add_row(str(points), slider, f"{change[0]:.2f}, {change[1]:.2f}", f"{tick[0]:.2f}, {tick[1]:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
