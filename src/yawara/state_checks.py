"""Whether numbers that came from a file can be the state of a run of this scene: kernels trust what they are given."""

from collections.abc import Iterator

import numpy as np

from yawara.fault import fault_of
from yawara.scene.compile import Compiled
from yawara.state import KEY, State

LARGEST = 1e100  # in SI units, of any number in a state: nothing larger is a measure of something
MOST_STEPS = 1e13
SLOWEST_PACE = 1e6  # steps that much smaller than at rest would never end

Problems = Iterator[tuple[str, str]]


def wrong_numbers(state: State, rest: State) -> Problems:
    """Values that are no numbers where the state at rest has some, or that measure nothing."""
    at_rest = rest.arrays()
    for name, values in state.arrays().items():
        bad = ~(np.abs(values) <= LARGEST) & ~(np.isnan(values) & np.isnan(at_rest[name]))
        if bad.any():
            yield name, f"must be finite numbers of at most {LARGEST:g} (got {values[bad].flat[0]}, {int(bad.sum())} such values)"


def wrong_state(state: State, compiled: Compiled) -> Problems:
    """Numbers that no run of this scene can have."""
    model, contact = compiled.model, compiled.model.arrays.contact
    if fault := fault_of(model, state):
        yield "points", f"must be those of a run that goes well (got: {fault.value})"
    if not 1.0 <= state.pace[0] <= SLOWEST_PACE:
        yield "pace", f"must be from 1 to {SLOWEST_PACE:g} (got {state.pace[0]!r})"
    keys = state.contact[:, KEY]
    touchable = 1 + len(model.tools) + len(model.bodies) + len(contact.pair_edge)
    bad = (keys != np.floor(keys)) | (keys < 0.0) | (keys > touchable)
    if bad.any():
        yield "contact", f"must be claimed by tools and bodies from 0 to {touchable} (got {keys[bad][0]!r})"
