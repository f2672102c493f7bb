"""Who evaluates, by the name that the command line gives."""

from concurrent.futures import Executor

from yawara.calibrate.workers import Elsewhere, Evaluates, Here, Processes, Workers, usable_cores
from yawara.checks import SceneError

PROCESSES, HERE, DASK = "processes", "here", "dask"


def workers_for(problem: Evaluates, executor: str | Executor = PROCESSES, count: int | None = None) -> Workers:
    """'processes' (the default), 'here', 'dask' (a local cluster), 'dask://HOST:PORT', or an executor of `concurrent.futures`."""
    count = usable_cores() if count is None else count
    if isinstance(executor, Executor):
        return Elsewhere(problem, executor, count=count)
    if executor == PROCESSES:
        return Processes(problem, count)
    if executor == HERE:
        return Here(problem)
    if executor == DASK or executor.startswith(f"{DASK}://"):
        from yawara.calibrate.dask_workers import DaskWorkers, address_of

        return DaskWorkers(problem, address_of(executor), count)
    what = f"must be processes, here, dask or dask://HOST:PORT (got '{executor}'); leave it out for processes of this machine"
    raise SceneError([("--executor", what)], source="the command")
