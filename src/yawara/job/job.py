"""A job in its directory: begun, taken up, finished.

The stamp beside the request holds a digest of all that decides the outcome. A job whose request has changed is not taken up: what was
computed before and after would not belong together.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from yawara.checks import SceneError
from yawara.exclusive import alone_in
from yawara.files import clear_temporaries, write_text
from yawara.job.kind import JobKind
from yawara.json_file import is_written, read_json

STAMP = "job.json"


class StoppedError(SceneError):
    """The work came to a stop, but not for what was asked: what was done is kept, and it can be taken up again."""


def request_digest(request: bytes, files: Iterable[Path] = ()) -> str:
    """Of a request, and of the files that it names."""
    digest = hashlib.sha256(request)
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


class Job:
    """One kind of work in one directory."""

    def __init__(self, kind: JobKind, directory: str | Path) -> None:
        self.kind, self.directory = kind, Path(directory)
        self._was_complete = False

    @classmethod
    def found(cls, kind: JobKind, directory: str | Path) -> Self:
        """One that was begun before; SceneError if there is none."""
        job = cls(kind, directory)
        if not job.request.exists():
            hint = f"holds no {kind.name} (there is no {kind.request}); start one with: {kind.to_start(job.directory)}"
            raise job._error(hint)
        job._was_complete = job.is_complete
        return job

    @property
    def request(self) -> Path:
        return self.directory / self.kind.request

    @property
    def is_complete(self) -> bool:
        """Whether it has come to its end; SceneError if the file that says so is damaged."""
        also = f" and {self.kind.begins_again}" if self.kind.begins_again else ""
        remedy = f"remove it{also}, and {self.kind.to_go_on(self.directory)} writes it again"
        return self.request.exists() and is_written(self.directory / self.kind.end, remedy)

    def refuse_used(self) -> None:
        """A directory that holds something which would be written over."""
        other = self._stamped()
        if other not in (None, self.kind.name):
            raise self._error(f"already holds {other}; choose another")
        if self.request.exists():
            raise self._error(f"already holds a {self.kind.name}; go on with --resume {self.directory}, or choose another")
        for name in self.kind.leaves:
            if (self.directory / name).exists():
                raise self._error(f"already holds a {name} of something else; choose another")

    @contextmanager
    def begun(self, request: str, digest: str) -> Iterator[None]:
        """Alone in the directory, with the request written; if it is refused after all, nothing of it stays."""
        with alone_in(self.directory):
            self.refuse_used()  # again: another process may have been first
            write_text(self.directory / STAMP, json.dumps({"job": self.kind.name, "digest": digest}) + "\n")
            write_text(self.request, request)
            try:
                yield
            except StoppedError:
                raise
            except SceneError:
                if self.kind.refused_late:  # it would be refused again
                    self._remove((self.kind.request, STAMP, *self.kind.progress))
                raise

    @contextmanager
    def taken_up(self, digest: str) -> Iterator[None]:
        """Alone in the directory, with what a killed process had half written cleared away; refuses a request that has changed."""
        self._refuse_changed(digest)
        with alone_in(self.directory):
            if self.is_complete and not self._was_complete:
                raise self._error("was completed by another process just now; nothing is left to do")
            clear_temporaries(self.directory)
            yield

    def finish(self, found: Mapping[str, Any]) -> None:
        """Write the last file; all others must be there."""
        write_text(self.directory / self.kind.end, json.dumps(found, indent=2) + "\n")
        self._remove(self.kind.scraps)

    def _refuse_changed(self, digest: str) -> None:
        noted = self._digest_noted()
        if noted is not None and noted != digest:
            what = f"{self.kind.decides} have changed since this {self.kind.name} began"
            raise self._error(f"{what}; put them back, or start a new one in another directory")

    def _digest_noted(self) -> object:
        """When it was begun; None in a directory of a version that noted none."""
        name, key = STAMP, "digest"
        if not (self.directory / STAMP).exists():
            if self.kind.old_stamp is None:
                return None
            name, key = self.kind.old_stamp
        stamp = read_json(self.directory / name, f"start the {self.kind.name} again in another directory")
        return stamp.get(key, "nothing")

    def _stamped(self) -> str | None:
        """Which kind of job noted that it is here; in words what is there, if it is no such note."""
        if not (self.directory / STAMP).exists():
            return None
        try:
            name = read_json(self.directory / STAMP, "").get("job")
        except SceneError:
            name = None
        if name == self.kind.name:
            return self.kind.name
        return f"a {name}" if isinstance(name, str) and name.isidentifier() else f"a {STAMP} of something else"

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            path = self.directory / name
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def _error(self, what: str) -> SceneError:
        return SceneError([("", what)], source=str(self.directory))
