"""Energy is watched while it flows: what the loop gives to the hand must have been put in by the hand before.

Time-domain passivity observer and controller (Hannaford & Ryu 2002). A device holds each force for a tick, so what was given out in
the last tick is exactly f·Δx. The friction b of the device takes up at least b Δx²/T of it. When the balance is negative, the
controller adds a damper that takes back the missing energy, within the largest force.
"""

import math

import numpy as np

from yawara.haptics.device import Floats


class PassivityObserver:
    """Energy balance [J] of the virtual side at the device; negative when it has given out more than it got."""

    def __init__(self, friction: float = 0.0) -> None:
        self.friction = friction  # [N s/m], of the device, known for certain; 0 if unsure
        self.balance = 0.0  # [J], got less given since the last rest
        self.given = 0.0  # [J], net, since the beginning, friction not counted; negative: it got more
        self._place: Floats | None = None
        self._force: Floats = np.zeros(3)

    def observe(self, place: Floats, dt: float) -> Floats:
        """The device has come here [m] under the force that was noted; returns by how much [m] it moved."""
        if self._place is None:
            self._place = place
        moved = place - self._place
        given = float(self._force @ moved)
        self.given += given
        if not self._force.any():  # at rest nothing is stored: old credit would only hide new faults
            self.balance = min(self.balance, 0.0)
        self.balance += self.friction * float(moved @ moved) / dt - given
        self._place = place
        return moved

    def note(self, force: Floats) -> None:
        """This force [N] is what the device holds from now on."""
        self._force = force


class PassivityController:
    """Damping against a negative balance."""

    def __init__(self, observer: PassivityObserver, max_force: float, max_damping: float = 20.0, *, active: bool = True) -> None:
        self.observer, self.active = observer, active
        self.max_force = max_force  # [N]
        self.max_damping = max_damping  # [N s/m]: a sampled damper of more than about m/T shakes a hand of mass m by itself
        self.dissipated = 0.0  # [J], meant to be taken back so far

    def correct(self, force: Floats, place: Floats, dt: float) -> Floats:
        """The force [N] with the damper added, for a device that is at this place [m] after a tick of dt [s]."""
        moved = self.observer.observe(place, dt)
        square = float(moved @ moved)
        if not self.active or self.observer.balance >= 0.0 or square == 0.0:
            return force
        # alpha v² T = −W        [Hannaford & Ryu 2002]
        alpha = min(-self.observer.balance * dt / square, self.max_damping)
        self.dissipated += alpha * square / dt
        damped = force - (alpha / dt) * moved
        size = math.sqrt(float(damped @ damped))
        return damped * (self.max_force / size) if size > self.max_force else damped
