"""A process that compiles, as seen by the process that waits for it."""

import os
import subprocess
import sys
import tempfile
import threading

from yawara.kernels.entries import Kernel
from yawara.warm.job import described

WARMING = "YAWARA_WARMING"  # set in the environment of a process that compiles: it starts no others


class Worker:
    """Ends when this object is ended, and when this process is gone: it reads from a pipe that then closes."""

    def __init__(self) -> None:
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - a pipe would have to be emptied; closed in `end`
        self._process = subprocess.Popen(
            [sys.executable, "-m", "yawara.warm"],
            env={**os.environ, WARMING: "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
        )
        self.kernel: Kernel | None = None  # that it works at
        self._answers: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.append(line.decode(errors="replace").strip())

    def compile(self, kernel: Kernel) -> None:
        self.kernel = kernel
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(described(kernel) + b"\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it is gone, which `answer` will tell

    def answer(self) -> str | None:
        """None while it works."""
        if self._answers:
            return self._answers.pop(0)
        return None if self.is_alive else f"failed {self._last_words()}"

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def _last_words(self) -> str:
        """The last line of what it complained of."""
        self._words.seek(0)
        lines = self._words.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"

    def end(self) -> None:
        """At once; does nothing to one that has ended."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
        self._words.close()
