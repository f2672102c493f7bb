"""The checkpoint of a run: written whole, and read only if it can be one of this very scene.

Kernels trust the arrays they are given. So everything that comes back from a file is compared with what the compiled scene has: names,
shapes and types before anything is read, then whether the numbers can be those of a run.
"""

import zipfile
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from yawara.checks import SceneError
from yawara.core.state import State
from yawara.files import atomic_path
from yawara.kernels.kinds import Floats
from yawara.observe.recorder import History
from yawara.saved_arrays import Form, form_of, read_archive, read_array
from yawara.scene.compile import Compiled
from yawara.scene.scene import Output
from yawara.simulate import frame_count, frame_end
from yawara.state_checks import LARGEST, MOST_STEPS, Problems, state_forms, wrong_numbers, wrong_state

CHECKPOINT, PARTS = "checkpoint.npz", "parts"
LONGEST_WALL_TIME = 1e10  # [s]


@dataclass(frozen=True)
class Checkpoint:
    """Where a run was."""

    frame: int
    saved_positions: int  # frames whose positions are in part files
    wall_time: float  # [s], until then
    rows: Floats  # (frame + 1, column_count): the history so far
    state: State

    def save(self, path: Path) -> None:
        """Whole or not at all."""
        own = {field.name: getattr(self, field.name) for field in fields(self)[:-1]}
        with atomic_path(path) as temporary, temporary.open("wb") as file:
            arrays: dict[str, Any] = own | self.state.arrays()
            np.savez(file, **arrays)


def load_checkpoint(directory: Path, compiled: Compiled, history: History) -> Checkpoint:
    """That of a run of this scene, whose history has these columns. SceneError lists what is damaged, with the remedy."""
    path, remedy = directory / CHECKPOINT, _remedy(directory)
    _refuse_earlier(path)
    arrays = read_archive(path, _forms(compiled, history), remedy)
    state = State.from_arrays({name: arrays[name] for name in compiled.state.arrays()})
    checkpoint = Checkpoint(
        int(arrays["frame"]),
        int(arrays["saved_positions"]),
        float(arrays["wall_time"]),
        arrays["rows"],
        state,
    )
    problems = [*wrong_numbers(checkpoint.state, compiled.state), *_wrong_course(checkpoint, compiled, history)]
    if not problems:
        problems = [*wrong_state(checkpoint.state, compiled)]
    if problems:
        raise SceneError([(place, f"{what}; {remedy}") for place, what in problems], source=str(path))
    _check_parts(directory, checkpoint.saved_positions, compiled.model.point_count)
    return checkpoint


def _refuse_earlier(path: Path) -> None:
    """States of earlier versions were not made of named blocks."""
    with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        if "memory.npy" in archive.namelist():
            what = f"was written by an earlier version of yawara, whose states had other parts; {_begin_again(path.parent)}"
            raise SceneError([("", what)], source=str(path))


def keeps_positions(output: Output) -> bool:
    """Whether a run with this output writes the positions of every frame while it goes on."""
    return output.positions or output.glb or output.report


def _remedy(directory: Path) -> str:
    return f"the file is damaged: {_begin_again(directory)}"


def _begin_again(directory: Path) -> str:
    return f"remove {CHECKPOINT}, and yawara run --resume {directory} begins again"


def _forms(compiled: Compiled, history: History) -> dict[str, Form]:
    own = {"frame": form_of(0), "saved_positions": form_of(0), "wall_time": form_of(0.0)}
    rows = Form((-1, len(history.columns)), np.dtype(np.float64), most=frame_count(compiled.scene) + 1)
    return {**own, "rows": rows, **state_forms(compiled)}


def _wrong_course(checkpoint: Checkpoint, compiled: Compiled, history: History) -> Problems:
    """Frame, time, steps and rows that do not belong together."""
    scene, frame, state = compiled.scene, checkpoint.frame, checkpoint.state
    if not 0 <= frame <= frame_count(scene):
        yield "frame", f"must be from 0 to {frame_count(scene)} (got {frame})"
        return
    if state.time != (time := frame_end(scene, frame)):
        yield "time", f"must be {time!r} s, that of frame {frame} (got {state.time!r})"
    if not frame <= state.step_count <= MOST_STEPS:
        yield "step_count", f"must be from {frame}, one per frame, to {MOST_STEPS:g} (got {state.step_count})"
    if not 0.0 <= checkpoint.wall_time <= LONGEST_WALL_TIME:
        yield "wall_time", f"must be from 0 to {LONGEST_WALL_TIME:g} s (got {checkpoint.wall_time!r})"
    saved = frame + 1 if keeps_positions(scene.output) else 0
    if checkpoint.saved_positions != saved:
        yield "saved_positions", f"must be {saved} (got {checkpoint.saved_positions})"
    yield from _wrong_rows(checkpoint.rows, [frame_end(scene, index) for index in range(frame + 1)], history)


def _wrong_rows(rows: Floats, times: list[float], history: History) -> Problems:
    if len(rows) != len(times):
        yield "rows", f"must be {len(times)}, one per frame (got {len(rows)})"
        return
    if not np.array_equal(rows[:, 0], times):
        yield "rows", "must begin with the times of the frames (got others)"
    for number, name in enumerate(history.names):
        values = rows[:, number]
        if not np.isfinite(values[~np.isnan(values)]).all() or (name.startswith("energy.") and np.isnan(values).any()):
            yield "rows", f"must have finite numbers in column {name} (got others)"


def _check_parts(directory: Path, saved: int, point_count: int) -> None:
    """The part files must hold the positions of `saved` frames."""
    count = 0
    while count < saved:
        form = Form((-1, point_count, 3), np.dtype(np.float64), most=saved)
        path = directory / PARTS / f"{count:09d}.npy"
        if not path.exists():
            what = f"is missing, which holds the positions from frame {count} on; {_remedy(directory)}"
            raise SceneError([("", what)], source=str(path))
        part = read_array(path, form, _remedy(directory))
        if not len(part) or not (np.abs(part) <= LARGEST).all():
            raise SceneError([("", f"must hold finite positions [m] (got others); {_remedy(directory)}")], source=str(path))
        count += len(part)
