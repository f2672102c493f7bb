"""The parts into which the kernels are divided, and what of them is compiled already.

A kernel that several parts call is compiled by the first of them; those that need it come later and load it from the cache.
"""

from dataclasses import dataclass
from pathlib import Path

from yawara.jit import cache_directory, source_digest


@dataclass(frozen=True)
class Part:
    """Some kernels that are compiled together."""

    title: str
    after: tuple[str, ...] = ()  # parts that compile kernels which this one calls as well


PARTS = {
    "forces": Part("forces and contact"),
    "watch": Part("stable steps and checks"),
    "explicit": Part("explicit steps", after=("forces",)),
    "implicit": Part("implicit steps", after=("forces", "watch")),
}
ALWAYS = ("forces", "watch")  # of every scene


def parts_for(*, implicit: bool) -> tuple[str, ...]:
    """Names of the parts that a scene with such a scheme needs."""
    return (*ALWAYS, "implicit" if implicit else "explicit")


def mark(directory: Path, part: str) -> Path:
    """The file that says that a part is compiled."""
    return directory / f"{part}-{source_digest()}.done"


def lock(directory: Path, part: str) -> Path:
    """The file that is locked by the process that compiles the part."""
    return directory / f"{part}-{source_digest()}.lock"


def is_compiled(*parts: str) -> bool:
    """Whether these parts need not be waited for."""
    directory = cache_directory()
    return directory is not None and all(mark(directory, part).exists() for part in parts)


def kernel_count(directory: Path) -> int:
    """How many kernels the cache holds."""
    return sum(1 for _ in directory.rglob("*.nbc"))
