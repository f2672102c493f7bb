"""The material that explains measurements, and how sure that is: fits, sweeps, laws from curves, synthetic measurements.

The names below are what programs are meant to use. They are looked up when they are asked for: who wants one does not wait for all, and
worker processes start with what they need.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yawara.calibrate.build import Loaded, build_problem
    from yawara.calibrate.extract.command import ExtractRequest, extract_law
    from yawara.calibrate.extract.outcome import Extraction
    from yawara.calibrate.fit import Fit, fit_problem
    from yawara.calibrate.fit_job import Workplace, resume_fit, run_fit
    from yawara.calibrate.intervals import IntervalMethod
    from yawara.calibrate.load import load_problem
    from yawara.calibrate.observation.cloud import Cloud
    from yawara.calibrate.observation.curve import Curve
    from yawara.calibrate.observation.markers import Marker
    from yawara.calibrate.observation.volume import VolumeAt
    from yawara.calibrate.parameter import Parameter
    from yawara.calibrate.problem import Experiment, Objective, Problem
    from yawara.calibrate.sweep.perform import resume_sweep, sweep_scene
    from yawara.calibrate.sweep.table import Table
    from yawara.calibrate.synth import Bench, Sample, measure_scene
    from yawara.calibrate.synth_files import write_sample

__all__ = [
    "Bench",
    "Cloud",
    "Curve",
    "Experiment",
    "ExtractRequest",
    "Extraction",
    "Fit",
    "IntervalMethod",
    "Loaded",
    "Marker",
    "Objective",
    "Parameter",
    "Problem",
    "Sample",
    "Table",
    "VolumeAt",
    "Workplace",
    "build_problem",
    "extract_law",
    "fit_problem",
    "load_problem",
    "measure_scene",
    "resume_fit",
    "resume_sweep",
    "run_fit",
    "sweep_scene",
    "write_sample",
]

_HOME = {
    "build": (
        "Loaded",
        "build_problem",
    ),
    "extract.command": (
        "ExtractRequest",
        "extract_law",
    ),
    "extract.outcome": ("Extraction",),
    "fit": (
        "Fit",
        "fit_problem",
    ),
    "intervals": ("IntervalMethod",),
    "load": ("load_problem",),
    "observation.cloud": ("Cloud",),
    "observation.curve": ("Curve",),
    "observation.markers": ("Marker",),
    "observation.volume": ("VolumeAt",),
    "parameter": ("Parameter",),
    "problem": (
        "Experiment",
        "Objective",
        "Problem",
    ),
    "fit_job": (
        "Workplace",
        "resume_fit",
        "run_fit",
    ),
    "sweep.perform": (
        "resume_sweep",
        "sweep_scene",
    ),
    "sweep.table": ("Table",),
    "synth": (
        "Bench",
        "Sample",
        "measure_scene",
    ),
    "synth_files": ("write_sample",),
}  # module: what is public of it


def __getattr__(name: str) -> Any:
    for module, public in _HOME.items():
        if name in public:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
