"""What solver, haptic loop and parent share: four blocks of named numbers, each with one writer."""

from typing import Self

import numpy as np

from yawara.haptics.histogram import BIN_COUNT
from yawara.shared import Block, Layout, Shape, Shared

ONE: Shape = (1,)

# Times are those of `time.monotonic` [s], which all processes of a machine share.
CONTACT: dict[str, Shape] = {  # solver -> loop: the body near the proxy
    "tick": ONE,
    "time": ONE,  # [s], when it was published
    "touching": ONE,  # 0 or 1
    "place": (3,),  # [m]
    "force": (3,),  # [N], on the tool
    "stiffness": (3, 3),  # [N/m]
    "damping": ONE,  # [N s/m]
}
PROXY: dict[str, Shape] = {  # loop -> solver: where the tool should be, in the world
    "tick": ONE,
    "time": ONE,  # [s]
    "proxy": (3,),  # [m]
    "device": (3,),  # [m]
    "velocity": (3,),  # [m/s], of the device
    "force": (3,),  # [N], on the hand
    "buttons": ONE,  # bit mask
    "fresh": ONE,  # 0: the device has brought nothing new
}
REPORT: dict[str, Shape] = {  # loop -> parent: how it goes
    "time": ONE,  # [s]
    "began": ONE,  # [s]
    "ticks": ONE,
    "skipped": ONE,  # ticks that were left out, since their time was over
    "rate": ONE,  # [Hz], since it began
    "max_jump": ONE,  # [N], largest change of force between two ticks
    "max_force": ONE,  # [N]
    "energy": ONE,  # [J], given to the hand, net
    "stale": ONE,  # reads without news from the device
    "unsound": ONE,  # contact models and forces that were no numbers
    "trips": ONE,  # of the watchdog
    "priority": ONE,  # 0 ordinary, 1 nicer to us, 2 real-time
    "max_lateness": ONE,  # [s]
    "max_latency": ONE,  # [s]
    "max_age": ONE,  # [s]
    "lateness": (BIN_COUNT,),  # ticks: begin after the time it was due
    "latency": (BIN_COUNT,),  # ticks: longest time for which a change of the hand had waited when the force went out
    "age": (BIN_COUNT,),  # ticks: of the contact model
}
ORDERS: dict[str, Shape] = {  # parent -> loop: how it should be
    "stop": ONE,  # 0 or 1
    "scale": ONE,  # world = offset + scale * turn @ device
    "offset": (3,),  # [m]
    "turn": (3, 3),  # a rotation
    "stiffness": ONE,  # [N/m], K_c
    "damping": ONE,  # [N s/m], B_c
}
BLOCKS: Layout = {"contact": CONTACT, "proxy": PROXY, "report": REPORT, "orders": ORDERS}


class Board(Shared):
    """All four blocks; `open` in the parent, `join` elsewhere."""

    @property
    def contact(self) -> Block:
        return self["contact"]

    @property
    def proxy(self) -> Block:
        return self["proxy"]

    @property
    def report(self) -> Block:
        return self["report"]

    @property
    def orders(self) -> Block:
        return self["orders"]

    @classmethod
    def open(cls, *, stiffness: float = 500.0, damping: float = 0.5) -> Self:
        """A new board of this process, with a coupling K_c [N/m] and B_c [N s/m], device and world in the same place."""
        board = cls.create(BLOCKS)
        orders = board.orders
        orders["scale"], orders["turn"] = 1.0, np.eye(3)
        orders["stiffness"], orders["damping"] = stiffness, damping
        orders.publish()
        return board

    @classmethod
    def join(cls, name: str) -> Self:
        """The board that another process opened."""
        return cls.attach(name, BLOCKS)
