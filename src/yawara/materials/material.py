"""What a body is made of, in numbers that do not depend on how finely it is divided: density, moduli, times."""

import math
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.laws import ThreeElement, Voigt
from yawara.materials.energy import AnyEnergy
from yawara.materials.memory import PronyTerm, check_prony
from yawara.materials.residual import relaxation_time_for

PLAUSIBLE = "plausible, not measured"
RETARDATION_TIME = 0.01  # [s], if nothing is said: a block of dough as large as a hand swings once or twice, then rests

_WHY = (
    "links alone, being central forces, give {least}; a pressure in each cell adds the rest, and it can only add stiffness against "
    "a change of {size}"
)
WHY_3D, WHY_2D = _WHY.format(least="1/4", size="volume"), _WHY.format(least="1/3 in a sheet", size="area")
POISSON_RANGE = {2: (1.0 / 3.0, 0.5, WHY_2D), 3: (0.25, 0.49, WHY_3D)}  # by dimension
ROUNDED = 1e-3  # 0.333 is meant to be 1/3
SAME = 1e-6  # of moduli that are given twice
LEAST_BULK = 2.0 / 3.0  # of the shear modulus: a Poisson's ratio of 0
MEASURED = ("energy", "prony", "yield_stress", "yield_viscosity")  # which say how it flows
OF_SOME = (*MEASURED, "bulk_viscosity")  # what only families that say so can have
FLOW = ("relaxation_time", "flow_viscosity", "residual_fraction")

Density = Annotated[float, Quantity("kg/m^3", gt=0, remedy="dough has about 1200, water 1000")]
Modulus = Annotated[float, Quantity("Pa", gt=0, remedy="dough has about 1e4, rubber 1e6")]
Poisson = Annotated[float, Quantity("1", ge=0.0, le=0.5, remedy="foam has about 0.1, dough 0.45, what keeps its volume 0.49")]
Time = Annotated[float, Quantity("s", gt=0, remedy="give a positive time in seconds")]
TimeOrZero = Annotated[float, Quantity("s", ge=0, remedy="0 is at once")]
Viscosity = Annotated[float, Quantity("Pa s", ge=0, remedy="a damper cannot feed energy")]
FlowViscosity = Annotated[float, Quantity("Pa s", gt=0, remedy="leave it out for a material that does not flow")]
YieldStress = Annotated[float, Quantity("Pa", ge=0, remedy="0 is a material that flows under any load")]
YieldViscosity = Annotated[
    float, Quantity("Pa s", gt=0, remedy="a tenth of shear_modulus times the shortest time of interest is little")
]
Share = Annotated[float, Quantity("1", gt=0, le=0.999, remedy="leave it out for a material that returns in full")]


def _two_times(value: Any) -> Any:
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
        raise fail(f"must be two times in s, of pressing and of holding (got {value!r}); write for example [1.0, 1.0]")
    return value


class Material(Part):
    """A solid that springs back in part: isotropic, with a Voigt part that returns and a damper in series that flows.

    Or as measured: with an energy, a Prony series and a yield stress.
    """

    density: Density = Field(description="mass over volume")
    youngs_modulus: Modulus | None = Field(None, description="stress over strain in a pull; or give shear_modulus")
    shear_modulus: Modulus | None = Field(None, description="shear stress over shear angle; or give youngs_modulus")
    poisson: Poisson = Field(0.25, description="Poisson's ratio: 0 to 0.499; with links 0.25 to 0.49, in a sheet 1/3 to 0.5")

    retardation_time: TimeOrZero | None = Field(None, description="in which what springs back does; 0.01 s if left out")
    relaxation_time: Time | None = Field(None, description="in which the force of a held body falls to 1/e; it flows")
    viscosity: Viscosity | None = Field(None, description="of what springs back, counted like Young's modulus")
    flow_viscosity: FlowViscosity | None = Field(None, description="of the flow, counted like Young's modulus")
    residual_fraction: Share | None = Field(None, description="share of a deformation that stays for ever")
    residual_after: Annotated[tuple[Time, TimeOrZero], BeforeValidator(_two_times)] | None = Field(
        None, description="times in which that deformation is made, at constant speed, and held [s]; 1 s and 1 s if left out"
    )
    bulk_modulus: Modulus | None = Field(None, description="pressure over loss of volume; or give poisson")
    bulk_viscosity: Viscosity | None = Field(
        None, description="pressure over the rate at which volume is lost; bulk modulus times retardation time if left out"
    )
    energy: AnyEnergy | None = Field(None, description="what a change of shape stores at large strains, instead of a modulus")
    prony: tuple[PronyTerm, ...] = Field(
        (), description="what of the shear stress relaxes: shares of that at once, and their times"
    )
    yield_stress: YieldStress | None = Field(None, description="tension beyond which it flows, and stays deformed")
    yield_viscosity: YieldViscosity | None = Field(None, description="tension beyond that, over the rate at which it flows")
    source: str = Field("", description="where the numbers come from")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_modulus()
        self._check_volume()
        self._check_measured()
        self._check_one_way()
        if self.relaxation_time is not None and self.relaxation_time <= self.retardation:
            raise fail(
                f"relaxation_time must be > retardation_time = {self.retardation:g} s (got {self.relaxation_time:g} s); "
                "make it longer, or the other shorter"
            )
        return self

    def _check_modulus(self) -> None:
        if self.energy is not None:
            if given := self._given("youngs_modulus", "shear_modulus"):
                raise fail(
                    f"{given[0]} must be left out with energy (got both), which has a modulus of its own; keep one of them"
                )
            return
        if (self.youngs_modulus is None) == (self.shear_modulus is None):
            got = "neither" if self.youngs_modulus is None else "both"
            raise fail(f"needs exactly one of youngs_modulus [Pa] and shear_modulus [Pa] (got {got}); keep one of them")

    def _check_volume(self) -> None:
        """Poisson's ratio from the bulk modulus, nu = (3 K - 2 G)/(2 (3 K + G))."""
        stated, K = "poisson" in self.model_fields_set, self.bulk_modulus
        if K is None:
            if self.energy is not None and not stated:
                raise fail("needs poisson or bulk_modulus [Pa] beside energy (got neither); poisson = 0.49 keeps volume well")
            return
        if self.youngs_modulus is not None:
            raise fail("bulk_modulus must stand beside shear_modulus or energy (got youngs_modulus); give poisson instead")
        G = self.shear
        if K < LEAST_BULK * G * (1.0 - SAME):
            raise fail(
                f"bulk_modulus must be >= 2/3 of the shear modulus of {G:g} Pa (got {K:g} Pa), or Poisson's ratio is negative; raise it"
            )
        nu = max(0.0, (3.0 * K - 2.0 * G) / (2.0 * (3.0 * K + G)))
        if stated and abs(nu - self.poisson) > SAME:
            raise fail(
                f"poisson must be left out beside bulk_modulus (got {self.poisson:g}, which is not its {nu:g}); keep one of them"
            )
        object.__setattr__(self, "poisson", nu)

    def _check_measured(self) -> None:
        check_prony(self.prony)
        if (self.yield_stress is None) != (self.yield_viscosity is None):
            names = ("yield_viscosity [Pa s]", "yield_stress"), ("yield_stress [Pa]", "yield_viscosity")
            missing, given = names[0 if self.yield_viscosity is None else 1]
            raise fail(
                f"{missing} must be given together with {given} (got {given} alone); the viscosity says how fast it flows beyond the "
                "yield stress, and must not be 0"
            )
        own, flow = [name for name in self.measured if name in MEASURED], self._given(*FLOW)
        if own and flow:
            raise fail(
                f"{flow[0]} must be left out with {own[0]} (got both), which says how it relaxes and flows; keep one of them"
            )

    @property
    def measured(self) -> list[str]:
        """Names of what is given of it that only some families of elements can have."""
        return [name for name in OF_SOME if getattr(self, name) not in (None, ())]

    def _check_one_way(self) -> None:
        ways = {
            "times": self._given("relaxation_time") or self._given("retardation_time"),
            "viscosities": self._given("viscosity", "flow_viscosity"),
            "a residual": self._given("residual_fraction", "residual_after"),
        }
        given = {way: names for way, names in ways.items() if names}
        if ways["a residual"] and not self._given("relaxation_time"):
            given.pop("times", None)  # a retardation_time goes with a residual
        if len(given) > 1:
            names = " and ".join(name for group in given.values() for name in group)
            raise fail(f"must say how it flows in one way, by {' or '.join(given)} (got {names}); keep one of them")
        if self.residual_after is not None and self.residual_fraction is None:
            raise fail("residual_after needs residual_fraction (got none); add the share that stays, or leave it out")

    def _given(self, *names: str) -> list[str]:
        return [name for name in names if getattr(self, name) is not None]

    @property
    def plausible(self) -> bool:
        """Whether some of the numbers are plausible only, not measured."""
        return PLAUSIBLE in self.source

    @property
    def youngs(self) -> float:
        """E [Pa]"""
        return self.youngs_modulus if self.youngs_modulus is not None else 2.0 * (1.0 + self.poisson) * self.shear

    @property
    def shear(self) -> float:
        """mu = E / (2 (1 + nu)) [Pa]"""
        if self.energy is not None:
            return self.energy.shear
        return (
            self.shear_modulus if self.shear_modulus is not None else (self.youngs_modulus or 0.0) / (2.0 * (1.0 + self.poisson))
        )

    @property
    def lame(self) -> float:
        """lambda = 2 mu nu / (1 - 2 nu) [Pa]"""
        return 2.0 * self.shear * self.poisson / (1.0 - 2.0 * self.poisson) if self.poisson < 0.5 else math.inf

    @property
    def bulk(self) -> float:
        """K = lambda + 2/3 mu [Pa]"""
        return self.lame + 2.0 / 3.0 * self.shear

    @property
    def retardation(self) -> float:
        """tau_1 = c1/k1 [s], in which what springs back does."""
        if self.viscosity is not None:
            return self.viscosity / self.youngs
        return self.retardation_time if self.retardation_time is not None else RETARDATION_TIME

    @property
    def relaxation(self) -> float:
        """tau_R = (c1 + c2)/k1 [s], in which the force of a held body falls to 1/e; infinite if the material does not flow."""
        if self.relaxation_time is not None:
            return self.relaxation_time
        if self.flow_viscosity is not None:
            return self.retardation + self.flow_viscosity / self.youngs
        if self.residual_fraction is not None:
            return relaxation_time_for(self.residual_fraction, self.retardation, *(self.residual_after or (1.0, 1.0)))
        return math.inf

    def law(self) -> ThreeElement | Voigt:
        """The law of a link of weight 1 m: its stiffness [N/m] is the shear modulus [Pa] in number."""
        return _law(self.shear, self.retardation, self.relaxation)

    def bulk_weight(self, dimension: int) -> float:
        """lambda/mu - 1: what the pressure in the cells adds to the links, over the shear modulus; refused where it cannot."""
        if dimension == 1:
            return 0.0  # a row has no cells
        nu, (least, most, why) = self.poisson, POISSON_RANGE[dimension]
        if not least - ROUNDED <= nu <= most + ROUNDED:
            kind = "a sheet" if dimension == 2 else "a body with volume"
            raise ValueError(f"poisson must be {least:.3g} to {most:.3g} in {kind} (got {nu:g}); {why}")
        # a thin sheet changes its thickness freely: plane stress, lambda = E nu / (1 - nu^2)
        ratio = 2.0 * nu / (1.0 - nu) if dimension == 2 else 2.0 * nu / (1.0 - 2.0 * nu)
        return max(ratio - 1.0, 0.0)


@lru_cache(maxsize=64)
def _law(k: float, tau_1: float, tau_R: float) -> ThreeElement | Voigt:
    # the force at held deformation falls with A = k1/(c1 + c2) = 1/tau_R, so c1 = k1 tau_1, c2 = k1 (tau_R - tau_1)
    if math.isinf(tau_R):
        return Voigt(k=k, c=k * tau_1)
    return ThreeElement(k1=k, c1=k * tau_1, c2=k * (tau_R - tau_1))
