"""What each family of elements costs: time per point and step, and how many points keep up with 1 kHz and with 60 Hz on this machine.

A cube of 0.1 m, E = 10 kPa, density 1000 kg/m^3, nothing touches it; one thread. Times are the least of several runs, in turn; steps are
the largest stable ones. `--growth` follows the default family from 10^3 to 10^5 elements.
"""

import argparse
import time
import warnings

from rich.console import Console
from rich.table import Table

from yawara.scene.compile import compile_scene
from yawara.scene.scene import Scene
from yawara.simulate import prepare_kernels, simulate

EDGE, STEPS, TURNS = 0.1, 3000, 3  # [m]
LONGEST, FEWEST = 3_000_000, 100  # elements times steps of a run that follows the growth, and its steps
SOFT = {"density": 1000.0, "youngs_modulus": 1e4, "poisson": 0.45, "retardation_time": 1e-4}
FLOWING = SOFT | {"relaxation_time": 5.0}
FAMILIES = {
    "links, truss": ("truss", "links", SOFT),
    "links, lattice": ("lattice", "links", SOFT),
    "polyhedra, cubes": ("lattice", "polyhedra", {**SOFT, "poisson": 0.25}),
    "shear and volume, tetrahedra": ("truss", "shear_volume", SOFT),
    "small strain, tetrahedra": ("truss", "small_strain", SOFT),
    "continuum, boxes": ("lattice", "continuum", SOFT),
    "continuum, boxes, flowing": ("lattice", "continuum", FLOWING),
    "continuum, nodal": ("truss", {"type": "continuum", "cells": "nodal"}, SOFT),
    "continuum, nodal, flowing": ("truss", {"type": "continuum", "cells": "nodal"}, FLOWING),
    "continuum, simple": ("truss", {"type": "continuum", "cells": "simple"}, SOFT),
}


def compiled(name: str, points: int, steps: int = STEPS):
    """Ready to run so many of its largest stable steps."""
    shape, elements, material = FAMILIES[name]
    body = {"shape": shape, "counts": [points] * 3, "spacing": EDGE / (points - 1), "material": material, "elements": elements}
    scene = {"time": {"end": 1.0, "frame": 1.0, "threads": 1}, "body": {"body": body}}
    scene["output"] = {"positions": False, "energies": False}
    step = compile_scene(Scene.model_validate(scene)).model.stable_step["semi_implicit_euler"]
    scene["time"] |= {"end": steps * step, "frame": steps * step / 4, "step": step}
    found = compile_scene(Scene.model_validate(scene))
    prepare_kernels(found)
    return found, step


def seconds_per_step(model) -> float:
    begun = time.process_time()
    result = simulate(model)
    return (time.process_time() - begun) / result.state.step_count


def elements_of(name: str, model) -> int:
    body = model.model.bodies[0]
    if name.startswith("links"):
        return len(body.links)
    return len(body.cells["hexahedron"]) if "hexahedron" in body.cells else len(body.elements)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10, help="along each edge (10)")
    parser.add_argument("--growth", action="store_true", help="of the default family, up to 10^5 elements")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    console = Console(width=130)
    if asked.growth:
        costs = []
        for points in (11, 17, 23, 31, 47):
            count = (points - 1) ** 3
            model, step = compiled("continuum, boxes, flowing", points, max(FEWEST, LONGEST // count))
            costs.append(min(seconds_per_step(model) for _ in range(TURNS)) / count)
            print(f"{count} elements: {costs[-1] * 1e9:.1f} ns per element and step, step {step * 1e6:.0f} us", flush=True)
        print(f"largest over least cost per element: {max(costs) / min(costs):.2f}")
        return
    models = {name: compiled(name, asked.points) for name in FAMILIES}
    best = dict.fromkeys(models, float("inf"))
    for _ in range(TURNS):
        for name, (model, _) in models.items():
            best[name] = min(best[name], seconds_per_step(model))
    table = Table(title=f"A cube of {asked.points**3} points, one thread")
    for heading in ("family", "elements", "ns per element\nand step", "ns per point\nand step", "step, us", "simulated\n/ real"):
        table.add_column(heading, justify="left" if heading == "family" else "right")
    for name, (model, step) in models.items():
        each, points = best[name], asked.points**3
        count = elements_of(name, model)
        table.add_row(
            name,
            str(count),
            f"{each / count * 1e9:.1f}",
            f"{each / points * 1e9:.1f}",
            f"{step * 1e6:.0f}",
            f"{step / each:.1f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
