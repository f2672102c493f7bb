"""A short name for all bits of a state."""

import hashlib

from yawara.state import State


def state_digest(state: State) -> str:
    """Of all bits that a run remembers: two runs with the same one are the same."""
    digest = hashlib.sha256()
    for array in state.arrays().values():
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]
