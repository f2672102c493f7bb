"""The linear response of an element: what the stable step depends on."""

from dataclasses import dataclass

import numpy as np

from yawara.kernels.kinds import Floats


@dataclass(frozen=True)
class Response:
    """f = force . y and rate of the internal variables = rate . y, for y = (extension, its rate, internal variables).

    Extension is whatever the element measures: a length, a volume, a depth.
    """

    force: Floats  # (2 + parts,): [N/m], [N s/m], [N/m]...
    rate: Floats  # (parts, 2 + parts)


def voigt_response(k: float, c: float) -> Response:
    """A spring [N/m] and a damper [N s/m] side by side."""
    return Response(np.array([k, c]), np.zeros((0, 2)))


def series_response(a: float, b: float, phi: Floats, kappa: Floats) -> Response:
    """f = a (d - sum e_i) + b (ddot + sum kappa_i e_i), e_i' = phi_i f - kappa_i e_i."""
    force = np.concatenate([[a, b], b * kappa - a])
    own = np.concatenate([np.zeros((len(phi), 2)), np.diag(kappa)], axis=1)
    return Response(force, np.outer(phi, force) - own)


def parallel_response(k: float, c: float, arm: Floats, rate: Floats) -> Response:
    """f = k d + c ddot + sum k_i (d - q_i), q_i' = r_i (d - q_i)."""
    force = np.concatenate([[k + arm.sum(), c], -arm])
    return Response(force, np.concatenate([rate[:, None], np.zeros((len(rate), 1)), -np.diag(rate)], axis=1))


def joint_strength(k: Floats, c: Floats, step: float | Floats) -> Floats:
    """[N/m], of springs [N/m] and dampers [N s/m] together: semi-implicit Euler is stable as long as dt^2 k/m + 2 dt c/m <= 4."""
    with np.errstate(over="ignore"):  # refused by those who use it
        strength: Floats = k + 2.0 * c / step
    return strength


def damped_response(k1: float, c1: float, c2: float) -> Response:
    """A spring and a damper side by side, in series with another damper, which may be infinitely viscous."""
    share = 1.0 / (1.0 + c1 / c2)
    return series_response(k1 * share, c1 * share, np.array([1.0 / c2]), np.zeros(1))
