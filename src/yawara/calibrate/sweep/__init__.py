"""One scene, many values: a grid or a sample of parameters, each run on its own, and one table of what came out."""

from yawara.calibrate.sweep.perform import resume_sweep, sweep
from yawara.calibrate.sweep.table import Table

__all__ = ["Table", "resume_sweep", "sweep"]
