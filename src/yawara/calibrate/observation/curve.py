"""A measured number over time, beside a column of the history: a force, a displacement, a height."""

from dataclasses import dataclass

import numpy as np

from yawara.calibrate.observation.base import GIVEN, Comparison, Observation, Showing, noise_warnings, rms
from yawara.checks import SceneError, nearest
from yawara.kernels.kinds import Floats
from yawara.observe.probes import measures
from yawara.scene.compile import Compiled

ALIKE = 100.0  # ratio of the largest values beyond which a unit may be wrong; a start is seldom as far off


@dataclass(frozen=True)
class Curve(Observation):
    """Values at times."""

    name: str
    quantity: str  # column of the history
    time: Floats  # [s], increasing
    values: Floats  # in the column's unit
    noise: float  # in the column's unit
    source: str = GIVEN
    unit: str = ""  # of the values, for reports
    kind = "curve"

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.quantity,)

    @property
    def end(self) -> float:
        return float(self.time[-1])

    @property
    def count(self) -> int:
        return len(self.time)

    def check(self, compiled: Compiled) -> list[str]:
        units = {column.name: column.unit for measure in measures(compiled) for column in measure.columns}
        if self.quantity not in units:
            what = f"'{self.quantity}' is not measured in this scene; {nearest(self.quantity, units)}"
            raise SceneError([("quantity", what)], source=self.source)
        if units[self.quantity] != self.unit:
            own = self.unit or "no unit"
            what = f"'{self.quantity}' is in {units[self.quantity]}, the curve in {own}; choose another column, or its unit"
            raise SceneError([("value", what)], source=self.source)
        return noise_warnings(
            self.noise, float(np.abs(self.values).max()), f"the largest {self.quantity}", self.source, self.unit
        )

    def doubts(self, residual: Floats) -> list[str]:
        measured, simulated = (float(np.abs(values).max()) for values in (self.values, self.values + self.noise * residual))
        if max(measured, simulated) <= ALIKE * min(measured, simulated):
            return []
        return [
            f"{self.name}: the largest {self.quantity} is {measured:.3g} {self.unit} as measured in {self.source}, but "
            f"{simulated:.3g} {self.unit} as simulated with the start values; check the unit and the scale of the column, or the start"
        ]

    def compare(self, showing: Showing) -> Comparison:
        simulated = np.interp(self.time, showing.history["time"], showing.history[self.quantity])
        away = simulated - self.values
        metrics = {f"rms [{self.unit}]": rms(away), f"largest [{self.unit}]": float(np.abs(away).max())}
        return Comparison(away / self.noise, metrics, {"time": self.time, "measured": self.values, "simulated": simulated})
