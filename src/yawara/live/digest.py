"""A short name for all bits of a state."""

import hashlib

from yawara.core.state import State


def state_digest(state: State) -> str:
    """Of all bits that a run remembers: two runs with the same one are the same."""
    digest = hashlib.sha256()
    for name, array in state.arrays().items():
        digest.update(f"{name} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]
