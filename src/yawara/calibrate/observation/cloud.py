"""Points on the surface of a body, as a depth camera gives them, at one time.

The residual of a point is its distance from the deformed surface, counted positive outside: it is smooth where its size would have a kink,
and noise leaves its mean at zero. The papers' measures are made of its size: the sum S of distances, those below the camera's error left
out, and the number of points further away than 0.25 cm.
"""

from dataclasses import dataclass

import numpy as np

from yawara.calibrate.observation.base import GIVEN, Comparison, Momentary, Showing, noise_warnings, rms
from yawara.checks import SceneError
from yawara.core.model import BodyRange
from yawara.kernels.kinds import Floats
from yawara.meshes.distance import signed_distance
from yawara.scene.compile import Compiled

NEAR = 1.0  # of the body's diagonal: points further away than this belong to something else
ALIKE = 30.0  # ratio of sizes beyond which a unit must be wrong
CAMERA_NOISE, FAR_AWAY = 0.0005, 0.0025  # [m]: 0.05 cm and 0.25 cm in Noborio et al. 2003
FEW_NEAR = 0.5  # share of points near the body below which there is a warning


@dataclass(frozen=True)
class Cloud(Momentary):
    """Points of one body at one time."""

    name: str
    points: Floats  # [m], (point_count, 3)
    time: float  # [s]
    body: str
    noise: float  # [m], of each coordinate
    ignore: float = CAMERA_NOISE  # [m]: shorter distances do not count in S
    beyond: float = FAR_AWAY  # [m]: points further away are counted
    source: str = GIVEN
    kind = "cloud"

    @property
    def count(self) -> int:
        return len(self.points)

    def check(self, compiled: Compiled) -> list[str]:
        body = body_with_surface(compiled, self.body, self.source)
        rest = compiled.model.rest_position[body.points]
        low, high = rest.min(axis=0), rest.max(axis=0)
        size, spread = float(np.linalg.norm(high - low)), float(np.linalg.norm(np.ptp(self.points, axis=0)))
        beside = np.linalg.norm(np.maximum(np.maximum(low - self.points, self.points - high), 0.0), axis=1)
        ratio = spread / size
        if ratio > ALIKE or 0.0 < ratio < 1.0 / ALIKE:
            what = (
                f"spreads over {spread:.3g} m, body '{self.body}' over {size:.3g} m, {ratio:.3g} times as much; "
                "set unit, for example unit = 'mm'"
            )
            raise SceneError([("file", what)], source=self.source)
        near = float(np.mean(beside < NEAR * size))
        if near == 0.0:
            what = (
                f"is nowhere near body '{self.body}': the nearest of its points is {beside.min():.3g} m away from it, which is "
                f"{size:.3g} m large; move the points with move = [x, y, z] [m], or check unit and time"
            )
            raise SceneError([("file", what)], source=self.source)
        warnings = noise_warnings(self.noise, size, f"body '{self.body}'", self.source, "m")
        if near < FEW_NEAR:
            warnings.append(
                f"{self.source}: only {100 * near:.0f} % of the points are near body '{self.body}'; cut the rest away"
            )
        return warnings

    def compare(self, showing: Showing) -> Comparison:
        body = showing.compiled.model.body(self.body)
        position = showing.positions[self.time]
        distance = signed_distance(position, body.closed.astype(np.int64), self.points)
        size = np.abs(distance)
        counted = size >= self.ignore
        metrics = {
            "S [m]": float(size[counted].sum()),
            "S/N [m]": float(size[counted].sum() / len(size)),
            "beyond": float(np.count_nonzero(size > self.beyond)),
            "points": float(len(size)),
            "rms [m]": rms(distance),
        }
        return Comparison(distance / self.noise, metrics, {"distance": distance, "position": position, "body": body})


def body_with_surface(compiled: Compiled, name: str, source: str) -> BodyRange:
    body = compiled.model.body(name)
    if not len(body.closed):
        what = f"must be a body with a closed surface (got '{name}', which has none); compare markers or curves instead"
        raise SceneError([("body", what)], source=source)
    return body
