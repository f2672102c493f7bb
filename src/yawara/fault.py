"""What can be wrong with a state, and which element is to blame."""

import numpy as np

from yawara.model import Model
from yawara.state import State
from yawara.status import StepStatus

FARTHEST = 1e6  # of the scene's size


def fault_of(model: Model, state: State) -> StepStatus | None:
    if not state.is_finite():
        return StepStatus.NOT_FINITE
    size = np.ptp(model.rest_position, axis=0).max() + abs(model.rest_position).max()
    if abs(state.position).max() > FARTHEST * size:
        return StepStatus.FLOWN_APART
    return None


def guilty_element(model: Model, state: State) -> tuple[str, str]:
    """Body and element that failed: a link whose memory is not finite, else the point that is furthest off."""
    for body in model.bodies:
        bad = np.flatnonzero(~np.isfinite(state.memory[body.memory_index]).all(axis=1))
        if bad.size and np.isfinite(state.points[body.points]).all():
            a, b = (int(point) - body.point_begin for point in body.links[bad[0]])
            return body.name, f"link {bad[0]} (points {a}, {b})"
    distance = np.nan_to_num(np.abs(state.points).max(axis=1), nan=np.inf)
    point = int(np.argmax(distance))
    body = model.body_of_point(point)
    return body.name, f"point {point - body.point_begin}"
