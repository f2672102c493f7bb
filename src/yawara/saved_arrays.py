"""Arrays from NumPy's files, checked before they are taken: name, shape and type by their headers, then the numbers themselves.

A header of a few bytes can claim an array of any size. So nothing is read whose header does not say what was expected, and no object is
ever built from a file.
"""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from yawara.checks import SceneError

Array = NDArray[Any]
Shape = tuple[int, ...]
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
LONGEST_HEADER = 4096  # bytes; ours have about a hundred


@dataclass(frozen=True)
class Form:
    """What an array must look like; a length of -1 is any, up to `most`."""

    shape: Shape
    dtype: np.dtype[Any]
    most: int = 0

    def difference(self, shape: Shape, dtype: np.dtype[Any]) -> str:
        """What is wrong with an array of this shape and type; nothing if it is as expected."""
        same_kind = dtype == self.dtype or (
            dtype.kind == self.dtype.kind == "i" and dtype.isnative
        )  # some systems have short integers
        if not same_kind:
            return f"must be of type {self.dtype} (got {dtype})"
        fits = len(shape) == len(self.shape) and all(
            (0 <= got <= self.most) if wanted < 0 else got == wanted for got, wanted in zip(shape, self.shape, strict=True)
        )
        return "" if fits else f"must have the shape {self._words()} (got {shape})"

    def _words(self) -> str:
        return f"({', '.join(str(n) if n >= 0 else f'at most {self.most}' for n in self.shape)})"


def form_of(array: Any) -> Form:
    """That of an array or a number which is as it should be."""
    array = np.asarray(array)
    return Form(array.shape, array.dtype)


def read_archive(path: Path, forms: Mapping[str, Form], remedy: str) -> dict[str, Array]:
    """The arrays of an .npz file that are asked for. SceneError, with the remedy, lists all that is missing or not as expected."""
    found, problems = dict[str, Array](), list[tuple[str, str]]()
    try:
        with zipfile.ZipFile(path) as archive:
            for name, form in forms.items():
                array = _member(archive, f"{name}.npy", form)
                if isinstance(array, str):
                    problems.append((name, f"{array}; {remedy}"))
                else:
                    found[name] = array
    except Exception as error:  # a damaged archive can fail anywhere in its readers
        raise SceneError([("", f"cannot be read ({_short(error)}); {remedy}")], source=str(path)) from None
    if problems:
        raise SceneError(problems, source=str(path))
    return found


def _member(archive: zipfile.ZipFile, name: str, form: Form) -> Array | str:
    """The array, or what is wrong with it."""
    if name not in archive.namelist():
        return "is missing"
    with archive.open(name) as file:
        return _array(file, form)


def read_array(path: Path, form: Form, remedy: str) -> Array:
    """The array of an .npy file; SceneError with the remedy if it is not as expected."""
    try:
        with path.open("rb") as file:
            array = _array(file, form)
    except Exception as error:
        raise SceneError([("", f"cannot be read ({_short(error)}); {remedy}")], source=str(path)) from None
    if isinstance(array, str):
        raise SceneError([("", f"{array}; {remedy}")], source=str(path))
    return array


def _array(file: IO[bytes], form: Form) -> Array | str:
    version = npy.read_magic(file)
    if version not in HEADERS:
        return f"must be of format 1.0 (got {version[0]}.{version[1]})"
    shape, fortran, dtype = HEADERS[version](file, max_header_size=LONGEST_HEADER)
    wrong = form.difference(shape, dtype)
    if wrong:
        return wrong
    size = dtype.itemsize * int(np.prod(shape, dtype=object))
    data = file.read(size)
    if len(data) != size or file.read(1):
        return f"must have {size} bytes of numbers (got {'more' if len(data) == size else len(data)})"
    array = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
    return np.array(array, order="C")  # kernels look at the memory itself


def _short(error: Exception) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= 120 else f"{text[:117]}..."
