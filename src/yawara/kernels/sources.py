"""Which files a kernel is made from: its own, and those of this package that it imports, directly or through others.

Numba's own cache looks at the file of the compiled function only. A kernel is therefore kept under a digest of all its sources: a stale one
cannot be loaded, and a change in one force term leaves the kernels of the others alone.
"""

import hashlib
import re
import sys
from functools import cache
from pathlib import Path

import numba

PACKAGE = Path(__file__).resolve().parents[1]
IMPORT = re.compile(r"^(?:from\s+([\w.]+)\s+import\s+(?:\(([^)]*)\)|([^\n#]*))|import\s+([\w.]+))", re.MULTILINE)


@cache
def digest_of(path: Path) -> str:
    """Of all that the functions in this file are compiled from, of what compiles them, and of where it lies: Numba keeps places apart."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {PACKAGE} {path}".encode())
    for source in sources_of(path):
        digest.update(_content(source))
    return digest.hexdigest()[:16]


def sources_of(path: Path) -> list[Path]:
    """In a fixed order."""
    found, left = {path}, [path]
    while left:
        new = _imported(left.pop()) - found
        found |= new
        left += new
    return sorted(found)


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _imported(path: Path) -> frozenset[Path]:
    """Files of this package that a file names in its import statements."""
    found: set[Path] = set()
    for module, in_brackets, in_line, plain in IMPORT.findall(_content(path).decode()):
        names = [name.split()[0] for name in (in_brackets or in_line).split(",") if name.split()]
        found |= {file for one in (module or plain, *(f"{module}.{name}" for name in names)) if (file := _file_of(one))}
    return frozenset(found)


def _file_of(module: str) -> Path | None:
    top, *rest = module.split(".")
    if top != PACKAGE.name or not rest:
        return None
    place = PACKAGE.joinpath(*rest)
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)
