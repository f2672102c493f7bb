"""Places of marked material points over time, as a motion capture gives them."""

from dataclasses import dataclass

import numpy as np

from yawara.calibrate.observation.base import Comparison, Observation, Showing, rms
from yawara.checks import SceneError
from yawara.model import Floats
from yawara.scene.compile import Compiled

FAR = 1.0  # of the body's diagonal: a marker further away than this is not on it
NEIGHBOURS = 4  # points of the body that carry a marker between them


@dataclass(frozen=True)
class Marker(Observation):
    """One marked point at several times; it goes with the points of the body around its first place."""

    name: str
    time: Floats  # [s], increasing
    place: Floats  # [m], (time_count, 3)
    body: str
    rest: Floats  # [m], (3,): where on the undeformed body
    noise: float  # [m], of each coordinate
    source: str
    kind = "marker"

    @property
    def times(self) -> tuple[float, ...]:
        return tuple(float(time) for time in self.time if time > 0.0)

    @property
    def end(self) -> float:
        return float(self.time[-1])

    @property
    def count(self) -> int:
        return 3 * len(self.time)

    def check(self, compiled: Compiled) -> list[str]:
        body = compiled.model.body(self.body)
        rest = compiled.model.rest_position[body.points]
        size = float(np.linalg.norm(np.ptp(rest, axis=0)))
        away = float(np.linalg.norm(rest - self.rest, axis=1).min())
        if away > FAR * size:
            what = f"begins {away:.3g} m away from body '{self.body}', which is {size:.3g} m large; check unit and move"
            raise SceneError([("file", what)], source=self.source)
        return []

    def compare(self, showing: Showing) -> Comparison:
        model = showing.compiled.model
        body = model.body(self.body)
        rest = model.rest_position[body.points]
        distance = np.linalg.norm(rest - self.rest, axis=1)
        near = np.argsort(distance, kind="stable")[:NEIGHBOURS]
        weight = 1.0 / np.maximum(distance[near], 1e-9)
        weight /= weight.sum()
        start = model.rest_position
        moved = [showing.positions.get(float(time), start)[body.points][near] - rest[near] for time in self.time]
        simulated = self.rest + np.einsum("p,tpx->tx", weight, np.array(moved))
        away = simulated - self.place
        metrics = {"rms [m]": rms(away.ravel()), "largest [m]": float(np.linalg.norm(away, axis=1).max())}
        details = {"time": self.time, "measured": self.place, "simulated": simulated}
        return Comparison(away.ravel() / self.noise, metrics, details)
