"""The process that compiles: `python -m yawara.warm`. It reads kernels from its standard input, one in a line, and answers each by a line.

It ends when nobody writes any more: the pipe closes when the parent ends, by whatever means.
"""

import os
import sys
import threading
from collections import deque

from yawara.exclusive import lock_of
from yawara.kernels.entries import Kernel
from yawara.warm.job import understood

DONE, BUSY, FAILED = "done", "busy", "failed"


def main() -> None:
    lines: deque[bytes] = deque()
    some = threading.Semaphore(0)
    threading.Thread(target=_read, args=(lines, some), daemon=True).start()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a module prints while it is imported is no answer
    while some.acquire():
        answers.write(answer_to(lines.popleft()) + "\n")
        answers.flush()


def _read(lines: deque[bytes], some: threading.Semaphore) -> None:
    for line in sys.stdin.buffer:
        lines.append(line.strip())
        some.release()
    os._exit(1)  # also in the middle of a compilation


def answer_to(line: bytes) -> str:
    try:
        return compiled(understood(line))
    except Exception as error:  # told to the user; the kernel then compiles where it is called, and fails there in full
        return f"{FAILED} {str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__}"


def compiled(kernel: Kernel) -> str:
    """Compile it, unless another process is at it."""
    assert kernel.directory is not None, "started without a cache"
    assert kernel.mark is not None
    kernel.directory.mkdir(parents=True, exist_ok=True)
    held = lock_of(kernel.directory / f"{kernel.name}.lock")
    if held is None:
        return BUSY
    with held:
        if not kernel.is_compiled:
            _ = kernel.dispatcher
            kernel.mark.touch()
    return DONE


if __name__ == "__main__":
    main()
