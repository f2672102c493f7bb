"""Linear finite elements with memory of Hirai 2005 (English ch. 5), beside the rate of their memory as printed.

The memory of three elements, w in stress = w + c1 c2/(c1 + c2) e', is printed with the rate -E/(c1 + c2) (w - c2 e'): eqs. (5.9), (5.10)
and (5.22). Differentiating the integral that defines it gives -E/(c1 + c2) (w - c2^2/(c1 + c2) e'). The printed one makes w too large by
(c1 + c2)/c2, and a body that flows steadily as viscous as c2 + c1 c2/(c1 + c2). The source prints no numbers: the column "printed" has
those that follow from its equation, and ours are held against closed forms. A bar is strained along a cosine and along a ramp, a beam of
four elements is pulled by a constant force (E = 30, c1 = 20, c2 = 500 as in sec. 5.3.3, taken for SI units).

The examples are those of Figs. 5.3 to 5.6: a rigid bar is pressed into a body and lifted again. A viscoplastic body (E = 300, c = 500)
keeps its shape, a rheological one returns in part, and "the stress is relaxed after the contact is lost". Sizes, density, depth and times
are not told; ours are a slice of 2 m by 1 m, 100 kg/m^3, 0.1 m within 1 s, held until 11 s. The force on a top that is held down falls
with c/E and (c1 + c2)/E; it is found without inertia.

Elements of small strains feel rigid rotations: two squares of the viscoplastic body, at once after being turned, show how much.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from yawara.frame import Frame
from yawara.kernels.kinds import Floats
from yawara.laws import ThreeElement
from yawara.methods.fields import fields_of
from yawara.methods.tensors import von_mises
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene
from yawara.scene.scene import Scene
from yawara.simulate import simulate
from yawara.studies.row import StudyRow
from yawara.warm import ensure_compiled, note_kernels

NAME, TITLE = "fe_memory", "linear finite elements with memory: as printed, put right, and pressed"
E, C1, C2 = 30.0, 20.0, 500.0  # [Pa], [Pa s], [Pa s]
JOINED = C1 * C2 / (C1 + C2)  # [Pa s], of both dampers in a row
SPEED, SWING = 0.01, 0.05  # [1/s], and strain
LENGTH, SECTION, PULL = 0.4, 0.01, 0.01  # [m], [m^2], [N]
RHEOLOGICAL: dict[str, Any] = {"type": "small_strain", "youngs_modulus": E, "viscosity": C1, "flow_viscosity": C2}
VISCOPLASTIC: dict[str, Any] = {"type": "small_strain", "youngs_modulus": 300.0, "flow_viscosity": 500.0}
BODIES = {"viscoplastic": (VISCOPLASTIC, 500.0 / 300.0), "rheological": (RHEOLOGICAL, (C1 + C2) / E)}  # and times [s]
WIDTH, HEIGHT, DEPTH, CELLS = 2.0, 1.0, 0.1, 10  # [m], and squares over the height
PRESSED, LIFTED, END = 1.0, 11.0, 30.0  # [s]
ROUGH = 2e-6  # of strains in straight pieces, and of steps


# ---- the rate as printed


def printed_stress(rate: Callable[[float], float], time: float) -> float:
    """[Pa], at `time` [s] under strains that change with `rate` [1/s]."""
    found = solve_ivp(lambda t, w: -E / (C1 + C2) * (w - C2 * rate(t)), (0.0, time), [0.0], rtol=1e-11, atol=1e-13)
    return float(found.y[0, -1] + JOINED * rate(time))


def printed_creep(time: float) -> float:
    """[m], of a beam's end at `time` [s] under a constant force."""

    def rates(_: float, y: Floats) -> list[float]:
        speed = (PULL / SECTION - y[0]) / JOINED
        return [-E / (C1 + C2) * (y[0] - C2 * speed), speed]

    return LENGTH * float(solve_ivp(rates, (0.0, time), [0.0, 0.0], rtol=1e-11, atol=1e-13).y[1, -1])


# ---- ours


def bar_stress(strain: Callable[[float], float], time: float, pieces: int = 2000) -> float:
    """[Pa], of one element whose end is moved in straight pieces; `time` is in the middle of one, where slopes are right."""
    step = time / (pieces - 0.5)
    times = [step * n for n in range(pieces + 1)]
    data = {
        "time": {"end": time, "frame": time, "step": step, "integrator": "rk4"},
        "body": {"bar": {"shape": "chain", "counts": [2], "spacing": 1.0, "cross_section": 1.0, "mass": 1.0, "elements": RHEOLOGICAL}},
        "fix": [{"body": "bar", "points": "first"}],
        "drive": [{"name": "end", "body": "bar", "points": "last", "times": times, "displacement": [[strain(t), 0.0, 0.0] for t in times]}],
    }  # fmt: skip
    return float(simulate(read_scene(data)).history["end.force_x"][-1])


def beam_end(time: float, step: float) -> float:
    """[m], of four elements without mass worth the name."""
    beam = {
        "shape": "chain",
        "counts": [5],
        "spacing": LENGTH / 4,
        "cross_section": SECTION,
        "mass": 1e-9,
        "elements": RHEOLOGICAL,
    }
    data = {
        "time": {"end": time, "frame": time, "step": step, "integrator": "implicit_euler"},
        "body": {"beam": beam},
        "fix": [{"body": "beam", "points": "first"}],
        "force": [{"body": "beam", "points": "last", "times": [0.0], "force": [[PULL, 0.0, 0.0]]}],
    }
    return float(simulate(read_scene(data)).state.position[-1, 0] - LENGTH)


def extrapolated(time: float) -> float:
    """[m], that end without the errors of first and second order in the step."""
    a, b, c = (beam_end(time, 0.02 / 2**n) for n in range(3))
    return (8.0 * c - 6.0 * b + a) / 3.0


def press(name: str, *, bar: bool = True) -> Scene:
    """A body under a rigid bar that goes down and back, or with its whole top held down by DEPTH."""
    table, _ = BODIES[name]
    counts, spacing = (round(WIDTH / HEIGHT * CELLS) + 1, CELLS + 1), HEIGHT / CELLS
    body = {
        "shape": "sheet", "counts": counts, "spacing": spacing, "thickness": 1.0, "pattern": "alternating",
        "density": 100.0 if bar else 1e-3,
        "elements": {**table, "poisson": 0.35, "plane": "strain"},
    }  # fmt: skip
    data: dict[str, Any] = {"time": {"end": END, "frame": 0.5}, "body": {name: body}, "fix": [{"body": name, "points": "bottom"}]}
    up, down = [0.0, 0.0, 0.0], [0.0, -DEPTH, 0.0]
    if bar:
        data["time"]["step"] = 5e-3
        moving = {"type": "path", "times": [0.0, PRESSED, LIFTED, LIFTED + PRESSED], "displacement": [up, down, down, up]}
        place = [0.5 * WIDTH, HEIGHT + 0.05, 0.0]
        data["tool"] = {"bar": {"shape": "box", "size": [0.4 * WIDTH, 0.1, 0.1], "origin": place, "motion": moving}}
    else:
        data["time"] |= {"integrator": "quasi_static", "step": 0.1}
        data["drive"] = [{"name": "top", "body": name, "points": "top", "times": [0.0, PRESSED], "displacement": [up, down]}]
    return read_scene(data)


class Watched:
    """How deep the dent is and how large the largest von Mises stress, frame by frame."""

    def __init__(self) -> None:
        self.depth, self.stress = list[float](), list[float]()

    def observe(self, frame: Frame) -> None:
        ensure_compiled(note_kernels(frame.model.terms))
        body = frame.model.bodies[0]
        X, x = frame.model.rest_position[body.points], frame.state.position[body.points]
        middle = int(np.argmin(np.abs(X - [0.5 * WIDTH, HEIGHT, 0.0]).sum(axis=1)))
        self.depth.append(float(HEIGHT - x[middle, 1]))
        self.stress.append(float(von_mises(fields_of(frame.model).stress(frame.state)[body.points]).max()))


def turned(degrees: float) -> float:
    """[N], norm of the forces of two squares of 1 m that were turned, and nothing else."""
    elements = {**VISCOPLASTIC, "poisson": 0.35, "plane": "strain"}
    body = {"shape": "sheet", "counts": [3, 2], "spacing": 1.0, "thickness": 1.0, "mass": 1.0, "elements": elements}
    compiled = compile_scene(read_scene({"time": {"end": 1.0}, "body": {"squares": body}}))
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    state = compiled.state.copy()
    state.position[:, :2] = compiled.model.rest_position[:, :2] @ np.array([[c, s], [-s, c]])
    return float(np.linalg.norm(Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force))


# ---- rows


def rows() -> Iterator[StudyRow]:
    yield from _of_bars()
    yield from _of_beams()
    yield from _of_presses()
    for degrees, force in ((10.0, 22.507033), (90.0, 1481.481481)):
        yield _found(f"two squares turned by {degrees:g} degrees: norm of their forces", "N", None, turned(degrees), force)


def _found(row: str, unit: str, printed: float | None, ours: float, truth: float, tolerance: float = 1e-6) -> StudyRow:
    """Ours against the truth, beside what the equation as printed gives."""
    return StudyRow(NAME, row, unit, printed, ours, truth - tolerance, truth + tolerance)


def _of_bars() -> Iterator[StudyRow]:
    ours = bar_stress(lambda t: SWING * (1.0 - np.cos(t)), 5.0)
    printed = printed_stress(lambda t: SWING * np.sin(t), 5.0)
    yield _found("bar, strain 0.05 (1 - cos t): stress at 5 s", "Pa", printed, ours, cosine_stress(5.0), ROUGH)
    law = ThreeElement(k1=E, c1=C1, c2=C2)
    for time in (1.0, 5.0, 600.0):
        ours, truth = bar_stress(lambda t: SPEED * t, time, 200), float(law.relaxation(time, SPEED * time, time))
        yield _found(f"bar, strain 0.01 t: stress at {time:g} s", "Pa", printed_stress(lambda t: SPEED, time), ours, truth)


def cosine_stress(time: float) -> float:
    """[Pa], the convolution of the relaxation function with the rate of the strain, SWING sin t."""
    a, k = E / (C1 + C2), E * (C2 / (C1 + C2)) ** 2
    # int_0^t exp(-a (t - s)) sin s ds = (a sin t - cos t + exp(-a t)) / (1 + a^2)
    held = (a * np.sin(time) - np.cos(time) + np.exp(-a * time)) / (1.0 + a * a)
    return float(SWING * (k * held + JOINED * np.sin(time)))


def _of_beams() -> Iterator[StudyRow]:
    for time in (1.0, 5.0):
        # L f/A ((1 - exp(-E t/c1))/E + t/c2)
        truth = LENGTH * PULL / SECTION * ((1.0 - np.exp(-E * time / C1)) / E + time / C2)
        yield _found(f"beam of four: end at {time:g} s", "m", printed_creep(time), extrapolated(time), truth, 1e-8)


KEPT = {"viscoplastic": (0.9, 1.1), "rheological": (0.2, 0.7)}  # of the depth, at the end


def _of_presses() -> Iterator[StudyRow]:
    for name, (_, time) in BODIES.items():
        force = simulate(press(name, bar=False)).history
        late = force["time"] > PRESSED
        fall = np.polyfit(force["time"][late], np.log(np.abs(force["top.force_y"][late])), 1)[0]
        yield _found(
            f"{name}, top held down: time in which the force falls to 1/e", "s", time, -1.0 / float(fall), time, 1e-4 * time
        )
        seen = Watched()
        simulate(press(name), observers=[seen])
        low, high = KEPT[name]
        yield StudyRow(
            NAME, f"{name}, under a bar: depth at the end over that of the bar", "1", None, seen.depth[-1] / DEPTH, low, high
        )
        left = seen.stress[-1] / max(seen.stress)
        yield StudyRow(NAME, f"{name}, under a bar: largest stress at the end over that before", "1", None, left, None, 0.01)
