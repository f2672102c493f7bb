"""The directory of an interrupted run whose files are damaged, or a stranger's: told by name, with the remedy, and left as it is."""

import io
import json
import shutil
import zipfile

import numpy as np
import pytest

from yawara import run_scene
from yawara.saved_arrays import Form
from yawara.scene.file import read_scene

FRAMES = 6


def scene(**output):
    return read_scene({
        "name": "a block on a floor", "gravity": [0.0, 0.0, -9.81], "time": {"end": 0.02, "frame": 0.001, "threads": 1},
        "body": {"dough": {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, "density": 1200.0,
                           "law": {"type": "three_element", "k1": 300.0, "c1": 6.0, "c2": 90.0}},
                 "other": {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, "density": 1200.0, "origin": [0.0, 0.0, 0.021],
                           "law": {"type": "voigt", "k": 300.0, "c": 6.0}}},
        "tool": {"table": {"shape": "floor"}},
        "contact": {"bodies": True},
        "output": output,
    })  # fmt: skip


class Interrupted:
    def observe(self, frame):
        if frame.index == FRAMES + 1:
            raise KeyboardInterrupt


def interrupted(place, **output):
    """A run that was stopped after a few frames."""
    with pytest.raises(KeyboardInterrupt):
        run_scene(scene(**output), place, checkpoint_seconds=0.0, observers=(Interrupted(),))
    return place


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    return interrupted(tmp_path_factory.mktemp("runs") / "stopped")


@pytest.fixture
def run(stopped, tmp_path):
    return shutil.copytree(stopped, tmp_path / "run")


def content(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def arrays_of(run):
    with np.load(run / "checkpoint.npz") as saved:
        return dict(saved)


def rewritten(run, **changes):
    """The checkpoint with other arrays; None leaves one out."""
    arrays = {name: value for name, value in (arrays_of(run) | changes).items() if value is not None}
    np.savez(run / "checkpoint.npz", **arrays)


def refused(command, run, place, *words):
    """The message of a resumption that was refused; nothing in the directory has changed."""
    before = content(run)
    code, _, message = command("run", "--resume", run)
    assert code == 2, message
    assert f"  {place}" in message
    for one in (*words, "remove "):
        assert one in message
    assert content(run) == before
    return message


def test_an_interrupted_run_goes_on(run, command):
    assert {"mode", "contact.internal", "contact.sought"} <= set(arrays_of(run))
    assert command("run", "--resume", run)[0] == 0


def spoilt(name, value, at=0):
    def change(arrays):
        array = arrays[name].astype(float).copy()
        array.reshape(-1)[at] = value
        return {name: array}

    return change


# what is changed in the checkpoint: (new arrays from the old ones, what the message must contain)
DAMAGED = {
    "points of one": (lambda a: {"points": a["points"][:1]}, "points", "must have the shape", "(got (1, 8))"),
    "no memory": (lambda a: {"links.internal": np.zeros(0)}, "links.internal", "must have the shape", "(got (0,))"),
    "no anchors": (lambda a: {"anchor": np.zeros((0, 3))}, "anchor", "(got (0, 3))"),
    "no contacts": (lambda a: {"contact.internal": np.zeros((0, 6))}, "contact.internal", "must have the shape"),
    "one array missing": (lambda a: {"account": None}, "account", "is missing"),
    "single precision": (lambda a: {"points": a["points"].astype(np.float32)}, "points", "must be of type float64 (got float32)"),
    "objects": (lambda a: {"points": np.array([{}, []], object)}, "points", "must be of type float64 (got object)"),
    "texts": (lambda a: {"links.internal": np.full(a["links.internal"].shape, "x")}, "links.internal", "must be of type"),
    "a point that is no number": (spoilt("points", np.nan), "points", "must be finite numbers", "(got nan, 1 such values)"),
    "an infinite memory": (spoilt("links.internal", -np.inf), "links.internal", "(got -inf, 1 such values)"),
    "a huge speed": (spoilt("points", 1e300, 4), "points", "at most 1e+100"),
    "no number where it was looked for": (spoilt("contact.sought", np.inf), "contact.sought", "(got inf"),
    "far away": (spoilt("points", 1e50), "points", "flown apart"),
    "half a key": (spoilt("contact.internal", 0.5), "contact.internal", "(got np.float64(0.5))"),
    "a key of nobody": (spoilt("contact.internal", 1e15), "contact.internal", "claimed by tools and bodies"),
    "endless steps": (lambda a: {"pace": np.array([1e90])}, "pace", "must be from 1 to 1e+06"),
    "time backwards": (lambda a: {"time": np.array(-1.0)}, "time", f"that of frame {FRAMES}", "(got -1.0)"),
    "time of another frame": (lambda a: {"time": np.array(0.007)}, "time", "(got 0.007)"),
    "frame of another run": (lambda a: {"frame": np.array(1000)}, "frame", "must be from 0 to 20 (got 1000)"),
    "negative frame": (lambda a: {"frame": np.array(-1)}, "frame", "(got -1)"),
    "half a frame": (lambda a: {"frame": np.array(1.5)}, "frame", "must be of type int64"),
    "negative steps": (lambda a: {"step_count": np.array(-5)}, "step_count", "(got -5)"),
    "too few positions": (lambda a: {"saved_positions": np.array(1)}, "saved_positions", f"must be {FRAMES + 1} (got 1)"),
    "negative wall time": (lambda a: {"wall_time": np.array(-2.0)}, "wall_time", "(got -2.0)"),
    "a row too few": (lambda a: {"rows": a["rows"][:-1]}, "rows", f"must be {FRAMES + 1}, one per frame (got {FRAMES})"),
    "rows of other times": (lambda a: {"rows": a["rows"] + 1.0}, "rows", "times of the frames"),
    "too many rows": (lambda a: {"rows": np.zeros((10**6, a["rows"].shape[1]))}, "rows", "at most 21"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_a_checkpoint_that_cannot_be_of_this_run_is_refused(run, command, name):
    change, *words = DAMAGED[name]
    rewritten(run, **change(arrays_of(run)))
    refused(command, run, *words)


def claimed(shape, dtype="<f8"):
    """The file of an array that is all header."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
    return file.getvalue()


def archive(run, members):
    with zipfile.ZipFile(run / "checkpoint.npz", "w") as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)


def test_a_small_file_that_claims_gigabytes_is_refused_by_its_headers(run, command):
    archive(run, {name: claimed((2**30,)) for name in arrays_of(run)})
    assert (run / "checkpoint.npz").stat().st_size < 10_000
    message = refused(command, run, "points", "(got (1073741824,))")
    assert len(message.splitlines()) > 10  # all of them at once


def test_an_array_that_is_all_header_is_refused(run, command):
    arrays = arrays_of(run)
    archive(run, {name: claimed(value.shape, value.dtype.str) for name, value in arrays.items()})
    refused(command, run, "points", "bytes of numbers (got 0)")


def test_arrays_of_the_other_order_are_taken_as_they_are_meant(run, command, stopped, tmp_path):
    """Kernels look at the memory itself: what they get is always row by row."""
    rewritten(run, points=np.asfortranarray(arrays_of(run)["points"]))
    assert command("run", "--resume", run)[0] == 0
    whole = shutil.copytree(stopped, tmp_path / "whole")
    assert command("run", "--resume", whole)[0] == 0
    assert arrays_of(run)["points"].tobytes() == arrays_of(whole)["points"].tobytes()


@pytest.mark.parametrize("data", [b"", b"no archive", b"PK\x05\x06" + 18 * b"\0", b"PK\x03\x04" + 40 * b"\xff"])
def test_a_checkpoint_that_is_none_is_refused(run, command, data):
    (run / "checkpoint.npz").write_bytes(data)
    refused(command, run, "")


def test_wherever_a_checkpoint_is_cut_off_or_spoilt_it_is_refused_or_whole(run, command):
    whole, before = (run / "checkpoint.npz").read_bytes(), content(run)
    random = np.random.default_rng(3)
    for length in random.integers(0, len(whole), 10):
        (run / "checkpoint.npz").write_bytes(whole[:length])
        refused(command, run, "")
    for place in random.integers(0, len(whole), 10):
        data = bytearray(whole)
        data[place] ^= 0x41
        (run / "checkpoint.npz").write_bytes(data)
        code, _, message = command("run", "--resume", run)
        assert code in (0, 2), message
        if code == 0:  # a byte that says nothing, such as a date
            shutil.rmtree(run)
            run.mkdir()
            for path, old in before.items():
                (run / path).parent.mkdir(exist_ok=True)
                (run / path).write_bytes(old)


def test_positions_that_are_missing_or_spoilt_are_refused(run, command):
    part = run / "parts" / "000000003.npy"
    values = np.load(part)
    np.save(part, values[:, :-1])
    refused(command, run, "must have the shape")
    np.save(part, np.full_like(values, np.nan))
    refused(command, run, "must hold finite positions [m]")
    part.write_bytes(b"\x93NUMPY")
    refused(command, run, "cannot be read")
    part.unlink()
    refused(command, run, "is missing")


def test_without_its_checkpoint_a_damaged_run_begins_again_as_the_message_says(run, command):
    (run / "checkpoint.npz").unlink()
    assert command("run", "--resume", run)[0] == 0
    assert json.loads((run / "summary.json").read_text())["status"] == "The run is complete."


@pytest.mark.parametrize("text", ["", "{", "[]", "5", "[" * 100_000, "\xff"])
def test_a_damaged_summary_does_not_say_that_a_run_is_complete(run, command, text):
    (run / "summary.json").write_bytes(text.encode("latin-1"))
    refused(command, run, "")


@pytest.mark.parametrize("text", ["", "[" * 100_000, "x = " + "[" * 100_000, "x = 1" + "0" * 5000, "\xff"])
def test_a_damaged_scene_is_told(run, command, text):
    (run / "scene.toml").write_bytes(text.encode("latin-1"))
    before = content(run)
    code, _, message = command("run", "--resume", run)
    assert code == 2
    assert "scene.toml has" in message
    assert content(run) == before


def test_a_run_without_positions_needs_no_parts(tmp_path, command):
    run = interrupted(tmp_path / "run", positions=False, report=False)
    assert not (run / "parts").exists()
    assert command("run", "--resume", run)[0] == 0


def test_a_body_faster_than_any_number_of_steps_stops_the_run(run, command):
    """Steps in which it is caught would be so small that time stood still."""
    points = arrays_of(run)["points"]
    points[3, 6] = -1e50
    rewritten(run, points=points)
    code, _, message = command("run", "--resume", run)
    assert code == 3, message
    assert "too fast for its contacts" in message
    assert "let things move more slowly" in message


def test_a_length_below_zero_is_no_length():
    form = Form((-1, 3), np.dtype(float), most=10)
    assert form.difference((10, 3), np.dtype(float)) == ""
    for shape in ((-1, 3), (-7, 3), (11, 3)):
        assert "must have the shape" in form.difference(shape, np.dtype(float))
