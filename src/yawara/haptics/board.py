"""Shared memory between solver, haptic loop and parent: four blocks of named numbers, each with one writer.

A block carries a counter that is odd while it is written. A reader copies the numbers and takes them only if the counter was even
and the same before and after, so nobody ever waits for anybody. This relies on stores being seen in the order they were made, as on
x86; elsewhere a reader could, very rarely, take a mixture of two neighbouring ticks.

The parent creates the board and removes it. The others attach by name; if one of them is killed, the memory stays the parent's.
"""

import atexit
import contextlib
import math
import os
import secrets
import sys
import threading
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Self

import numpy as np

from yawara.haptics.device import Floats
from yawara.haptics.histogram import BIN_COUNT

Shape = tuple[int, ...]
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
BLOCKS = {"contact": CONTACT, "proxy": PROXY, "report": REPORT, "orders": ORDERS}

PREFIX = "yawara-haptics"
TRIES = 200  # looks at a block that is being written, before the last known numbers are kept


class Block:
    """Named numbers, a copy of our own and the shared one. Writers change theirs and `publish`, readers `fetch` and look."""

    def __init__(self, shared: Floats, counter: np.ndarray, fields: dict[str, Shape]) -> None:
        self._shared, self._counter = shared, counter
        self._own = np.zeros(shared.size)
        self._fields: dict[str, Floats] = {}
        self._known = 0  # counter of what was fetched last
        begin = 0
        for name, shape in fields.items():
            end = begin + math.prod(shape)
            self._fields[name] = self._own[begin:end].reshape(shape)
            begin = end

    def __getitem__(self, name: str) -> Floats:
        """Our own copy of a field; a single number is an array of one."""
        return self._fields[name]

    def __setitem__(self, name: str, value: Floats | float) -> None:
        self._fields[name][...] = value

    def value(self, name: str) -> float:
        return float(self._fields[name][0])

    def publish(self) -> None:
        writing = (int(self._counter[0]) + 1) | 1  # odd, also after a writer that died in the middle
        self._counter[0] = writing
        self._shared[:] = self._own
        self._counter[0] = writing + 1

    def fetch(self) -> bool:
        """Take what was published, if there is something new; our copy stays as it was otherwise."""
        for _ in range(TRIES):
            before = int(self._counter[0])
            if before == self._known:
                return False
            if before % 2:
                continue
            copy = self._shared.copy()
            if int(self._counter[0]) == before:
                self._own[:], self._known = copy, before
                return True
        return False

    def leave(self) -> None:
        """Let go of the shared memory; our copy stays."""
        self._shared, self._counter = np.zeros(self._own.size), np.zeros(1, np.int64)


class Board:
    """All four blocks; `create` in the parent, `attach` elsewhere."""

    def __init__(self, memory: SharedMemory, *, owner: bool) -> None:
        self._memory, self._owner, self._pid = memory, owner, os.getpid()
        self.name = memory.name
        numbers: Floats = np.ndarray((_length(),), np.float64, buffer=memory.buf)
        blocks, begin = {}, 0
        for name, fields in BLOCKS.items():
            size = sum(math.prod(shape) for shape in fields.values())
            counter = numbers[begin : begin + 1].view(np.int64)
            blocks[name] = Block(numbers[begin + 8 : begin + 8 + size], counter, fields)  # counters on cache lines of their own
            begin += 8 + -(-size // 8) * 8
        self.contact, self.proxy = blocks["contact"], blocks["proxy"]
        self.report, self.orders = blocks["report"], blocks["orders"]
        atexit.register(self.close)  # memory that is still looked at when Python ends would be complained about

    @classmethod
    def create(cls, *, stiffness: float = 500.0, damping: float = 0.5) -> Self:
        """A new board of this process, with a coupling K_c [N/m] and B_c [N s/m], device and world in the same place."""
        remove_leftovers()
        name = f"{PREFIX}-{os.getpid()}-{secrets.token_hex(4)}"
        board = cls(SharedMemory(name, create=True, size=8 * _length()), owner=True)
        orders = board.orders
        orders["scale"], orders["turn"] = 1.0, np.eye(3)
        orders["stiffness"], orders["damping"] = stiffness, damping
        orders.publish()
        return board

    @classmethod
    def attach(cls, name: str) -> Self:
        """The board that another process created."""
        return cls(_attached(name), owner=False)

    def close(self) -> None:
        """Let go; the parent also removes it, at once for all new comers. Allowed twice."""
        for block in (self.contact, self.proxy, self.report, self.orders):
            block.leave()
        with contextlib.suppress(BufferError):
            self._memory.close()
        atexit.unregister(self.close)
        if self._owner and os.getpid() == self._pid:
            self._owner = False
            with contextlib.suppress(FileNotFoundError):
                self._memory.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def _length() -> int:
    """Of all blocks, in numbers."""
    sizes = [sum(math.prod(shape) for shape in fields.values()) for fields in BLOCKS.values()]
    return sum(8 + -(-size // 8) * 8 for size in sizes)


_attaching = threading.Lock()


def _attached(name: str) -> SharedMemory:
    """Without telling the resource tracker: it would remove the parent's memory when we end, and warn."""
    if sys.version_info >= (3, 13):
        return SharedMemory(name, track=False)
    with _attaching:
        register = resource_tracker.register
        resource_tracker.register = lambda *_: None
        try:
            return SharedMemory(name)
        finally:
            resource_tracker.register = register


def remove_leftovers() -> list[str]:
    """Boards whose parents were killed, where shared memory can be listed; returns their names."""
    removed = []
    for path in Path("/dev/shm").glob(f"{PREFIX}-*"):
        process = path.name.removeprefix(f"{PREFIX}-").partition("-")[0]
        if process.isdigit() and not _lives(int(process)):
            with contextlib.suppress(OSError):
                path.unlink()
                removed.append(path.name)
    return removed


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True
