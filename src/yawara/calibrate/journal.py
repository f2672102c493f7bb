"""Evaluations on disk, as they come: one record after the other, so that a process that is killed loses at most the one it was writing.

A record is its length and checksum, a line of JSON, and the residual as raw numbers, none if it was not kept. Values are compared bit
for bit. The end of a record that was never finished is cut off; anything else that is wrong is damage, and refused.
"""

import json
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from yawara.calibrate.outcome import Outcome
from yawara.checks import SceneError
from yawara.kernels.kinds import Floats

HEAD = struct.Struct("<4sIII")  # mark, length of the JSON line, of the residual [B], checksum of both
MARK = b"YAW1"
KEYS = {"values", "cost", "metrics", "failure"}

Check = Callable[[Floats, Outcome], str]  # what is wrong with a record, nothing if all is well


def key_of(values: Floats) -> bytes:
    """The same for the same bits only."""
    return np.ascontiguousarray(values, np.float64).tobytes()


def _any(values: Floats, outcome: Outcome) -> str:
    return ""


class Journal:
    """A file of evaluations; without a path, nothing is kept."""

    def __init__(self, path: Path | None, check: Check = _any) -> None:
        """`check` says what is wrong with a record that was found. SceneError if the file is damaged; it is then left as it is."""
        self._file: BinaryIO | None = None
        self.found: list[tuple[Floats, Outcome]] = []
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            end = self._take(path, check) if path.exists() else 0
            self._file = path.open("r+b" if path.exists() else "wb")
            self._file.truncate(end)  # what was being written when it stopped
            self._file.seek(end)

    def _take(self, path: Path, check: Check) -> int:
        """What is there already; returns where it ends."""
        end = 0
        try:
            for values, outcome, end in _records(path.read_bytes()):  # noqa: B007 - the last one is used
                if wrong := check(values, outcome):
                    raise ValueError(wrong)
                self.found.append((values, outcome))
        except (ValueError, OverflowError, RecursionError) as error:
            what = (
                f"is damaged after {len(self.found)} records ({error}); remove it and go on with --resume: all is evaluated again"
            )
            raise SceneError([("", what)], source=str(path)) from None
        return end

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
    """Whole records, each with the place where it ends. ValueError if one of them is damaged, not just the last one cut off."""
    place = 0
    while place < len(data):
        begin = place + HEAD.size
        mark, line_size, residual_size, check = HEAD.unpack_from(data, place) if begin <= len(data) else (b"", 0, 0, 0)
        end = begin + line_size + residual_size
        if mark != MARK or end > len(data) or zlib.crc32(data[begin:end]) != check:
            if data.find(MARK, place + 1) >= 0:
                raise ValueError(f"byte {place} and later")
            return
        yield *_content(data[begin : begin + line_size], data[begin + line_size : end]), end
        place = end


def _content(line: bytes, residual: bytes) -> tuple[Floats, Outcome]:
    plain: Any = json.loads(line)
    if not isinstance(plain, dict) or set(plain) != KEYS:
        raise ValueError("a record without values, cost, metrics and failure")
    values, metrics, failure = plain["values"], plain["metrics"], plain["failure"]
    texts = isinstance(values, list) and all(isinstance(one, str) for one in (*values, plain["cost"], failure))
    if not texts or not isinstance(metrics, dict) or not all(isinstance(one, float | int) for one in metrics.values()):
        raise ValueError("values of another kind than were written")
    found, cost = np.array([float.fromhex(value) for value in values], float), float.fromhex(plain["cost"])
    if not np.isfinite(found).all() or np.isnan(cost) or np.isfinite(cost) == bool(failure) or len(residual) % 8:
        raise ValueError("values that are not finite")
    return found, Outcome(cost, np.frombuffer(residual, "<f8").copy(), metrics, failure)
