"""A short run of each fuzzer; and that the fuzzers see what they are there for."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yawara.cli
from fuzz import fits, recordings, runs, scenes
from fuzz.driver import fuzz, run_case
from fuzz.kinds import KINDS
from fuzz.mutate import changed, spoilt
from fuzz.verdict import judged
from odd_kinds import ODD
from waiting import PATIENCE
from yawara.scene.file import read_scene

SHORT = {"scenes": 60, "meshes": 3, "data": 8, "runs": 12, "fits": 4, "recordings": 12}  # cases
SEED = 12
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_of_a_stranger_gets_further_than_a_sentence(kind):
    tally = fuzz(KINDS[kind], seed=SEED, cases=SHORT[kind], seconds=PATIENCE)
    assert not tally.faults, "\n".join(map(str, tally.faults))
    assert tally.count > 0


def test_the_scenes_are_good_before_they_are_changed():
    for seed in range(40):
        read_scene(scenes.scene(np.random.default_rng(seed)))


@pytest.mark.parametrize("what", ["run", "sweep", "fit"])
def test_what_is_damaged_was_whole_before(tmp_path, command, what):
    """Or it would be refused for another reason."""
    (fits if what == "fit" else runs).prepare(tmp_path)
    here = () if what == "run" else ("--executor", "here")
    code, _, message = command(what, "--resume", tmp_path / what, *here)
    assert code == 0, message


def test_the_recording_was_good_before(tmp_path, command):
    recordings.prepare(tmp_path)
    (tmp_path / "good.json").rename(tmp_path / "good.touch.json")
    code, _, message = command("run", tmp_path / "good.touch.json", "--out", tmp_path / "out")
    assert code == 0, message


def test_the_same_seed_makes_the_same_changes():
    data = {"a": [1, 2.0, {"b": "text"}], "c": {"d": True}}
    for seed in range(50):
        one, two = (np.random.default_rng(seed) for _ in range(2))
        assert repr(changed(data, one, 3)) == repr(changed(data, two, 3))
        assert spoilt(b"some bytes", one, 3) == spoilt(b"some bytes", two, 3)
    assert data == {"a": [1, 2.0, {"b": "text"}], "c": {"d": True}}


def test_a_crash_and_a_hang_are_told_and_cost_no_other_case():
    tally = fuzz(ODD, seed=1, cases=4, seconds=PATIENCE, limit=10.0)
    assert tally.outcomes == {"refused": 2}
    assert [(fault.case, fault.what) for fault in tally.faults] == [
        (1, "the process died with status 9"),
        (2, "no end within 10 s"),
    ]
    assert "python -m fuzz odd --seed 1 --case 2" in str(tally.faults[1])


def test_a_case_is_repeated_by_its_seed_and_number(tmp_path):
    first = run_case(KINDS["scenes"], SEED, 5, tmp_path / "a", tmp_path)
    again = run_case(KINDS["scenes"], SEED, 5, tmp_path / "b", tmp_path)
    assert first.outcome == again.outcome
    assert (tmp_path / "a" / "scene.toml").read_bytes() == (tmp_path / "b" / "scene.toml").read_bytes()


def test_the_command_tells_what_was_found():
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "scenes", "--cases", "2", "--jobs", "1"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert "scenes: 2 cases in" in done.stdout
    assert "0 faults" in done.stdout


def ends(code, said="yawara: no\n", write=None):
    def main():
        if write:
            write.write_text("x")
        sys.stderr.write(said)
        sys.exit(code)

    return main


def breaks():
    raise ZeroDivisionError


@pytest.mark.parametrize(
    "fault", ["traceback", "exit code 134", "refused without a word", "something was written on refusal", ""]
)
def test_what_is_not_well_behaved_is_seen(tmp_path, monkeypatch, fault):
    mains = {
        "traceback": breaks,
        "exit code 134": ends(134),
        "refused without a word": ends(2, ""),
        "something was written on refusal": ends(2, write=tmp_path / "scene.toml"),
        "": ends(2),
    }
    monkeypatch.setattr(yawara.cli, "main", mains[fault])
    assert judged(["run"], tmp_path).fault == fault


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such timers")
def test_a_long_run_is_interrupted(tmp_path, monkeypatch):
    def main():
        while True:
            pass

    monkeypatch.setattr("fuzz.verdict.PATIENCE", 0.2)
    monkeypatch.setattr(yawara.cli, "main", main)
    assert judged(["run"], tmp_path).outcome == "interrupted"
