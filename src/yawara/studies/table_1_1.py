"""Table 1.1: the largest truss block that is updated at 100 Hz and at 1000 Hz, with Runge-Kutta steps, on one PC.

Printed for an AthlonXP 2400+: 2857 and 661 edges with the three-element links alone, 1385 and 252 with topology, volume effect,
force-dependent damper and contact with the operation point. Here every update is one RK4 step of the block, measured, not extrapolated;
the operation point is a small sphere that is pressed into the middle of the top, and the block stands on a floor.
"""

import time
from collections.abc import Iterator
from typing import Any

from yawara.laws import AnyLaw, ForceDependentDamper, ThreeElement
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.plan import processors
from yawara.scene.bodies import Truss
from yawara.scene.compile import compile_scene
from yawara.scene.scene import IntegratorName, Scene, Time
from yawara.scene.tools import AnyTool, Floor, Sphere
from yawara.studies.row import StudyRow

NAME, TITLE = "table_1_1", "largest block at 100 Hz and 1000 Hz (Table 1.1)"
WINDOWS = 31
LARGEST_EDGE = 110  # points per edge: 1.3 million points

LINKS_ALONE = ThreeElement(k1=100.0, c1=0.05, c2=10.0)
SOFTENING = ForceDependentDamper(k1=100.0, c1=0.05, c_max=20.0, c_min=2.0, f1=0.01, f2=0.1)


EXTRAS: dict[str, Any] = {"inversion_barrier": {}, "volume": {"cavity": 1e5, "cavity_damping": 100.0}}
OVERHEAD_EDGE = 16  # points
SPACING = 0.01  # [m]


def tools_on(edge: int) -> dict[str, AnyTool]:
    """A floor, and the operation point in the middle of the top, a fiftieth of a cell deep."""
    middle, radius = 0.5 * (edge - 1) * SPACING, 1.5 * SPACING
    finger = Sphere(radius=radius, origin=(middle, middle, (edge - 1.02) * SPACING + radius), friction=0.3)
    return {"floor": Floor(friction=0.3), "finger": finger}


def seconds_per_step(edge: int, law: AnyLaw, threads: int, *, touched: bool = False, **extras: Any) -> tuple[float, int]:
    """Median time [s] of one RK4 step of a block of edge^3 points, and its number of links."""
    block = Truss(counts=(edge,) * 3, spacing=SPACING, mass=1e-3 * edge**3, law=law, **extras)
    time_of_run = Time(end=1.0, integrator=IntegratorName.RK4)
    tools = tools_on(edge) if touched else {}
    compiled = compile_scene(Scene(time=time_of_run, body={"block": block}, gravity=(0, 0, -9.81), tool=tools))
    runner = Runner(compiled.model, SCHEMES["rk4"], threads=threads, account=False)
    control = compiled.control.stretch(0.0, 1.0)
    durations = []
    for _ in range(WINDOWS):
        begin = time.perf_counter()
        runner.advance(compiled.state, control, 0, 1, 1e-4)
        durations.append(time.perf_counter() - begin)
    runner.close()
    return sorted(durations)[WINDOWS // 2], compiled.model.link_count


def largest_block(rate: float, law: AnyLaw, threads: int, **extras: Any) -> int:
    """Links of the largest cube that keeps the rate [Hz]; by bisection on its edge."""
    low, high, links = 3, LARGEST_EDGE, 0
    while high - low > 1:
        edge = (low + high) // 2
        duration, count = seconds_per_step(edge, law, threads, **extras)
        if duration <= 1.0 / rate:
            low, links = edge, count
        else:
            high = edge
    return links


def rows() -> Iterator[StudyRow]:
    threads = processors()
    for rate, alone, everything in ((100, 2857, 1385), (1000, 661, 252)):
        yield StudyRow(NAME, f"{rate} Hz, links alone", "edges", alone, largest_block(rate, LINKS_ALONE, threads), low=alone)
        ours = largest_block(rate, SOFTENING, threads, touched=True, **EXTRAS)
        yield StudyRow(NAME, f"{rate} Hz, everything on", "edges", everything, ours, low=everything)
    bare, _ = seconds_per_step(OVERHEAD_EDGE, LINKS_ALONE, 1)
    for name, extras in (
        ("topology", {"inversion_barrier": EXTRAS["inversion_barrier"]}),
        ("volume of the whole", {"volume": EXTRAS["volume"]}),
        ("topology and volume", EXTRAS),
        ("contact", {"touched": True}),
    ):
        loaded, _ = seconds_per_step(OVERHEAD_EDGE, LINKS_ALONE, 1, **extras)
        yield StudyRow(
            NAME, f"time of a step with {name}, over bare links ({OVERHEAD_EDGE}^3 points, 1 thread)", "1", None, loaded / bare
        )
