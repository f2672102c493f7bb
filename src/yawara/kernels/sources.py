"""Which files a kernel is made from: its own, and those of this package and of its own package that it imports, directly or through others.

Numba's own cache looks at the file of the compiled function only. A kernel is therefore kept under a digest of all its sources: a stale one
cannot be loaded, and a change in one force term leaves the kernels of the others alone. Other packages (NumPy, Numba) count by their
versions, or not at all.
"""

import ast
import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numba

PACKAGE = Path(__file__).resolve().parents[1]
PROGRAMS = ("__main__", "__mp_main__")  # what a file that is run as a program is called, here and in processes that it starts
INSTALLED = ("site-packages", "dist-packages")  # where packages of others lie beside each other


class Source(NamedTuple):
    """A file, and the name by which it is imported."""

    path: Path
    module: str  # of a program that is run by its file, that of the file
    is_program: bool = False  # to import it would be to run it

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
    if module not in PROGRAMS:
        return Source(path, module)
    found = getattr(sys.modules.get(module), "__spec__", None)  # of `python -m package.module`
    name = found.name if found is not None and found.name not in PROGRAMS else path.stem.replace(".", "_")
    return Source(path, name, is_program=True)


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
    """Files of this package, and of the source's own, that it imports anywhere."""
    return frozenset(file for name in _names(source) if (file := _file_of(name, source)))


def _names(source: Source) -> Iterator[str]:
    """Of modules that it imports, or may: what is imported from a package is a module of it, or a name in it."""
    for statement in ast.walk(ast.parse(_content(source.path))):
        if isinstance(statement, ast.Import):
            yield from (name.name for name in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            start = _absolute(statement.module or "", statement.level, source)
            yield from (start, *(f"{start}.{name.name}" for name in statement.names))


def _absolute(module: str, level: int, source: Source) -> str:
    """What a relative import means: one dot for the package that it stands in, another for each further one above."""
    if not level:
        return module
    parts = source.package.split(".")
    return ".".join([*parts[: len(parts) - level + 1], *([module] if module else [])])


def _file_of(module: str, source: Source) -> Source | None:
    """Of this package, or of the source's own. A module that is no part of a package has those beside it."""
    top, *rest = module.split(".")
    if top == PACKAGE.name:
        place = PACKAGE.joinpath(*rest)
    elif top == source.module.partition(".")[0] or _is_beside(top, source):
        place = source.root.joinpath(top, *rest)
    else:
        return None
    found = next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)
    return None if found is None or found == PACKAGE / "__init__.py" else Source(found, module)


def _is_beside(top: str, source: Source) -> bool:
    """Whether a module or package that lies beside a module of no package is one of its helpers."""
    return "." not in source.module and (source.root.name not in INSTALLED or (source.root / f"{top}.py").is_file())
