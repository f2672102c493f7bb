"""The figures of a run as plain data, for summary.json and for reports."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from yawara.fault import energy_noise
from yawara.observe.energies import balance_error
from yawara.observe.recorder import History
from yawara.scene.file import scene_data
from yawara.simulate import Result

PACKAGES = ("yawara", "numpy", "numba", "scipy", "pydantic", "h5py")


def versions() -> dict[str, str]:
    """Of Python and of what the result depends on."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def summarise(result: Result, *, wall_time: float) -> dict[str, Any]:
    """Every figure that the observers give, the parameters, the versions, the speed."""
    history, steps = result.history, result.state.step_count
    follows_energies = "energy.balance_error" in history.names
    noise = energy_noise(result.compiled.model, result.plan.largest_step)
    return {
        "scene": result.compiled.scene.name,
        "status": str(result.status),
        "failure": str(result.failure) if result.failure else None,
        "warnings": result.doubts,
        "bodies": _bodies(result),
        "figures": _figures(history),
        "recovery": _recoveries(result),
        "energy_balance_error": balance_error(history, noise) if follows_energies else None,
        "stepping": _stepping(result),
        "wall_time_s": wall_time,
        "steps_per_second": steps / wall_time if wall_time else None,
        "parameters": scene_data(result.compiled.scene),
        "versions": versions(),
    }


def _bodies(result: Result) -> dict[str, Any]:
    model, found = result.compiled.model, {}
    for body in model.bodies:
        family = result.compiled.scene.body[body.name].family
        found[body.name] = {
            "shape": body.shape,
            "points": body.point_end - body.point_begin,
            "elements": family.title,
            **({"links": len(body.links)} if family.joins else {}),
            "mass_kg": float(model.point.mass[body.points].sum()),
        }
    return found


def _figures(history: History) -> dict[str, Any]:
    return {
        column.name: {
            "unit": column.unit,
            "first": float(values[0]),
            "last": float(values[-1]),
            "least": float(values.min()),
            "greatest": float(values.max()),
        }
        for column, values in zip(history.columns, history.table.T, strict=True)
    }


def _recoveries(result: Result) -> dict[str, Any]:
    return {
        item.drive: {
            "pressed_m": item.pressed,
            "returned_m": item.returned,
            "residual_m": item.residual,
            "peak_force_N": item.peak_force,
        }
        for item in result.recoveries
    }


def _stepping(result: Result) -> dict[str, Any]:
    plan = result.plan
    return {
        "integrator": plan.integrator,
        "largest_step_s": plan.largest_step,
        "stable_step_s": plan.stable_step,
        "wished_step_s": plan.wished_step,
        "threads": plan.threads,
        "notice": plan.notice(),
        "steps": result.state.step_count,
    }
