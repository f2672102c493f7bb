"""Energies of finite strain in plain NumPy, and bodies of one or a few elements that are stretched evenly."""

from typing import Any

import numpy as np

from yawara import Scene, compile_scene, simulate
from yawara.materials import Hencky, NeoHookean, Ogden, Yeoh
from yawara.methods.evaluation import evaluator_of

SIX = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "yz": (1, 2), "zx": (2, 0), "xy": (0, 1)}
SHAPE = {"boxes": "lattice", "nodal": "truss", "simple": "truss"}


def energy_density(energy, stretches):
    """[Pa], of the stretches without the change of volume."""
    l = np.asarray(stretches)  # noqa: E741
    I = (l**2).sum()  # noqa: E741
    if isinstance(energy, NeoHookean):
        return energy.mu / 2 * (I - 3)
    if isinstance(energy, Yeoh):
        return sum(c * (I - 3) ** n for n, c in enumerate((energy.C1, energy.C2, energy.C3), 1))
    if isinstance(energy, Hencky):
        return energy.mu * (np.log(l) ** 2).sum()
    assert isinstance(energy, Ogden)
    return sum(2 * mu / a**2 * ((l**a).sum() - 3) for mu, a in zip(energy.mu, energy.alpha, strict=True))


def whole_energy(energy, K, F):
    """[Pa], with that of the volume."""
    J, stretches = np.linalg.det(F), np.linalg.svd(F, compute_uv=False)
    return energy_density(energy, J ** (-1 / 3) * stretches) + K / 2 * (J - 1) ** 2


def kirchhoff(energy, K, F):
    """[Pa], (3, 3): from the slopes of the energy along principal stretches, by differences."""
    u, stretches, _ = np.linalg.svd(F)
    slopes = np.zeros(3)
    for i in range(3):
        h = np.zeros(3)
        h[i] = 1e-3
        # l dW/dl, to the fourth order
        at = [whole_energy(energy, K, np.diag(stretches * np.exp(n * h))) for n in (-2, -1, 1, 2)]
        slopes[i] = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / 12e-3
    return u @ np.diag(slopes) @ u.T


def nominal(energy, K, F):
    """P = tau F^-T [Pa], (3, 3)."""
    return kirchhoff(energy, K, F) @ np.linalg.inv(F).T


def table(material: dict[str, Any], cells="boxes", counts=(2, 2, 2), **more) -> dict[str, Any]:
    """A body with edges of 1 m from corner to corner of its cells; dampers only if the material says so."""
    elements = {"type": "continuum", "cells": cells, **more}
    made = {"density": 1.0, "retardation_time": 0.0, **material}
    return {"shape": SHAPE[cells], "counts": list(counts), "spacing": 1.0, "material": made, "elements": elements}


def compiled(material, cells="boxes", counts=(2, 2, 2), time=None, **more):
    time = {"end": 1.0, "frame": 1.0, **(time or {})}
    return compile_scene(Scene.model_validate({"time": time, "body": {"b": table(material, cells, counts, **more)}}))


def stretched(model, F, rate=None, internal=None):
    """A state with the gradient F everywhere, and its rate."""
    state, X = model.state.copy(), model.model.rest_position - model.model.rest_position.mean(axis=0)
    state.position[...] = X @ np.asarray(F).T
    state.velocity[...] = X @ np.asarray(np.zeros((3, 3)) if rate is None else rate).T
    if internal is not None:
        state.blocks["continuum.internal"][...] = internal
    return state


def evaluated(model, state):
    return evaluator_of(model.model).evaluate(state, model.control.stretch(0.0, 1.0), 0.0)


def mean_stress(model, F, **more):
    """P [Pa], (3, 3), the mean over a block, by its forces."""
    X = model.model.rest_position - model.model.rest_position.mean(axis=0)
    force = evaluated(model, stretched(model, F, **more)).force
    return -force.T @ X / np.prod(np.ptp(X, axis=0))


def pulled(model, stretch):
    """(P [Pa], lateral stretch) of a bar with free sides along z."""
    from scipy.optimize import brentq

    def aside(a):
        return mean_stress(model, np.diag([a, a, stretch]))[0, 0]

    a = brentq(aside, 0.5 * stretch**-0.5, 1.5 * stretch**-0.5, xtol=1e-14)
    return mean_stress(model, np.diag([a, a, stretch]))[2, 2], a


def led(material, times, gradients, step, frame, integrator="rk4", energies=False):
    """History of a cube whose corners are led so that its gradient goes evenly from one of these to the next; with Kirchhoff's stress."""
    X = compiled(material).model.rest_position
    X = X - X.mean(axis=0)
    drives = [
        {"body": "b", "points": [p], "times": list(times), "displacement": [tuple((F - np.eye(3)) @ X[p]) for F in gradients]}
        for p in range(8)
    ]
    kinds = {"stress": "stress", "left": "residual_strain"}
    probes = {
        f"{name}_{one}": {"type": kind, "body": "b", "points": "all", "component": one}
        for name, kind in kinds.items()
        for one in SIX
    }
    time = {"end": times[-1], "frame": frame, "step": step, "integrator": integrator}
    scene = {"time": time, "body": {"b": table(material)}, "drive": drives, "probe": probes, "output": {"energies": energies}}
    return simulate(Scene.model_validate(scene)).history


def sheared(k):
    F = np.eye(3)
    F[0, 1] = k
    return F


def at(history, time):
    """Number of the row at that time."""
    return int(np.argmin(np.abs(history["time"] - time)))


def shear_figures(history, time):
    """(s12, N1, N2) of Kirchhoff's stress."""
    row = at(history, time)
    s = {one: history[f"stress_{one}"][row] for one in SIX}
    return s["xy"], s["xx"] - s["yy"], s["yy"] - s["zz"]
