"""The virtual coupling: a spring and a damper between the device and a proxy, which alone touches the body.

The device never feels the solver's force directly. It pulls a massless proxy by a spring K_c and a damper B_c, and the proxy is
pressed by a local model of the body near the contact, which the solver renews whenever it can. What is felt is never stiffer than
the coupling, whatever the solver sends; that is what makes stability a matter of the coupling alone (Colgate, Stanley & Brown 1995;
Adams & Hannaford 1999).

A sampled spring gives out energy, since it holds its force for a tick T while the hand moves on. The friction b of device and
hand must take it up, which it does as long as

    b > K T / 2 + |B|        (Colgate & Schenkel)

with K and B as the device feels them: at b = 1 N s/m and T = 1 ms, K may be up to 2000 N/m. Each tick of delay adds to it. Use
`passive_stiffness` for the limit, and `passivity` for a guard where it is not kept.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from yawara.haptics.device import Floats

GRIP = 1.0  # force across the normal is at most so many times the one along it


def passive_stiffness(friction: float, tick: float, damping: float = 0.0) -> float:
    """Largest stiffness [N/m] that a device with this friction [N s/m] can show passively at this tick [s]; 0 if there is none."""
    # b > K T / 2 + |B|      Colgate & Schenkel
    return max(0.0, 2.0 * (friction - abs(damping)) / tick)


@dataclass(frozen=True)
class ContactModel:
    """What a tool feels near a place: f(x, v) = f0 + S (x0 − x) − c n (n·v), only ever pushing along n = f0 / |f0|."""

    place: Floats  # [m], (3,), x0
    force: Floats  # [N], (3,), f0: on the tool, at this place
    stiffness: Floats  # [N/m], (3, 3), symmetric, not negative
    damping: float = 0.0  # [N s/m], along the force
    normal: Floats = field(init=False)  # (3,), direction of the force, or zero

    def __post_init__(self) -> None:
        size = math.sqrt(float(self.force @ self.force))
        object.__setattr__(self, "normal", self.force / size if 0.0 < size < math.inf else np.zeros(3))

    @property
    def sound(self) -> bool:
        """Whether all are numbers and it can only resist: a body that pushes harder the further one goes back makes energy."""
        total = float(self.place.sum()) + float(self.force.sum()) + float(self.stiffness.sum())  # NaN and infinity survive a sum
        if not (math.isfinite(total) and math.isfinite(self.damping) and self.damping >= 0.0):
            return False
        rounding = 1e-9 * float(np.abs(self.stiffness).max())
        symmetric = float(np.abs(self.stiffness - self.stiffness.T).max()) <= rounding
        return symmetric and float(np.linalg.eigvalsh(self.stiffness)[0]) >= -rounding


class Coupling:
    """Spring K_c [N/m] and damper B_c [N s/m] between device and proxy."""

    def __init__(self, stiffness: float, damping: float = 0.0) -> None:
        if not (math.isfinite(stiffness) and stiffness > 0.0):
            raise ValueError(f"stiffness must be > 0 N/m (got {stiffness}); 500 suits a soft body and a light device")
        if not (math.isfinite(damping) and damping >= 0.0):
            raise ValueError(f"damping must be >= 0 N s/m (got {damping}); 0 is allowed")
        self.stiffness, self.damping = stiffness, damping
        self.proxy: Floats | None = None  # [m], (3,); None before the first step
        self._stretch: Floats = np.zeros(3)  # [m], from proxy to device

    def reset(self) -> None:
        """Let the proxy begin again where the device is."""
        self.proxy = None

    def step(self, device: Floats, model: ContactModel | None, dt: float) -> Floats:
        """Move the proxy through a tick of dt [s] to where coupling and body balance; returns the force [N] on the device.

        Backward Euler: the proxy's speed is the one that leads to its new place, so that it cannot jump, nor run away, however
        stiff the body.
        """
        if self.proxy is None:
            self.proxy, self._stretch = device.copy(), np.zeros(3)
        pull = self.stiffness + self.damping / dt  # [N/m], K_c + B_c / T
        held = pull * device - (self.damping / dt) * self._stretch  # [N]
        force = self._body_force(held, pull, model, self.proxy, dt)
        # K_c (d − x) + B_c (stretch − stretch before) / T + f = 0
        self.proxy = (held + force) / pull
        self._stretch = device - self.proxy
        return force  # on the massless proxy both balance: what the body does to it, the coupling does to the device

    @staticmethod
    def _body_force(held: Floats, pull: float, model: ContactModel | None, before: Floats, dt: float) -> Floats:
        if model is None:
            return np.zeros(3)
        normal = model.normal
        drag = (model.damping / dt) * np.outer(normal, normal)
        matrix = model.stiffness + drag
        pushed = model.force + model.stiffness @ model.place + drag @ before  # [N], the force at x = 0
        # (K_c + B_c/T + S + c/T n nᵀ) x = held + pushed
        place = np.linalg.solve(matrix + pull * np.eye(3), held + pushed)
        force = pushed - matrix @ place
        along = float(force @ normal)
        if along <= 0.0:  # it would pull: contact is lost
            return np.zeros(3)
        across = force - along * normal
        size = math.sqrt(float(across @ across))
        if size > GRIP * along:
            across *= GRIP * along / size
        return along * normal + across
