"""Evaluations on disk, as they come: one record after the other, so that a process that is killed loses at most the one it was writing.

A record is its length and checksum, a line of JSON, and the residual as raw numbers, none if it was not kept. Values are compared bit
for bit.
"""

import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from yawara.calibrate.outcome import Outcome
from yawara.model import Floats

HEAD = struct.Struct("<4sIII")  # mark, length of the JSON line, of the residual [B], checksum of both
MARK = b"YAW1"


def key_of(values: Floats) -> bytes:
    """The same for the same bits only."""
    return np.ascontiguousarray(values, np.float64).tobytes()


class Journal:
    """A file of evaluations; without a path, nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._file: BinaryIO | None = None
        self.found: list[tuple[Floats, Outcome]] = []
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            end = 0
            if path.exists():
                for values, outcome, end in _records(path.read_bytes()):  # noqa: B007 - the last one is used
                    self.found.append((values, outcome))
            self._file = path.open("r+b" if path.exists() else "wb")
            self._file.truncate(end)  # what was being written when it stopped
            self._file.seek(end)

    def note(self, values: Floats, outcome: Outcome) -> None:
        if self._file is None:
            return
        plain = {
            "values": [float(value).hex() for value in values],
            "cost": float(outcome.cost).hex(),
            "metrics": outcome.metrics,
            "failure": outcome.failure,
        }
        line = json.dumps(plain).encode()
        residual = outcome.residual.astype("<f8").tobytes()
        self._file.write(HEAD.pack(MARK, len(line), len(residual), zlib.crc32(line + residual)) + line + residual)
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _records(data: bytes) -> Iterator[tuple[Floats, Outcome, int]]:
    """Whole records, each with the place where it ends."""
    place = 0
    while place + HEAD.size <= len(data):
        mark, line_size, residual_size, check = HEAD.unpack_from(data, place)
        begin = place + HEAD.size
        end = begin + line_size + residual_size
        if mark != MARK or end > len(data) or zlib.crc32(data[begin:end]) != check:
            return
        plain: dict[str, Any] = json.loads(data[begin : begin + line_size])
        residual = np.frombuffer(data[begin + line_size : end], "<f8").copy()
        values = np.array([float.fromhex(value) for value in plain["values"]])
        yield values, Outcome(float.fromhex(plain["cost"]), residual, plain["metrics"], plain["failure"]), end
        place = end
