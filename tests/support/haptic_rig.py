"""A haptic loop in held time: a modelled hand on one side, a stand-in for the solver on the other."""

from contextlib import contextmanager

import numpy as np

from held_clock import HeldClock
from yawara.haptics.board import Board
from yawara.haptics.device import DeviceInfo
from yawara.haptics.loop import HapticLoop, Settings
from yawara.haptics.safety import Limits
from yawara.haptics.simulated import SimulatedDevice

TICK = 1e-3  # [s]
NO_LIMITS = Limits(max_force=1e9, max_slew=1e15)
STRONG = DeviceInfo("strong", (1.0, 1.0, 1.0), max_force=1e9, rate=1 / TICK)


def wall(board, now, stiffness, height=0.0):
    """Publish a floor at this height [m] that pushes up with this stiffness [N/m]."""
    contact = board.contact
    contact["time"], contact["touching"] = now, 1.0
    contact["place"], contact["force"] = (0.0, 0.0, height), (0.0, 0.0, 1e-12)  # a direction, but no force to speak of
    contact["stiffness"] = np.diag([0.0, 0.0, stiffness])
    contact.publish()


class Rig:
    def __init__(self, board, hand, path, settings, stiffness, info=STRONG, device=None):
        self.clock, self.stiffness, self.board = HeldClock(), stiffness, board
        self.device = device or SimulatedDevice(hand, path, clock=self.clock, info=info)
        self.theirs = Board.join(board.name)
        self.loop = HapticLoop(self.device, self.theirs, settings, self.clock)
        self.solver_lives = True
        self.places, self.forces, self.balances = [], [], []

    def run(self, duration):
        for _ in range(round(duration / TICK)):
            self.clock.time += TICK
            if self.solver_lives:
                wall(self.board, self.clock.time, self.stiffness)
            self.forces.append(self.loop.tick(self.clock.time, TICK).copy())
            self.places.append(getattr(self.device, "position", np.zeros(3)).copy())
            self.balances.append(self.loop.observer.balance)
        return np.array(self.places), np.array(self.forces)


@contextmanager
def rig(hand=None, path=None, *, coupling=500.0, damping=0.0, stiffness=1e3, info=STRONG, device=None, **settings):
    settings = {"limits": NO_LIMITS, "passivity": False, **settings}
    with Board.open(stiffness=coupling, damping=damping) as board:
        made = Rig(board, hand, path, Settings(**settings), stiffness, info, device)
        yield made
        made.theirs.close()


def press(depth, height=0.005, begin=0.15, duration=0.1):
    """From above the floor to below it, and stay."""

    def path(elapsed):
        s = min(max((elapsed - begin) / duration, 0.0), 1.0)
        return np.array([0.0, 0.0, height - (height + depth) * s * s * (3 - 2 * s)])

    return path
