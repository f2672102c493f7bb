"""What an extraction gives: the law, how well it is known, and what there is to say about it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from yawara.calibrate.extract.choice import Choice
from yawara.calibrate.extract.criterion import aicc, bic, doubts
from yawara.calibrate.extract.curve import Curve, Quantity
from yawara.calibrate.extract.fit import Fit
from yawara.calibrate.extract.objections import objections
from yawara.kernels.kinds import Floats

ECHO = 0.3  # correlation of neighbouring residuals above which it is said that the law misses something
DEGENERATE = 0.98  # correlation of two parameters above which only their combination is known,
LOOSE = 0.1  # if each alone is known less well than this, relatively


@dataclass(frozen=True)
class Specimen:
    """Size of what was measured, as far as it is known."""

    section: float | None = None  # [m^2]
    length: float | None = None  # [m]
    density: float | None = None  # [kg/m^3]

    @property
    def shape(self) -> float | None:
        """Section over length [m]: stiffness [N/m] over modulus [Pa]."""
        return self.section / self.length if self.section and self.length else None


@dataclass(frozen=True)
class Extraction:
    """The best law with its curves; `stressed` says that they are of stress and strain, so that the law has moduli."""

    curves: tuple[Curve, ...]
    choice: Choice
    stressed: bool = False
    specimen: Specimen = Specimen()
    warnings: tuple[str, ...] = ()

    @property
    def fit(self) -> Fit:
        """The best law, chosen or not."""
        return self.choice.best

    @property
    def refusal(self) -> str:
        """Why the law is not chosen, and what to do; empty if it is."""
        if not self.choice.objections:
            return ""
        remedy = (
            "leave out --model, --elements and --with if they are given; check columns, units and protocol; measure longer, more "
            "quickly, or with less noise"
        )
        return f"no law is chosen. The best one is shown, but not to be trusted: {'; '.join(self.choice.objections)}; {remedy}"

    def verdict(self, fit: Fit) -> str:
        """Of a law in the table of those that were tried."""
        against = [words.partition(":")[0] for words in (*objections(fit, self.curves), *doubts(fit))]
        if fit is self.fit:
            return f"the best, but {against[0]}" if self.choice.objections else "chosen"
        return against[0] if against else "the criterion is higher"

    @property
    def quantities(self) -> list[Quantity]:
        """That were observed."""
        return [q for q in Quantity if any(item.quantity is q for curve in self.curves for item in curve.observed)]

    def unit(self, quantity: Quantity) -> str:
        units = ("Pa", "1") if self.stressed else ("N", "m")
        return units[0] if quantity is Quantity.FORCE else units[1]

    def word(self, quantity: Quantity) -> str:
        words = ("stress", "strain") if self.stressed else ("force", "displacement")
        return words[0] if quantity is Quantity.FORCE else words[1]

    @property
    def parameter_units(self) -> list[str]:
        stiffness, viscosity = ("Pa", "Pa s") if self.stressed else ("N/m", "N s/m")
        return [stiffness if is_stiffness else viscosity for is_stiffness in self.fit.family.stiffness]

    def remarks(self) -> list[str]:
        """All that is to be said about the data and the fit, the gravest first."""
        found = [*self.warnings, *self.choice.objections, *doubts(self.fit), *self._alone(), *self._echo(), *self._tied()]
        return found + [f"{Path(curve.name).name}: {notice}" for curve in self.curves for notice in curve.notices]

    def _echo(self) -> list[str]:
        echo = self.fit.echo
        if echo < ECHO:
            return []
        return [
            f"neighbouring residuals are correlated ({echo:.2f}): the law misses something that the curve has, and the criterion "
            f"counts more evidence than there is; intervals are widened {np.sqrt((1 + echo) / (1 - echo)):.2g} times for it"
        ]

    def _alone(self) -> list[str]:
        return ["only one start led to this minimum: there may be a lower one"] if self.fit.agreeing == 1 else []

    def _tied(self) -> list[str]:
        fit, names, correlation = self.fit, self.fit.family.names, self.fit.correlation
        return [
            f"{names[i]} and {names[j]} are known together only (correlation {correlation[i, j]:.3f})"
            for i in range(len(names))
            for j in range(i)
            if np.isfinite(correlation[i, j]) and abs(correlation[i, j]) > DEGENERATE and min(fit.deviation[[i, j]]) > LOOSE
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        fit = self.fit
        low, high = fit.intervals.T
        return {
            "chosen": self.choice.chosen is not None,
            "objections": list(self.choice.objections),
            "law": fit.law.model_dump(),
            "parameters": [
                {"name": name, "unit": unit, "value": value, "low_95": _plain(a), "high_95": _plain(b)}
                for name, unit, value, a, b in zip(fit.family.names, self.parameter_units, fit.values.tolist(), low, high, strict=True)
            ],
            "times_s": fit.part_times.tolist(),
            "correlation": [[_plain(value) for value in row] for row in fit.correlation],
            "rms": {self.word(q): {"value": fit.rms(self.curves, q), "unit": self.unit(q)} for q in self.quantities},
            "criterion": self.choice.criterion,
            "tried": [self._tried(item) for item in self.choice.fits],
            "remarks": self.remarks(),
            "curves": [{"name": curve.name, "rows": sum(len(item.times) for item in curve.observed)} for curve in self.curves],
        }  # fmt: skip

    def _tried(self, fit: Fit) -> dict[str, Any]:
        return {
            "law": fit.family.label,
            "parameters": len(fit.values),
            "aicc": _plain(aicc(fit)),
            "bic": bic(fit),
            "rms": {self.word(q): fit.rms(self.curves, q) for q in self.quantities},
            "objections": objections(fit, self.curves),
            "doubts": doubts(fit),
            "chosen": fit is self.choice.chosen,
        }


def _plain(value: float | Floats) -> float | None:
    """JSON has no infinity."""
    return float(value) if np.isfinite(value) else None
