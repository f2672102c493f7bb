"""The positions of every frame: in memory, and moved to part files when a run in a directory is saved."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from yawara.files import atomic_path
from yawara.frame import Frame
from yawara.kernels.kinds import Floats


class Positions:
    """An observer that keeps [m], (point_count, 3) of each frame; a sequence of them."""

    def __init__(self, directory: Path | None = None, *, saved: int = 0) -> None:
        """`saved` frames are taken from the directory's part files; later ones, of an interrupted run, will be written anew."""
        self.directory, self.saved = directory, saved
        self.fresh: list[Floats] = []

    def observe(self, frame: Frame) -> None:
        self.fresh.append(frame.state.position.copy())

    def save(self) -> int:
        """Move what is in memory to a part file; returns the number of frames on disk."""
        if self.directory is not None and self.fresh:
            with atomic_path(self.directory / f"{self.saved:09d}.npy") as temporary, temporary.open("wb") as file:
                np.save(file, np.array(self.fresh))
            self.saved += len(self.fresh)
            self.fresh = []
        return self.saved

    def __len__(self) -> int:
        return self.saved + len(self.fresh)

    def __iter__(self) -> Iterator[Floats]:
        count = 0
        while self.directory is not None and count < self.saved:
            part = np.load(self.directory / f"{count:09d}.npy")
            yield from part[: self.saved - count]
            count += len(part)
        yield from self.fresh
