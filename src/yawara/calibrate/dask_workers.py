"""Evaluations in a Dask cluster: a local one, or one of many machines. Needs the extra `dask`."""

import pickle
from collections.abc import Sequence
from concurrent.futures import CancelledError, Executor
from typing import Any

from yawara.calibrate.workers import Done, Elsewhere, Evaluates, WorkersLostError
from yawara.checks import SceneError
from yawara.kernels.kinds import Floats

SCHEME = "dask"
PATIENCE = 20  # [s] to reach a scheduler


class DaskWorkers(Elsewhere):
    """Closes what it opened: a local cluster, or only the connection to another one."""

    def __init__(self, problem: Evaluates, address: str | None, count: int) -> None:
        distributed = _distributed()
        self._cluster: Any = None
        if address is None:
            self._cluster = distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
        try:
            self._client: Any = distributed.Client(self._cluster or f"tcp://{address}", timeout=PATIENCE)
        except OSError:
            what = (
                f"must be the address of a Dask scheduler (got 'dask://{address}', where none answers); start one: dask scheduler"
            )
            raise SceneError([("--executor", what)], source="the command") from None
        workers = len(self._client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise SceneError(
                [("--executor", f"dask://{address} has no workers; start some: dask worker {address}")], source="the command"
            )
        executor: Executor = self._client.get_executor()
        super().__init__(problem, executor, count=workers, keep=self._kept_there)

    def _kept_there(self, problem: Evaluates) -> Any:
        """The problem as the result of a task: a worker that dies with it does no harm, as the scheduler has it made again."""
        return self._client.submit(pickle.loads, pickle.dumps(problem), pure=False)

    def run(self, rows: Sequence[Floats], done: Done) -> None:
        try:
            super().run(rows, done)
        except (_distributed().KilledWorker, CancelledError) as error:
            what = f"died again and again ({type(error).__name__}); use fewer for each machine, or give them more memory, and --resume"
            raise WorkersLostError([("workers", what)], source="the Dask cluster") from None

    def close(self) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        what = "needs Dask, which is not installed; install it: pip install 'yawara[dask]'"
        raise SceneError([("--executor", what)], source="the command") from None
    return distributed


def address_of(text: str) -> str | None:
    """HOST:PORT of 'dask://HOST:PORT'; None for 'dask', a local cluster."""
    _, _, address = text.partition("://")
    return address or None
