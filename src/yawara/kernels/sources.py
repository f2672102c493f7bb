"""Which files a kernel is made from: its own, and those of this package and of its own package that it imports, directly or through others.

Numba's own cache looks at the file of the compiled function only. A kernel is therefore kept under a digest of all its sources: a stale one
cannot be loaded, and a change in one force term leaves the kernels of the others alone. Other packages (NumPy, Numba) count by their
versions, or not at all.
"""

import hashlib
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numba

PACKAGE = Path(__file__).resolve().parents[1]
IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+(?:\(([^)]*)\)|([^\n#]*))|import\s+([^\n#]+))", re.MULTILINE)


class Source(NamedTuple):
    """A file, and the name by which it is imported."""

    path: Path
    module: str  # "" of a program that is run as it is

    @property
    def root(self) -> Path:
        """Where its own package, or the module that is no part of one, lies."""
        above = self.module.count(".") + (self.path.name == "__init__.py")
        return self.path.parents[above]

    @property
    def package(self) -> str:
        """That relative imports begin from."""
        return self.module if self.path.name == "__init__.py" else self.module.rpartition(".")[0]


def source_of(module: str, path: Path) -> Source:
    return Source(path, "" if module == "__main__" else module)


@cache
def digest_of(source: Source) -> str:
    """Of all that the functions in this file are compiled from, of what compiles them, and of where it lies: Numba keeps places apart."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {PACKAGE} {source.path}".encode())
    for path in sources_of(source):
        digest.update(_content(path))
    return digest.hexdigest()[:16]


def sources_of(source: Source) -> list[Path]:
    """In a fixed order."""
    found, left = {source}, [source]
    while left:
        new = _imported(left.pop()) - found
        found |= new
        left += new
    return sorted({one.path for one in found})


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _imported(source: Source) -> frozenset[Source]:
    """Files of this package, and of the source's own, that it names in its import statements."""
    found: set[Source] = set()
    for module, in_brackets, in_line, plain in IMPORT.findall(_content(source.path).decode()):
        if plain:
            wanted = _names(plain)
        else:
            start = _absolute(module, source)
            wanted = [start, *(f"{start}.{name}" for name in _names(in_brackets or in_line))]
        found |= {file for one in wanted if (file := _file_of(one, source))}
    return frozenset(found)


def _names(text: str) -> list[str]:
    """Of a list of imports, without the names that they get."""
    return [name.split()[0] for name in text.split(",") if name.split()]


def _absolute(module: str, source: Source) -> str:
    """What a relative import means: one dot for the package that it stands in, another for each further one above."""
    name = module.lstrip(".")
    dots = len(module) - len(name)
    if not dots:
        return name
    above = source.package.split(".")[: len(source.package.split(".")) - dots + 1]
    return ".".join([*above, *([name] if name else [])])


def _file_of(module: str, source: Source) -> Source | None:
    """Of this package, or of the source's own. A module that is no part of a package has those beside it."""
    top, *rest = module.split(".")
    if top == PACKAGE.name:
        place = PACKAGE.joinpath(*rest)
    elif top == source.module.partition(".")[0] or ("." not in source.module and not rest):
        place = source.root.joinpath(top, *rest)
    else:
        return None
    found = next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)
    return None if found is None or found == PACKAGE / "__init__.py" else Source(found, module)
