"""What the sliders of a touched body set: a few numbers that a hand can feel, and the material that has them."""

from collections.abc import Mapping

from yawara.checks import nearest
from yawara.live.messages import Setting
from yawara.materials.material import Material
from yawara.materials.residual import residual_share
from yawara.scene.bodies import AnyBody
from yawara.scene.effects import Volume
from yawara.scene.scene import Scene

LEAST_POISSON, MOST_POISSON = 0.01, 0.495
PRESS, HOLD = 1.0, 1.0  # [s], for which a residue is told


def settings_of(body: AnyBody) -> dict[str, Setting]:
    """The sliders of a body; none if it has no material, but a law in the papers' numbers, or one as measured."""
    material, volume = body.material, body.volume
    if not isinstance(material, Material) or set(material.measured) - {"bulk_viscosity"}:
        return {}
    residue = 0.01
    if material.relaxation < float("inf"):
        residue = residual_share(material.retardation, material.relaxation, PRESS, HOLD)
    E, tau = material.youngs, material.retardation
    settings = {
        "stiffness": Setting("Stiffness", "Pa", 0.25 * E, 4.0 * E, E, True, "Young's modulus: how hard it is to press"),
        "return_time": Setting("Return", "s", min(0.002, tau), max(0.06, tau), tau, True, "in which what springs back does"),
        "residue": Setting(
            "Residue", "", 0.01, 0.95, min(max(residue, 0.01), 0.95), False, "share that stays of a press of 1 s, held for 1 s"
        ),
    }
    if volume is not None:
        kept = volume.cavity / (volume.cavity + material.youngs)
        settings["volume"] = Setting(
            "Volume", "", 0.05, 0.98, min(max(kept, 0.05), 0.98), False, "how hard it is to change the whole volume"
        )
    elif body.family.any_poisson:
        nu = min(max(material.poisson, LEAST_POISSON), MOST_POISSON)
        settings["poisson"] = Setting(
            "Poisson's ratio",
            "",
            LEAST_POISSON,
            MOST_POISSON,
            nu,
            False,
            "how much it widens where it is pressed; near 0.5 it keeps its volume",
        )
    return settings


def with_settings(scene: Scene, body: str, settings: Mapping[str, float]) -> Scene:
    """The scene with a body that has these settings. ValueError if there is no such body or setting, or a value is out of range."""
    if body not in scene.body:
        raise ValueError(f"there is no body {body!r}; {nearest(body, scene.body)}")
    old = scene.body[body]
    known = settings_of(old)
    values = {name: one.value for name, one in known.items()}
    for name, value in settings.items():
        if name not in known:
            raise ValueError(f"{body} has no setting {name!r}; {nearest(name, known)}")
        if not 0.0 < value < float("inf"):
            raise ValueError(f"{name} must be positive [{known[name].unit}] (got {value!r})")
        values[name] = float(value)
    if not isinstance(old.material, Material) or not known:
        raise ValueError(f"{body} has no settings, as it has a law of its own; give it a material")
    material = Material(
        density=old.material.density,
        youngs_modulus=values["stiffness"],
        poisson=values.get("poisson", old.material.poisson),
        retardation_time=values["return_time"],
        bulk_viscosity=_bulk_viscosity(old.material, values),
        residual_fraction=min(values["residue"], 0.99),
        residual_after=(PRESS, HOLD),
        source=old.material.source,
    )
    changed = old.model_copy(update={"material": material, "volume": _volume(old.volume, values)})
    return scene.model_copy(update={"body": {**scene.body, body: changed}})


def _bulk_viscosity(old: Material, values: Mapping[str, float]) -> float | None:
    """In the same proportion to that of shear, if it has one of its own."""
    if old.bulk_viscosity is None:
        return None
    return old.bulk_viscosity * values["stiffness"] * values["return_time"] / (old.youngs * old.retardation)


def _volume(old: Volume | None, values: Mapping[str, float]) -> Volume | None:
    if old is None:
        return None
    kept = min(values["volume"], 0.99)
    return old.model_copy(update={"cavity": kept / (1.0 - kept) * values["stiffness"]})
