"""Slips of those who write scenes: understood if only one thing can be meant, else answered in the words of a program or of a file."""

from pathlib import Path

import numpy as np
import pytest

import yawara as yw
from yawara.scene.file import read_scene

LAW = yw.Voigt(k=100.0, c=1.0)
BLOCK = {"counts": (3, 3, 3), "spacing": 0.01, "density": 1000.0}
BODY = yw.Truss(**BLOCK, law=LAW)
SCENE = {"time": yw.Time(end=1.0), "body": {"b": BODY}}
FIX = yw.Fix(body="b", points="bottom")
ON_TOP = {"body": "b", "points": "top"}
DRIVE = yw.Drive(**ON_TOP, times=[0, 1], displacement=[[0, 0, 0], [0, 0, -0.001]])
FORCE = yw.Force(**ON_TOP, times=[0.0], force=[[0, 0, -1.0]])
DEEP = {"b": {"shape": "truss", **BLOCK, "law": {"type": "voigt", "k": "x", "c": 1.0}}}

PYTHON = {
    "one fix": (yw.Scene, {**SCENE, "fix": FIX}, "fix: must be a list of Fix (got one Fix); write fix=[yw.Fix(...)]"),
    "one drive": (yw.Scene, {**SCENE, "drive": DRIVE}, "drive: must be a list of Drive (got one Drive); write drive=[yw.Drive(...)]"),
    "one force": (yw.Scene, {**SCENE, "force": FORCE}, "force: must be a list of Force (got one Force); write force=[yw.Force(...)]"),
    "another for a fix": (yw.Scene, {**SCENE, "fix": [DRIVE]}, "fix[0]: must be of the kind Fix (got Drive(...)); write yw.Fix("),
    "a name for a fix": (yw.Scene, {**SCENE, "fix": "bottom"}, "fix: must be a list of Fix (got 'bottom'); write fix=[yw.Fix(...)]"),
    "one body": (yw.Scene, {**SCENE, "body": BODY}, "by name (got one Truss); write body={'a_name': yw.Truss(...)}"),
    "a list of bodies": (yw.Scene, {**SCENE, "body": [BODY]}, "by name (got [Truss(...)]); write body={'a_name': yw.Truss(...)}"),
    "one tool": (yw.Scene, {**SCENE, "tool": yw.tools.Floor()}, "by name (got one Floor); write tool={'a_name': yw.tools.Floor(...)}"),
    "a number for time": (yw.Scene, {**SCENE, "time": 1.0}, "time: must be of the kind Time (got 1.0); write yw.Time(end=...)"),
    "true for contact": (yw.Scene, {**SCENE, "contact": True}, "contact: must be of the kind Contact (got True); write yw.Contact()"),
    "a number for a law": (yw.Truss, {**BLOCK, "law": 100.0}, "NonlinearSeries (got 100.0); write law=yw.Voigt(k=..., c=...)"),
    "a class for a law": (yw.Truss, {**BLOCK, "law": yw.Voigt}, "law: must be a Voigt, not the class itself; write law=yw.Voigt(k="),
    "a body for its name": (yw.Fix, {"body": BODY, "points": "top"}, 'body: must be text (got Truss(...)); write for example "dough"'),
    "unknown keyword": (yw.Truss, {**BLOCK, "law": LAW, "spaceing": 1}, "spaceing: unknown keyword; did you mean 'spacing'?"),
    "missing keyword": (yw.Voigt, {"k": 1.0}, "c: is missing; add c=... [N s/m]: "),
    "a unit": (yw.Time, {"end": "500 ms"}, "end: must be a number in s (got '500 ms'); units are not written, values are in s: write 0.5"),
    "quotes": (yw.Time, {"end": "0.5"}, "end: must be a number in s (got '0.5'); write 0.5 without quotes, in s"),
    "one time": (yw.Force, {**ON_TOP, "times": 0.5, "force": [[0, 0, 1]]}, "times: must be a list (got 0.5); write for example [0.5]"),
    "yes": (yw.Output, {"glb": "perhaps"}, "glb: must be True or False (got 'perhaps'); write for example True"),
    "a plain g": (yw.Scene, {**SCENE, "gravity": -9.81}, "in m/s^2 (got -9.81); write for example [0.0, 0.0, -9.81]"),
    "deep inside": (yw.Scene, {**SCENE, "body": DEEP}, "body['b'].law.k: must be a number"),
    "nobody": (yw.Scene, {**SCENE, "body": {"block": BODY}, "fix": [FIX]}, "fix[0].body: there is no body 'b'; valid: block"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "given", "words"), PYTHON.values(), ids=PYTHON)
def test_programs_are_answered_in_their_words(kind, given, words):
    with pytest.raises(yw.SceneError) as error:
        kind(**given)
    assert words in str(error.value)
    assert str(error.value).startswith(f"{kind.__name__}(...) has 1 error:")
    assert not any(word in str(error.value) for word in ("table", "[[", "input_value", "pydantic"))


def test_values_without_names_are_answered():
    with pytest.raises(yw.SceneError, match=r"name for every value \(got 100.0, 1.0 without\); write yw.Voigt\(k=..., c=...\)"):
        yw.Voigt(100.0, 1.0)


def test_all_slips_are_told_at_once():
    with pytest.raises(yw.SceneError) as error:
        yw.Scene(time=1.0, body={"b": BODY}, fix=FIX, drive=DRIVE)
    assert sorted(place for place, _ in error.value.problems) == ["drive", "fix", "time"]


def test_what_is_no_scene_is_not_run():
    for given in ({"time": {"end": 1.0}}, "scene.toml", None):
        with pytest.raises(yw.SceneError, match=r"must be a Scene \(got .*yw\.load_scene"):
            yw.simulate(given)


# ---- files, in theirs


def plain(**changes):
    law = {"type": "voigt", "k": 100.0, "c": 1.0}
    body = {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, "density": 1000.0, "law": law}
    return {"time": {"end": 1.0}, "body": {"b": body}, **changes}


FILES = {
    "one table": (plain(fix={"body": "b", "points": "top"}), "fix: must be a list", "write for example [[fix]]"),
    "a tool without a name": (plain(tool=[{"shape": "floor"}]), "tool: must be a table", "write for example [tool.a_name]"),
    "deep inside": (plain(body={"b": {**plain()["body"]["b"], "spacing": "x"}}), "body.b.spacing: must be a number", "in m"),
    "in a list": (plain(fix=[{"body": "c", "points": "top"}]), "fix.0.body: there is no body 'c'", "b"),
    "unknown": (plain(fixx=[]), "fixx: unknown key;", "did you mean 'fix'?"),
}


@pytest.mark.parametrize(("data", "words", "remedy"), FILES.values(), ids=FILES)
def test_files_are_answered_in_theirs(data, words, remedy):
    with pytest.raises(yw.SceneError) as error:
        read_scene(data, source="it.toml")
    assert words in str(error.value)
    assert remedy in str(error.value)
    assert "yw." not in str(error.value)


# ---- one vector where a list of them is wanted


@pytest.mark.parametrize("vector", [[0, 0, -1.96], (0, 0, -1.96), np.array([0.0, 0.0, -1.96])])
def test_one_vector_for_one_time_is_understood(vector):
    assert yw.Force(**ON_TOP, times=[0.5], force=vector).force == ((0.0, 0.0, -1.96),)
    assert yw.tools.Sphere(radius=0.1, mass=1.0, motion={"type": "pushed", "force": vector}).motion.force == ((0.0, 0.0, -1.96),)
    data = plain(force=[{**ON_TOP, "times": [0.5], "force": list(vector)}])
    assert read_scene(data).force[0].force == ((0.0, 0.0, -1.96),)


@pytest.mark.parametrize(
    ("times", "numbers", "written"),
    [
        ([0, 1], [0, 0, -1.96], "[[0, 0, -1.96], [0, 0, -1.96]]"),
        ([0, 1], [0, -1.96], "[[0, 0, 0], [0, 0, -1.96]]"),
        ([0, 1, 2], [0, 1, 2], "[[0, 0, 0], [0, 0, 1], [0, 0, 2]]"),
        ([0, 1, 2, 3], [0, 0, 1], "[[0, 0, 1], [0, 0, 1], [0, 0, 1], ...]"),
    ],
)
def test_numbers_for_vectors_are_answered_with_the_form_that_is_meant(times, numbers, written):
    got = f"{numbers} for {len(times)} times"
    words = f"force: must be a list of vectors x, y, z in N, one for each time (got {got}); write for example {written}"
    with pytest.raises(yw.SceneError) as error:
        yw.Force(**ON_TOP, times=times, force=numbers)
    assert str(error.value) == f"Force(...) has 1 error:\n  {words}"
    with pytest.raises(yw.SceneError) as error:
        read_scene(plain(force=[{**ON_TOP, "times": times, "force": numbers}]), source="it.toml")
    assert str(error.value) == f"it.toml has 1 error:\n  force.0.{words}"


def test_what_is_displaced_begins_where_it_is():
    with pytest.raises(yw.SceneError, match=r"write for example \[\[0, 0, 0\], \[0, 0, -0.01\]\]"):
        yw.Drive(**ON_TOP, times=[0, 1], displacement=[0, 0, -0.01])


# ---- what programs may give instead


def test_arrays_tuples_whole_numbers_and_paths_are_taken():
    force = yw.Force(**ON_TOP, times=np.linspace(0, 1, 2), force=np.zeros((2, 3)))
    assert (force.times, force.force) == ((0.0, 1.0), ((0.0, 0.0, 0.0),) * 2)
    body = yw.Truss(counts=np.array([3, 3, 3]), spacing=np.float32(0.5), density=np.int64(1000), law=yw.Voigt(k=100, c=1))
    assert (body.counts, body.spacing, body.density, body.law.k) == ((3, 3, 3), 0.5, 1000.0, 100.0)
    scene = yw.Scene(**SCENE, gravity=np.array([0, 0, -9.81]), fix=(one for one in [FIX]), drive=[DRIVE])
    assert (scene.gravity, scene.fix, scene.drive) == ((0.0, 0.0, -9.81), (FIX,), (DRIVE,))
    assert yw.Mesh(file=Path("a") / "b.ply", mass=1.0, law=LAW).file == str(Path("a") / "b.ply")
    assert list(yw.Fix(body="b", points=np.array([0, 2])).points) == [0, 2]
