"""Whether numbers that came from a file can be the state of a run of this scene: kernels trust what they are given."""

from collections.abc import Iterator

import numpy as np

from yawara.core.state import State
from yawara.fault import fault_of
from yawara.saved_arrays import Form, form_of
from yawara.scene.compile import Compiled

LARGEST = 1e100  # in SI units, of any number in a state: nothing larger is a measure of something
MOST_STEPS = 1e13
SLOWEST_PACE = 1e6  # steps that much smaller than at rest would never end

Problems = Iterator[tuple[str, str]]


def state_forms(compiled: Compiled) -> dict[str, Form]:
    """What the arrays of a state look like: as at the start, or with any number of rows that a block which grows may have."""
    forms, known = dict[str, Form](), compiled.model.variables
    for name, array in compiled.state.arrays().items():
        most = known[name].most if name in known else 0
        forms[name] = Form((-1, *array.shape[1:]), array.dtype, most) if most else form_of(array)
    return forms


def wrong_numbers(state: State, rest: State) -> Problems:
    """Values that are no numbers where the state at rest has some, or that measure nothing."""
    at_rest = rest.arrays()
    for name, values in state.arrays().items():
        may_be_missing = at_rest[name].shape == values.shape and np.isnan(at_rest[name])
        bad = ~(np.abs(values) <= LARGEST) & ~(np.isnan(values) & may_be_missing)
        if bad.any():
            yield name, f"must be finite numbers of at most {LARGEST:g} (got {values[bad].flat[0]}, {int(bad.sum())} such values)"


def wrong_state(state: State, compiled: Compiled) -> Problems:
    """Numbers that no run of this scene can have."""
    model = compiled.model
    if fault := fault_of(model, state):
        yield "points", f"must be those of a run that goes well (got: {fault.value})"
    if not 1.0 <= state.pace[0] <= SLOWEST_PACE:
        yield "pace", f"must be from 1 to {SLOWEST_PACE:g} (got {state.pace[0]!r})"
    for term in model.terms:
        yield from term.wrong(state)
    for method in model.methods:
        yield from method.wrong(state)
