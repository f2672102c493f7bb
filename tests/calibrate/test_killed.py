"""A fit that is killed goes on as if nothing had been; so does one in a Dask cluster whose workers are killed."""

import inspect
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from calibration_cases import loaded_scene, small_problem
from waiting import wait_for
from yawara.calibrate import dask_workers
from yawara.calibrate.fit import fit_problem
from yawara.calibrate.journal import Journal
from yawara.calibrate.synth import Bench, measure_scene
from yawara.calibrate.synth_files import write_sample
from yawara.calibrate.target import with_values
from yawara.scene.file import scene_data

YAWARA = Path(sys.executable).with_name("yawara")
TIMES = ("seconds", "total_seconds", "evaluations_per_second")
RECORDS = (2, 5)  # evaluations, of about 35, after which a worker is killed, and the fit itself

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for children in /proc")


def workers_of(pid):
    """Children that evaluate; there is another one that looks after what they share."""
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def is_there(pid):
    """Running, not only waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def numbers_of(directory):
    """All of result.json but the times."""
    result = json.loads((directory / "result.json").read_text(encoding="utf-8"))
    return {key: value for key, value in result.items() if key not in TIMES}


def test_killed_in_the_middle_and_resumed_it_ends_with_the_same_numbers(tmp_path, command):
    """First one of its two worker processes is killed, then it itself; the workers must not outlive it."""
    scene = with_values(scene_data(loaded_scene()), {"time.step": 0.01})  # long enough to be caught in the middle
    experiment = write_sample(measure_scene(scene, Bench(points=300, noise=2e-4, times=(0.2, 0.5, 1.0))), tmp_path / "bench")
    killed, peaceful = tmp_path / "killed", tmp_path / "peaceful"
    process = subprocess.Popen(
        [YAWARA, "fit", experiment, "--out", killed, "--workers", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    size = 8 * (3 * 300 + 1)  # [B], of the residuals in a record

    def has(records):
        assert process.poll() is None, process.stderr.read().decode()
        journal = killed / "evaluations.journal"
        return journal.exists() and journal.stat().st_size > records * size

    wait_for(lambda: has(RECORDS[0]), "some records")
    workers = workers_of(process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    wait_for(lambda: has(RECORDS[1]), "more records")
    workers += workers_of(process.pid)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stderr.close()
    assert not (killed / "result.json").exists()
    torn = len(Journal(killed / "evaluations.journal").found)
    assert torn >= RECORDS[1]
    wait_for(lambda: not any(map(is_there, workers)), "its workers have ended")

    code, printed, message = command("fit", "--resume", killed, "--executor", "here")
    assert (code, message) == (0, "")
    assert "Fitted:" in printed
    assert command("fit", experiment, "--out", peaceful, "--executor", "here")[0] == 0
    assert numbers_of(killed) == numbers_of(peaceful)
    assert (killed / "evaluations.csv").read_bytes() == (peaceful / "evaluations.csv").read_bytes()
    assert len(Journal(killed / "evaluations.journal").found) > torn
    assert {path.name for path in killed.rglob("*")} == {path.name for path in peaceful.rglob("*")}

    before = {path: path.read_bytes() for path in killed.rglob("*") if path.is_file()}
    code, printed, _ = command("fit", "--resume", killed)
    assert (code, printed.strip()) == (0, f"{killed} is complete; nothing to do.")
    assert {path: path.read_bytes() for path in killed.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_answer_although_its_workers_are_killed():
    """First one of the two in the middle of a batch, then both between two batches: all they had of the problem is gone then."""
    pytest.importorskip("distributed")
    problem = small_problem(points=20)
    expected = fit_problem(problem, executor="here")
    killed = []

    def progress(standing):
        if (standing.fresh >= 6 and len(killed) == 0) or (standing.fresh >= 12 and len(killed) == 1 and not evaluating()):
            victims = dask_processes()
            for pid in victims[:1] if not killed else victims:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    found = fit_problem(problem, executor="dask", workers=2, progress=progress)
    assert len(killed) >= 2
    assert found.values == expected.values
    assert found.estimates == expected.estimates


def evaluating():
    """Whether progress is told while answers come in; else it is between two questions."""
    return any(frame.function == "done" for frame in inspect.stack())


def dask_processes():
    return [child.pid for child in multiprocessing.active_children() if "Dask" in child.name]


def test_a_scheduler_that_does_not_answer(tmp_path, command, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_workers, "PATIENCE", 0.5)
    experiment = write_sample(measure_scene(loaded_scene(), Bench(points=20)), tmp_path / "bench")
    code, _, message = command("fit", experiment, "--out", tmp_path / "out", "--executor", "dask://127.0.0.1:9")
    assert code == 2
    assert "--executor: must be the address of a Dask scheduler (got 'dask://127.0.0.1:9', where none answers)" in message
    assert "start one: dask scheduler" in message
    assert not (tmp_path / "out").exists()
