"""Files that other libraries read for us. They know many formats and trust what they read: a file of four bytes can keep one of them busy
for ever, or claim all memory. So they work in a process of their own, with limits that grow with the file, and can be ended.

A process costs a few tenths of a second per file, most of it for importing those libraries, which this process then need not do.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CPU_SECONDS, CPU_SECONDS_PER_MB = 5.0, 2.0
WAITING = 12.0  # wall time over CPU time, where machines are busy; the only limit on Windows
MEMORY, MEMORY_PER_BYTE = 4 << 30, 60  # [B], and per byte of the file

Arrays = dict[str, NDArray[Any]]


class UnreadableError(ValueError):
    """The reason why a file could not be read."""


def read_foreign(kind: str, path: Path) -> Arrays:
    """The arrays in a file: 'cells', 'surface' or 'points', see `reader.py`. UnreadableError if there are none."""
    size = path.stat().st_size
    seconds = CPU_SECONDS + CPU_SECONDS_PER_MB * size / 1e6
    limits = {"cpu_seconds": seconds, "memory_bytes": MEMORY + MEMORY_PER_BYTE * size}
    program = Path(__file__).with_name("reader.py")
    command = [sys.executable, "-P", str(program), kind, str(path.absolute()), json.dumps(limits)]
    environment = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }  # threads would reserve memory for themselves
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=WAITING * seconds, env=environment)
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"its reader did not come to an end within {WAITING * seconds:.0f} s") from None
    return _answer(done, seconds)


def _answer(done: "subprocess.CompletedProcess[bytes]", seconds: float) -> Arrays:
    told = done.stdout
    if told[:1] == b"E":
        raise UnreadableError(told[1:].decode("utf-8", "replace")[:500])
    if done.returncode or told[:1] != b"N":
        ended = "did not come to an end" if done.returncode < 0 else "broke down"
        raise UnreadableError(f"its reader {ended} within {seconds:.0f} s of computing, with status {done.returncode}")
    with np.load(io.BytesIO(told[1:]), allow_pickle=False) as found:
        return dict(found)
