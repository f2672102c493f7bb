"""Compiles the kernels in processes of their own, before the first run of a version on a machine.

A process that has just compiled a kernel may round its last bit differently from one that loads it from the cache (the linker then picks
among several compiled copies of the same function). So that the first run gives the same bits as all later ones, nobody runs what he
compiled himself. The parts compile side by side.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from yawara.jit import cache_directory, source_digest

PARTS = ("look", "explicit", "implicit")
PATIENCE = 240.0  # [s] for another process that compiles the same part


def ensure_compiled(*parts: str) -> None:
    """Wait until these parts are in the cache; where that is not possible, kernels compile when they are called."""
    directory = cache_directory()
    if directory is None or "YAWARA_WARMING" in os.environ:
        return
    wanted = [part for part in parts if not _mark(directory, part).exists()]
    mine = [part for part in wanted if _lock(directory, part)]
    processes = [_start(part) for part in mine]
    try:
        for part, process in zip(mine, processes, strict=True):
            if process.wait() == 0:
                _mark(directory, part).touch()
    finally:
        for part, process in zip(mine, processes, strict=True):
            process.kill()  # does nothing to one that has ended
            (directory / f"{part}.lock").unlink(missing_ok=True)
    begin = time.monotonic()
    while any(_is_busy(directory, part) for part in wanted) and time.monotonic() - begin < PATIENCE:
        time.sleep(0.1)


def is_compiled(*parts: str) -> bool:
    """Whether these parts need not be waited for."""
    directory = cache_directory()
    return directory is not None and all(_mark(directory, part).exists() for part in parts)


def _mark(directory: Path, part: str) -> Path:
    return directory / f"{part}-{source_digest()}.done"


def _is_busy(directory: Path, part: str) -> bool:
    path = directory / f"{part}.lock"
    return path.exists() and not _mark(directory, part).exists() and _is_held(path)


def _is_held(path: Path) -> bool:
    """Whether the process that made the lock is still there; one that was killed leaves its lock behind."""
    try:
        if time.time() - path.stat().st_mtime > PATIENCE:
            return False
        number = int(path.read_text() or 0)
        if number > 0 and os.name == "posix":
            os.kill(number, 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError):
        return True
    return True


def _lock(directory: Path, part: str) -> bool:
    """Whether this process is the one to compile the part; a lock that was left behind does not count."""
    path = directory / f"{part}.lock"
    try:
        if path.exists() and not _is_held(path):
            path.unlink(missing_ok=True)
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        os.write(file, str(os.getpid()).encode())
        os.close(file)
    except OSError:
        return False
    return True


def _start(part: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "YAWARA_WARMING": part}
    quiet = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-m", "yawara.warm", part], env=environment, stdin=quiet, stdout=quiet, stderr=quiet)


def compile_part(part: str) -> None:
    """Call every kernel of the part once, on a small body."""
    from yawara.contact.speed import greatest_speed
    from yawara.control import Control
    from yawara.fault import fault_of
    from yawara.forces.operator import no_slopes
    from yawara.frame import Frame
    from yawara.held import hold
    from yawara.integrators import SCHEMES
    from yawara.integrators.runner import Runner
    from yawara.integrators.watch import PowerIteration
    from yawara.laws import Voigt
    from yawara.model import Model
    from yawara.scene.bodies import Truss
    from yawara.scene.build import kernel_arrays, pieces_of
    from yawara.scene.contact import Contact
    from yawara.scene.scene import Scene, Time
    from yawara.scene.tools import Floor
    from yawara.scene.tools.build import tool_turns
    from yawara.state import State

    body = Truss(counts=(2, 2, 2), spacing=1.0, mass=1.0, law=Voigt(k=1.0, c=1.0))
    scene = Scene(time=Time(end=1.0), body={"body": body}, tool={"floor": Floor()}, contact=Contact())
    pieces = pieces_of(scene, {"body": body.geometry()}, {"body": 0})
    arrays, position, *_ = kernel_arrays(scene, pieces)
    model = Model(arrays, (), position, {}, int(arrays.triangle.memory[0]))
    state = State.at_rest(model, np.zeros((len(position), 4)))
    control = Control(len(position), turns=tool_turns(scene.tool)).stretch(0.0, 1.0)
    if part == "look":
        iteration = PowerIteration(arrays, np.zeros(1, np.int64))
        iteration.turn(state.points, hold(no_slopes(arrays)), iteration.noise(0))
        _ = Frame(0, model, state, control, 0.0).evaluation
        fault_of(model, state)
        greatest_speed(
            arrays.contact.node, arrays.tool.point, arrays.tool.form, state.points.reshape(-1), control.turn, control.drive
        )
    else:
        runner = Runner(model, SCHEMES["implicit_euler" if part == "implicit" else "rk4"])
        runner.advance(state, control, 0, 0, 0.0)


if __name__ == "__main__":
    compile_part(sys.argv[1])
