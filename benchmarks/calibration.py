"""Evaluations per second of a calibration: in one process, in processes of this machine, in a local Dask cluster of as many workers.

    python benchmarks/calibration.py [--evaluations 100]

The problem is that of `yawara study recovery`: the papers' push on 6x4x6 points, compared with 3600 points at each of four times.
"""

import argparse
import time

import numpy as np

from yawara.calibrate.executors import workers_for
from yawara.calibrate.workers import usable_cores
from yawara.studies.recovery import CAMERA, problem, sample

WARM = 10  # evaluations per worker before time counts: the first to be there may do most of them


def rate(executor: str, count: int) -> float:
    """[1/s], once the workers are there and warm."""
    posed = problem(sample(CAMERA, 1))
    rows = list(posed.space.draw(np.random.default_rng(0), count))
    with workers_for(posed, executor, usable_cores()) as workers:
        workers.run(rows[: WARM * usable_cores()], lambda number, outcome: None)
        begun = time.perf_counter()
        workers.run(rows, lambda number, outcome: None)
        return count / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=100)
    options = parser.parse_args()
    for executor in ("here", "processes", "dask"):
        count = 1 if executor == "here" else usable_cores()
        print(f"{executor:10} {count} worker(s) {rate(executor, options.evaluations):8.2f} evaluations/s", flush=True)


if __name__ == "__main__":
    main()
