"""A process that compiles one part, as seen by the process that waits for it."""

import os
import subprocess
import sys
import tempfile

WARMING = "YAWARA_WARMING"  # set in the environment of a process that compiles: it starts no others
BUSY = 75  # exit code: another process compiles the part (EX_TEMPFAIL)


class Worker:
    """Ends when this object is ended, and when this process is gone: it reads from a pipe that then closes."""

    def __init__(self, part: str) -> None:
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - a pipe would have to be emptied; closed in `end`
        self._process = subprocess.Popen(
            [sys.executable, "-m", "yawara.warm", part],
            env={**os.environ, WARMING: part},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._words,
        )

    @property
    def exit_code(self) -> int | None:
        """None while it works."""
        return self._process.poll()

    def last_words(self) -> str:
        """The last line of what it complained of."""
        self._words.seek(0)
        lines = self._words.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"

    def end(self) -> None:
        """At once; does nothing to one that has ended."""
        self._process.kill()
        self._process.communicate()
        self._words.close()
