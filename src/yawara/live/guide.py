"""How a hand goes where it was told to: it is told some twenty times a second, and goes there without a jerk."""

import numpy as np

from yawara.kernels.kinds import Floats

QUICKNESS = 40.0  # [1/s] of the critically damped follower: it is there in about 0.1 s, which a mouse's 50 ms do not shake
FASTEST = 0.8  # [m/s]: a hand that works on a body is no faster, and nothing is passed through


class Guide:
    """Position and velocity of the hand, at what it holds."""

    def __init__(self, position: Floats) -> None:
        """Position [m] at rest."""
        self.place(position)

    def place(self, position: Floats) -> None:
        """Be there at once, at rest, and stay."""
        self.position, self.velocity = np.array(position, float), np.zeros(3)
        self.target, self.at_once = self.position.copy(), False

    def aim(self, target: Floats, *, at_once: bool = False) -> None:
        """Go there: smoothly, or `at_once` as fast as a hand can, where the device gives a target every millisecond."""
        self.target, self.at_once = np.array(target, float), at_once

    def follow(self, dt: float) -> Floats:
        """The position [m] after `dt` [s]."""
        away = self.target - self.position
        if self.at_once:
            self.velocity = away / dt
        else:  # implicit, so that no rate of ticks shakes it
            pulled = self.velocity + dt * QUICKNESS**2 * away
            self.velocity = pulled / (1.0 + 2.0 * QUICKNESS * dt + (QUICKNESS * dt) ** 2)
        speed = float(np.linalg.norm(self.velocity))
        if speed > FASTEST:
            self.velocity *= FASTEST / speed
        self.position = self.position + dt * self.velocity
        return self.position
