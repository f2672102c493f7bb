"""Whole files or none: everything is written beside its place and moved there when it is complete."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path in the same folder; it takes the place of `path` if the block ends well and vanishes if it does not.

    The folder is made if it is missing. A file that stood at `path` stays whole until the new one is.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # The suffix stays: some writers choose the format by it. No mkstemp: its files are readable by their owner alone.
    temporary = target.with_name(f".{target.stem[:40]}.{secrets.token_hex(4)}{target.suffix}")
    try:
        yield temporary
        with temporary.open("r+b") as written:
            os.fsync(written.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def clear_temporaries(directory: Path) -> None:
    """Remove what a killed process left half-written."""
    for path in directory.rglob(".*"):
        if re.fullmatch(r"\..+\.[0-9a-f]{8}(\.\w+)?", path.name):
            path.unlink(missing_ok=True)


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a binary file, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 file with plain line ends, whole or not at all."""
    write_bytes(path, text.encode("utf-8"))
