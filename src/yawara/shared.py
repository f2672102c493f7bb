"""Numbers in memory that several processes share: named blocks, each with one writer.

A block carries a counter that is odd while it is written, and a checksum of its numbers and of the counter that they belong to. A reader
copies the numbers and takes them only if the counter was even and the same before and after, and if the checksum is theirs; so nobody
ever waits for anybody. The counter alone would do where stores are seen in the order in which they were made, as on x86. On other
machines numbers of two publications can be seen mixed under an even counter: the checksum tells.

One process creates the memory and removes it. The others attach by name; if one of them is killed, the memory stays its owner's.
"""

import atexit
import contextlib
import math
import os
import secrets
import sys
import threading
import zlib
from collections.abc import Mapping
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Shape = tuple[int, ...]
Layout = Mapping[str, Mapping[str, Shape]]  # blocks, their fields and shapes

PREFIX = "yawara"
LINE = 8  # numbers in a cache line: counters have lines of their own
COUNT, CHECK = 0, 1  # places of the counter and of the checksum in that line
TRIES = 200  # looks at a block that is being written, before the last known numbers are kept


def checksum(numbers: Floats, count: int) -> int:
    """Of the numbers that were published under this count."""
    return zlib.crc32(numbers.tobytes(), count & 0xFFFFFFFF)


class Block:
    """Named numbers, a copy of our own and the shared one. Writers change theirs and `publish`, readers `fetch` and look."""

    def __init__(self, shared: Floats, counter: NDArray[np.int64], fields: Mapping[str, Shape]) -> None:
        self._shared, self._counter = shared, counter
        self._own = np.zeros(shared.size)
        self._fields: dict[str, Floats] = {}
        self._known = 0  # counter of what was fetched last
        begin = 0
        for name, shape in fields.items():
            end = begin + math.prod(shape)
            self._fields[name] = self._own[begin:end].reshape(shape)
            begin = end

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def __getitem__(self, name: str) -> Floats:
        """Our own copy of a field; a single number is an array of one."""
        return self._fields[name]

    def __setitem__(self, name: str, value: Floats | float) -> None:
        self._fields[name][...] = value

    def value(self, name: str) -> float:
        return float(self._fields[name][0])

    def publish(self) -> None:
        writing = (int(self._counter[COUNT]) + 1) | 1  # odd, also after a writer that died in the middle
        self._counter[COUNT] = writing
        self._shared[:] = self._own
        self._counter[CHECK] = checksum(self._own, writing + 1)
        self._counter[COUNT] = writing + 1

    def fetch(self) -> bool:
        """Take what was published, if there is something new; our copy stays as it was otherwise."""
        for _ in range(TRIES):
            before = int(self._counter[COUNT])
            if before == self._known:
                return False
            if before % 2:
                continue
            copy, check = self._shared.copy(), int(self._counter[CHECK])
            if int(self._counter[COUNT]) == before and check == checksum(copy, before):
                self._own[:], self._known = copy, before
                return True
        return False

    def take_over(self, other: "Block") -> None:
        """Publish what another block with the same fields has fetched last."""
        self._own[:] = other._own
        self.publish()

    def leave(self) -> None:
        """Let go of the shared memory; our copy stays."""
        self._shared, self._counter = np.zeros(self._own.size), np.zeros(2, np.int64)


class Shared:
    """All blocks of a layout; `create` in the process that owns them, `attach` elsewhere."""

    def __init__(self, memory: SharedMemory, layout: Layout, *, owner: bool) -> None:
        self._memory, self._owner, self._pid = memory, owner, os.getpid()
        self.name, self.blocks = memory.name, dict[str, Block]()
        numbers: Floats = np.ndarray((_length(layout),), np.float64, buffer=memory.buf)
        begin = 0
        for name, fields in layout.items():
            counter = numbers[begin : begin + 2].view(np.int64)
            self.blocks[name] = Block(numbers[begin + LINE : begin + LINE + _size(fields)], counter, fields)
            begin += _lines(fields)
        atexit.register(self.close)  # memory that is still looked at when Python ends would be complained about

    @classmethod
    def create(cls, layout: Layout) -> Self:
        remove_leftovers()
        name = f"{PREFIX}-{os.getpid()}-{secrets.token_hex(4)}"
        return cls(SharedMemory(name, create=True, size=8 * _length(layout)), layout, owner=True)

    @classmethod
    def attach(cls, name: str, layout: Layout) -> Self:
        """What another process created."""
        return cls(_attached(name), layout, owner=False)

    def __getitem__(self, block: str) -> Block:
        return self.blocks[block]

    def close(self) -> None:
        """Let go; the owner also removes it, at once for all new comers. Allowed twice."""
        for block in self.blocks.values():
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


def _size(fields: Mapping[str, Shape]) -> int:
    return sum(math.prod(shape) for shape in fields.values())


def _lines(fields: Mapping[str, Shape]) -> int:
    """Numbers that a block takes, with its counter."""
    return LINE + -(-_size(fields) // LINE) * LINE


def _length(layout: Layout) -> int:
    return sum(_lines(fields) for fields in layout.values())


_attaching = threading.Lock()


def _attached(name: str) -> SharedMemory:
    """Without telling the resource tracker: it would remove the owner's memory when we end, and warn."""
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
    """Memory whose owners were killed, where shared memory can be listed; returns the names."""
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
