"""Waiting for what must happen. How long a machine takes is no test's business: patience only ends what would never end."""

import time

PATIENCE = 300.0  # [s]
OFTEN = 0.005  # [s] between two looks


def wait_for(condition, what, patience=PATIENCE):
    """What the condition gives once it holds."""
    end = time.monotonic() + patience
    while not (result := condition()):
        assert time.monotonic() < end, f"waited {patience:g} s in vain: {what}"
        time.sleep(OFTEN)
    return result
