"""What a run has to say against itself, though it came to its end: energies that do not add up, inverted cells, deep contacts.

Each doubt is a sentence that names what, how much, when and what helps. All are read off the history, so that a resumed run has the same.
"""

from collections.abc import Iterator

import numpy as np

from yawara.fault import energy_noise
from yawara.methods import SCHEMES
from yawara.observe.energies import balance_error, largest_energy
from yawara.observe.recorder import History
from yawara.plan import StepPlan
from yawara.scene.compile import Compiled
from yawara.tools.contact import Method

BALANCE = 0.01  # of the largest energy, missing
TAKEN_BY_SCHEME = 0.1  # of the largest energy
PENETRATION = 0.05  # of the spacing
DRAG = 0.1  # of the largest force of tools and drives, and of the time, that bodies may be held back by quasi-static steps
SPRINGS = (Method.TIME_INTEGRATED, Method.PENALTY)


def doubts_of(compiled: Compiled, history: History, plan: StepPlan) -> list[str]:
    """Sentences for people; none if all is well."""
    if not history.rows:
        return []
    return [
        *_of_energies(history, energy_noise(compiled.model, plan.largest_step), plan),
        *_of_drag(compiled, history, plan),
        *cells_inside_out(compiled, history),
        *_of_penetration(compiled, history, plan),
        *_of_springs(compiled),
    ]


def is_imbalanced(compiled: Compiled, history: History, plan: StepPlan) -> bool:
    """Whether more energy is missing than the scene accepts."""
    if not history.rows or "energy.balance_error" not in history.names:
        return False
    noise = energy_noise(compiled.model, plan.largest_step)
    return balance_error(history, noise) > compiled.scene.output.energy_tolerance


def _of_energies(history: History, noise: float, plan: StepPlan) -> Iterator[str]:
    if "energy.balance_error" not in history.names or (largest := largest_energy(history)) <= noise:
        return
    if (share := balance_error(history, noise)) > BALANCE:
        missing = history["energy.balance_error"]
        row = int(np.argmax(np.abs(missing)))
        yield (
            f"The energies do not add up: {100 * share:.3g} % of the largest energy in the run ({largest:.3g} J) "
            f"{'is missing' if missing[row] > 0 else 'came from nowhere'} at t = {history['time'][row]:.4g} s; "
            f"{_smaller_steps(plan)}, and see whether the figures that count stay the same."
        )
    if (share := float(np.abs(history["energy.scheme"]).max()) / largest) > TAKEN_BY_SCHEME:
        yield (
            f"The implicit scheme itself took up to {100 * share:.3g} % of the largest energy in the run ({largest:.3g} J), by "
            f"damping that no material has; {_smaller_steps(plan)} where quick motion matters."
        )


def _of_drag(compiled: Compiled, history: History, plan: StepPlan) -> Iterator[str]:
    """What moves as a whole is held back in quasi-static steps: each begins at rest, so m v/dt must push it, p = (2 m T)^(1/2) at most."""
    names = [name for name in history.names if name.endswith((".force_x", ".force_y", ".force_z"))]
    if SCHEMES[plan.integrator].has_inertia or "energy.kinetic" not in history.names or not names:
        return
    mass = float(compiled.model.point.mass.sum())
    drag = np.sqrt(2.0 * mass * history["energy.kinetic"]) / plan.largest_step
    force = float(np.abs([history[name] for name in names]).max())
    if (drag > DRAG * force).mean() > DRAG and force > 0.0:
        row = int(np.argmax(drag))
        yield (
            f"Bodies moved so fast that quasi-static steps held them back, by up to {drag[row]:.3g} N at t = {history['time'][row]:.4g} s "
            f"where tools and drives felt {force:.3g} N at most: every step begins at rest. Set time.integrator to 'implicit_euler', raise "
            f"time.step above {plan.largest_step:.3g} s, or move things more slowly."
        )


def cells_inside_out(compiled: Compiled, history: History, *, is_over: bool = True) -> Iterator[str]:
    """One sentence for each body that has, or had, cells that are flat or inside out."""
    for body in compiled.model.bodies:
        if (name := f"{body.name}.inverted") not in history.names or not (counts := history[name]).any():
            continue
        first = int(np.flatnonzero(counts)[0])
        later = f", {counts.max():.0f} at most, {counts[-1]:.0f} at the end" if is_over else ""
        yield (
            f"Body '{body.name}': {counts[first]:.0f} of {len(body.corners)} cells turned flat or inside out at t = "
            f"{history['time'][first]:.4g} s{later}; its shape, volume and residual are then no longer those of its material: "
            f"{_barrier(compiled, body.name)}, press less, or use a finer mesh."
        )


def _barrier(compiled: Compiled, body: str) -> str:
    if getattr(compiled.scene.body[body], "inversion_barrier", None) is not None:
        return f"raise threshold or stiffness of [body.{body}.inversion_barrier]"
    return f"give the body an inversion barrier (a table [body.{body}.inversion_barrier])"


def _of_penetration(compiled: Compiled, history: History, plan: StepPlan) -> Iterator[str]:
    if "contact.penetration" not in history.names or (spacing := finest_spacing(compiled)) is None:
        return
    depth = history["contact.penetration"]
    row = int(np.argmax(depth))
    if depth[row] > PENETRATION * spacing:
        yield (
            f"Contacts penetrated by up to {1e3 * depth[row]:.3g} mm at t = {history['time'][row]:.4g} s, "
            f"{100 * depth[row] / spacing:.3g} % of the spacing of {1e3 * spacing:.3g} mm: what tools feel is too soft there; "
            f"{_smaller_steps(plan)}, or press more slowly."
        )


def _of_springs(compiled: Compiled) -> Iterator[str]:
    """Contact springs whose stiffness was derived from the step."""
    contact, has_tools = compiled.scene.contact, bool(compiled.scene.tool)
    if contact is not None and has_tools and contact.method in SPRINGS and contact.stiffness is None:
        yield (
            f"Contacts are springs (contact.method = '{contact.method}') whose stiffness was derived from the time step: what tools "
            "feel and how far things sink in depends on it; set contact.method to 'impulse' for forces without the step, or give "
            "contact.stiffness."
        )


def finest_spacing(compiled: Compiled) -> float | None:
    """[m], of the body whose short links are shortest: diagonals do not count."""
    rest = compiled.model.rest_position
    found = [
        float(np.quantile(np.linalg.norm(rest[body.links[:, 1]] - rest[body.links[:, 0]], axis=1), 0.1))
        for body in compiled.model.bodies
        if len(body.links)
    ]
    return min(found, default=None)


def _smaller_steps(plan: StepPlan) -> str:
    return f"lower time.step below {plan.largest_step:.3g} s (half of it is a good try)"
