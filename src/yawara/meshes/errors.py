"""Words for a mesh that cannot be used."""

import numpy as np


class MeshError(ValueError):
    """A mesh is unusable; the text says what is wrong, the number found, and the remedy."""


def count_of(count: int, one: str, many: str = "") -> str:
    """'1 face', '3 faces'."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def place_of(point: np.ndarray) -> str:
    """'(0.01, 0.02, 0) m'"""
    return f"({', '.join(f'{value:.4g}' for value in point)}) m"
