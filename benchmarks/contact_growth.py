"""Time per step of two slabs that lie on each other, and of the search for what can touch, from 1 000 to 100 000 surface elements.

Prints, for each size, surface elements, contacts that act, µs per step without and with contact, ns per surface element that contact
costs, and ms per search; last, how the cost per element grows from the smallest to the largest.
"""

import time

import numpy as np

from yawara.kernels.records import Bound
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.scene import Scene
from yawara.terms.contact.broad_phase import find_candidates
from yawara.terms.contact.term import ContactTerm

SIDES = (12, 36, 112)  # points along a slab: about 1 000, 10 000 and 100 000 triangles on the two
SPACING = 0.01  # [m]
REPEATS = 5


def slabs(side: int, *, touching: bool) -> Scene:
    """One slab on the floor, the other one on it, a little turned out of step so that nodes meet faces."""
    law = {"type": "voigt", "k": 1000.0, "c": 0.5}
    body = {"shape": "truss", "counts": [side, side, 3], "spacing": SPACING, "density": 1000.0, "law": law}
    bodies = {"lower": body, "upper": {**body, "origin": [0.3 * SPACING, 0.4 * SPACING, 2 * SPACING]}}
    contact = {"contact": {"friction": 0.3}, "tool": {"floor": {"shape": "floor"}}} if touching else {}
    return Scene.model_validate({"gravity": [0, 0, -9.81], "time": {"end": 1.0, "threads": 1}, "body": bodies, **contact})


def time_per_step(compiled: Compiled) -> tuple[float, int]:
    """[µs], and how many contacts act; the best of a few repeats."""
    state, control = compiled.state.copy(), compiled.control.stretch(0.0, 1.0)
    runner, dt = Runner(compiled.model, SCHEMES["semi_implicit_euler"]), compiled.model.stable_step["semi_implicit_euler"]
    steps = max(20, 2_000_000 // compiled.model.link_count)
    runner.advance(state, control, 0, steps, dt)
    best = np.inf
    for _ in range(REPEATS):
        begin = time.perf_counter()
        runner.advance(state, control, 0, steps, dt)
        best = min(best, (time.perf_counter() - begin) / steps)
    touching = int(runner.log[-1, -2]) if runner.log.shape[1] else 0
    runner.close()
    return 1e6 * best, touching


def time_of_search(compiled: Compiled) -> float:
    """[ms]"""
    best, surface = np.inf, next(term for term in compiled.model.terms if isinstance(term, ContactTerm)).surface
    bound = Bound(surface)
    for _ in range(REPEATS):
        begin = time.perf_counter()
        find_candidates(bound, surface, compiled.state.position[surface.node])
        best = min(best, time.perf_counter() - begin)
    return 1e3 * best


def main() -> None:
    costs = []
    for side in SIDES:
        apart, together = compile_scene(slabs(side, touching=False)), compile_scene(slabs(side, touching=True))
        elements = sum(len(body.triangles) for body in together.model.bodies)
        alone, _ = time_per_step(apart)
        both, touching = time_per_step(together)
        search = time_of_search(together)
        costs.append(1e3 * (both - alone) / elements)
        print(
            f"{elements:>7} surface elements, {touching:>6} contacts: {alone:>9.1f} us/step without, {both:>9.1f} with contact, "
            f"{costs[-1]:>6.1f} ns/element; search {search:>7.2f} ms, {1e6 * search / elements:>6.1f} ns/element",
            flush=True,
        )
    print(f"cost per element, largest over smallest: {costs[-1] / costs[0]:.2f}")


if __name__ == "__main__":
    main()
