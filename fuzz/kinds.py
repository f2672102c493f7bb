"""All kinds of input, by name: what is made once, what is made for each case, and how many cases a whole run has."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from numpy.random import Generator

from fuzz import data_files, fits, meshes, recordings, runs, scenes


@dataclass(frozen=True)
class Kind:
    name: str
    prepare: Callable[[Path], None]  # gets a folder for what all cases use
    make: Callable[[Generator, Path, Path], list[str]]  # gets an empty folder and that one; returns the arguments of yawara
    cases: int


KINDS = {
    kind.name: kind
    for kind in (
        Kind("scenes", scenes.prepare, scenes.make, 3000),
        Kind("meshes", meshes.prepare, meshes.make, 100),
        Kind("data", data_files.prepare, data_files.make, 400),
        Kind("runs", runs.prepare, runs.make, 100),
        Kind("fits", fits.prepare, fits.make, 100),
        Kind("recordings", recordings.prepare, recordings.make, 100),
    )
}
