"""The volume of a body at one time, as by the water that it displaces."""

from dataclasses import dataclass

import numpy as np

from yawara.calibrate.observation.base import GIVEN, Comparison, Momentary, Showing, noise_warnings
from yawara.calibrate.observation.cloud import body_with_surface
from yawara.checks import SceneError
from yawara.observe.measure import enclosed_volume
from yawara.scene.compile import Compiled

ALIKE = 30.0  # ratio to the volume at rest beyond which a unit must be wrong


@dataclass(frozen=True)
class VolumeAt(Momentary):
    """One number."""

    name: str
    value: float  # [m^3]
    time: float  # [s]
    body: str
    noise: float  # [m^3]
    source: str = GIVEN
    kind = "volume"

    @property
    def count(self) -> int:
        return 1

    def check(self, compiled: Compiled) -> list[str]:
        body = body_with_surface(compiled, self.body, self.source)
        rest = enclosed_volume(compiled.model.rest_position, body.closed)
        if not 1.0 / ALIKE < self.value / rest < ALIKE:
            what = f"must be near the body's {rest:.4g} m^3 (got {self.value:.4g} m^3); give it in cubic metres, 1 cm^3 is 1e-6"
            raise SceneError([("value", what)], source=self.source)
        return noise_warnings(self.noise, self.value, "the volume", self.source, "m^3")

    def compare(self, showing: Showing) -> Comparison:
        body = showing.compiled.model.body(self.body)
        away = enclosed_volume(showing.positions[self.time], body.closed) - self.value
        return Comparison(
            np.array([away / self.noise]), {"error [m^3]": away}, {"measured": self.value, "simulated": self.value + away}
        )
