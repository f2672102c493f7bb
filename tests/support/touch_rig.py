"""A modelled hand on a device, the haptic loop and a live scene in held time, tick by tick: what is felt, and what the body does."""

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from held_clock import HeldClock
from yawara.haptics.board import Board
from yawara.haptics.loop import HapticLoop, Settings
from yawara.haptics.simulated import SimulatedDevice
from yawara.live.haptic_link import HapticLink
from yawara.live.live import Live
from yawara.live.messages import Choose
from yawara.touch import COUPLING, COUPLING_DAMPING

TICK = 1e-3  # [s]


@dataclass
class Felt:
    """Of every tick."""

    force: np.ndarray  # [N], (ticks, 3), on the device
    contact: np.ndarray  # [N], (ticks, 3), of the body on the tool, mean over the tick
    place: np.ndarray  # [m], (ticks, 3), of the tool
    gap: np.ndarray  # [m], (ticks,), the deepest; negative is inside
    balance: np.ndarray  # [J], (ticks,), of the passivity observer


@contextmanager
def touched(scene, tool="ball"):
    """A live scene with a tool in the hand, and a board; the device's middle is where the tool just touches the top of the bodies."""
    live = Live(scene)
    live.carry_out(Choose(tool))
    live.tick()
    try:
        with Board.open(stiffness=COUPLING, damping=COUPLING_DAMPING) as board:
            top = live.state.position[: live.compiled.model.bodies[-1].point_end, 2].max()
            board.orders["offset"] = [*live.hand_place()[:2], top + live.scene.tool[tool].radius]
            board.orders.publish()
            yield live, board
    finally:
        live.close()


def feel(scene, hand, path, duration, *, tool="ball", every=1):
    """Let the hand follow its path [m] for `duration` [s]; the solver makes a tick in every so many of the loop's."""
    clock, rows = HeldClock(), []
    with touched(scene, tool) as (live, board):
        theirs, link = Board.join(board.name), HapticLink(board.name, clock)
        loop = HapticLoop(SimulatedDevice(hand, path, clock=clock), theirs, Settings(friction=hand.damping), clock)
        number = list(live.scene.tool).index(tool)
        for tick in range(round(duration / TICK)):
            clock.time += TICK
            force = loop.tick(clock.time, TICK).copy()
            if tick % every == 0:
                if order := link.order():
                    live.carry_out(order)
                frame = live.tick()
                link.answer(live, frame)
            gap = frame.log[:, -3].min()
            rows.append((force, frame.tool_loads[number, :3].copy(), live.hand_now(), gap, loop.observer.balance))
        link.close()
        theirs.close()
    return Felt(*(np.array(column) for column in zip(*rows, strict=True)))
