"""Places of marked material points over time, as a motion capture gives them."""

from dataclasses import dataclass

import numpy as np

from yawara.calibrate.observation.base import GIVEN, Comparison, Observation, Showing, noise_warnings, rms
from yawara.checks import SceneError
from yawara.core.model import BodyRange
from yawara.kernels.kinds import Floats
from yawara.meshes.embed import embed
from yawara.meshes.rows import Integers
from yawara.scene.compile import Compiled

FAR = 1.0  # of the body's diagonal: a marker further away than this is not on it
NEIGHBOURS = 4  # points that carry a marker between them, of a body without tetrahedra


@dataclass(frozen=True)
class Marker(Observation):
    """One marked point at several times; it goes with the points of the body around its place at rest."""

    name: str
    time: Floats  # [s], increasing
    place: Floats  # [m], (time_count, 3)
    body: str
    rest: Floats  # [m], (3,): where on the undeformed body
    noise: float  # [m], of each coordinate
    source: str = GIVEN
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
            what = (
                f"begins {away:.3g} m away from body '{self.body}', which is {size:.3g} m large; check the units of its columns"
            )
            raise SceneError([("file", what)], source=self.source)
        return noise_warnings(self.noise, size, f"body '{self.body}'", self.source, "m")

    def _carriers(self, rest: Floats, body: BodyRange) -> tuple[Integers, Floats]:
        """Points of the model that carry it, and their weights, of sum 1: it moves as the inside of its tetrahedron does."""
        if body.dimension == 3:
            tetrahedra = body.elements.astype(np.int64)
            chosen, weights = embed(self.rest[None], rest, tetrahedra)
            return tetrahedra[chosen[0]], weights[0]
        distance = np.linalg.norm(rest[body.points] - self.rest, axis=1)
        near = np.argsort(distance, kind="stable")[:NEIGHBOURS]
        weight = 1.0 / np.maximum(distance[near], 1e-9)
        return near + body.point_begin, weight / weight.sum()

    def compare(self, showing: Showing) -> Comparison:
        model = showing.compiled.model
        body = model.body(self.body)
        start = model.rest_position
        near, weight = self._carriers(start, body)
        moved = [showing.positions.get(float(time), start)[near] - start[near] for time in self.time]
        simulated = self.rest + np.einsum("p,tpx->tx", weight, np.array(moved))
        away = simulated - self.place
        metrics = {"rms [m]": rms(away.ravel()), "largest [m]": float(np.linalg.norm(away, axis=1).max())}
        details = {"time": self.time, "measured": self.place, "simulated": simulated}
        return Comparison(away.ravel() / self.noise, metrics, details)
