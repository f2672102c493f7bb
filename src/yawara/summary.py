"""The figures of a run as plain data, for summary.json and for reports."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from yawara.fault import energy_noise
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


def balance_error(history: History, noise: float = 0.0) -> float:
    """Largest error of the energy balance over the run, relative to the largest energy in it; 0 if that is `noise` [J] or less."""
    names = [name for name in history.names if name.startswith("energy.") and name != "energy.balance_error"]
    scale = max((abs(history[name]).max() for name in names), default=0.0)
    return float(abs(history["energy.balance_error"]).max() / scale) if scale > noise else 0.0


def summarise(result: Result, *, wall_time: float) -> dict[str, Any]:
    """Every figure that the observers give, the parameters, the versions, the speed."""
    model, plan, history = result.compiled.model, result.plan, result.history
    figures = {
        column.name: {
            "unit": column.unit,
            "first": float(values[0]),
            "last": float(values[-1]),
            "least": float(values.min()),
            "greatest": float(values.max()),
        }
        for column, values in zip(history.columns, history.table.T, strict=True)
    }
    return {
        "scene": result.compiled.scene.name,
        "status": str(result.status),
        "failure": str(result.failure) if result.failure else None,
        "bodies": {
            body.name: {
                "shape": body.shape,
                "points": body.point_end - body.point_begin,
                "links": len(body.links),
                "mass_kg": float(model.arrays.point.mass[body.points].sum()),
            }
            for body in model.bodies
        },
        "figures": figures,
        "recovery": {
            item.drive: {
                "pressed_m": item.pressed,
                "returned_m": item.returned,
                "residual_m": item.residual,
                "peak_force_N": item.peak_force,
            }
            for item in result.recoveries
        },
        "energy_balance_error": balance_error(history, energy_noise(model, plan.largest_step))
        if "energy.balance_error" in history.names
        else None,
        "stepping": {
            "integrator": plan.integrator,
            "largest_step_s": plan.largest_step,
            "stable_step_s": plan.stable_step,
            "wished_step_s": plan.wished_step,
            "threads": plan.threads,
            "notice": plan.notice(),
            "steps": result.state.step_count,
        },
        "wall_time_s": wall_time,
        "steps_per_second": result.state.step_count / wall_time if wall_time else None,
        "parameters": scene_data(result.compiled.scene),
        "versions": versions(),
    }
