"""Exact answers that tests compare runs with."""

import numpy as np
from scipy.linalg import expm

import reference


def loaded_mass(law, mass, force, times, start=None, at=None):
    """Extension d, speed and memories of one element with an end mass under a constant force, from rest (or `start`) on.

    m d'' = F - f(d, d', memory): affine within one regime of the law, so the matrix exponential is exact. The law is linearised
    about `at` (a state of the regime), which for a linear law changes nothing.
    """
    parts = max(1, law.parts)
    base = np.zeros(2 + parts) if at is None else np.asarray(at, float)

    def rates(y):
        f, memory_rates, _, _ = reference.respond(law, y[0], y[1], list(y[2:]))
        return np.array([y[1], (force - f) / mass, *(memory_rates or [0.0])])

    # columns by exact differences: rates are affine
    A = np.stack([rates(base + unit) - rates(base) for unit in np.eye(len(base)) * 1e-3], axis=1) / 1e-3
    shift = rates(base) - A @ base
    augmented = np.zeros((len(base) + 1, len(base) + 1))
    augmented[:-1, :-1], augmented[:-1, -1] = A, shift
    y0 = np.append(np.zeros(len(base)) if start is None else start, 1.0)
    return np.stack([(expm(augmented * t) @ y0)[:-1] for t in times])


def observed_order(errors, steps):
    """Slope of log error over log step between the two smallest steps."""
    return float(np.log(errors[-2] / errors[-1]) / np.log(steps[-2] / steps[-1]))
