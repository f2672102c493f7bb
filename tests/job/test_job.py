"""A job in a directory: begun once, taken up unless its request has changed, complete when its last file is there."""

import json

import pytest

from yawara.checks import SceneError
from yawara.exclusive import LOCK
from yawara.job.job import STAMP, Job, StoppedError, request_digest
from yawara.job.kind import JobKind

KIND = JobKind(
    name="bake", command="bake", start="DOUGH.toml", request="dough.toml", end="bread.json", decides="the dough or the oven",
    progress=("journal", "parts"), scraps=("parts",), leaves=("crumbs.csv",), refused_late=True, old_stamp=("old.json", "oven"),
)  # fmt: skip
OTHER = JobKind(name="cake", command="cake", start="", request="cake.toml", end="cake.json", decides="all", progress=("journal",))


@pytest.fixture
def place(tmp_path):
    return tmp_path / "out"


def names(place):
    return sorted(path.name for path in place.iterdir()) if place.exists() else None


def killed(job, request, digest):
    with job.begun(request, digest):
        (job.directory / "journal").write_text("half")
        (job.directory / "parts").mkdir()
        raise KeyboardInterrupt


def interrupted(place, kind=KIND, request="flour = 1", digest="abc"):
    """Killed when there was something to go on from."""
    with pytest.raises(KeyboardInterrupt):
        killed(Job(kind, place), request, digest)
    return place


def refused(what, doing, *arguments):
    with pytest.raises(SceneError, match=what) as error, doing(*arguments):
        pytest.fail("it was not refused")
    return error.value


def test_from_its_beginning_to_its_end(place):
    job = Job(KIND, place)
    assert not job.is_complete
    with job.begun("flour = 1", "abc"):
        assert names(place) == [LOCK, "dough.toml", STAMP]
        (place / "journal").touch()
        (place / "parts").mkdir()
        assert not job.is_complete
        job.finish({"loaves": 3})
    assert job.is_complete
    assert names(place) == ["bread.json", "dough.toml", STAMP, "journal"]
    assert json.loads((place / "bread.json").read_text()) == {"loaves": 3}


def test_it_is_taken_up_with_what_was_there(place):
    job = Job.found(KIND, interrupted(place))
    (place / ".bread.0123abcd.json").write_text("half")
    with job.taken_up("abc"):
        assert (place / "journal").read_text() == "half"
        assert ".bread.0123abcd.json" not in names(place)


def test_another_request_is_not_taken_up(place):
    interrupted(place)
    before = names(place)
    words = str(refused("have changed", Job.found(KIND, place).taken_up, "abd"))
    assert (
        "the dough or the oven have changed since this bake began; put them back, or start a new one in another directory"
        in words
    )
    assert names(place) == before


def test_directories_of_earlier_versions_are_taken_up(place):
    """One that noted its digest in another file, and a kind that noted none."""
    interrupted(place)
    (place / STAMP).unlink()
    (place / "old.json").write_text('{"oven": "abc"}')
    refused("have changed", Job.found(KIND, place).taken_up, "abd")
    with Job.found(KIND, place).taken_up("abc"):
        pass
    other = interrupted(place.with_name("other"), OTHER)
    (other / STAMP).unlink()
    with Job.found(OTHER, other).taken_up("anything"):
        pass


@pytest.mark.parametrize("text", ["", "{", "[]", '{"job": "bake"}', '{"digest": 5}'])
def test_a_damaged_stamp_is_no_permission(place, text):
    interrupted(place)
    (place / STAMP).write_text(text)
    refused("cannot be read|must be a table|have changed", Job.found(KIND, place).taken_up, "abc")


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_damaged_last_file_does_not_say_that_it_is_complete(place, text):
    interrupted(place)
    (place / "bread.json").write_text(text)
    with pytest.raises(SceneError, match=r"remove it, and yawara bake --resume .* writes it again"):
        Job.found(KIND, place)


def test_what_is_there_is_never_written_over(place):
    job = Job(KIND, interrupted(place))
    assert f"already holds a bake; go on with --resume {place}, or choose another" in str(refused("holds", job.begun, "", ""))
    assert "already holds a bake; choose another" in str(refused("holds", Job(OTHER, place).begun, "", ""))
    (place / STAMP).write_text("[]")
    assert "already holds a job.json of something else" in str(refused("holds", Job(OTHER, place).begun, "", ""))
    crumbs = place.with_name("crumbs")
    crumbs.mkdir()
    (crumbs / "crumbs.csv").touch()
    assert "already holds a crumbs.csv of something else" in str(refused("holds", Job(KIND, crumbs).begun, "", ""))
    assert names(crumbs) == ["crumbs.csv"]


def test_killed_between_stamp_and_request_it_can_be_begun(place):
    interrupted(place)
    (place / "dough.toml").unlink()
    with Job(KIND, place).begun("flour = 2", "abd"):
        assert json.loads((place / STAMP).read_text()) == {"job": "bake", "digest": "abd"}


def test_what_is_refused_after_all_leaves_nothing(place):
    def refuse(place):
        with Job(KIND, place).begun("flour = 1", "abc"):
            (place / "journal").touch()
            (place / "parts").mkdir()
            raise SceneError([("flour", "is mouldy")], source="the dough")

    with pytest.raises(SceneError, match="mouldy"):
        refuse(place)
    assert not place.exists()
    place.mkdir()
    (place / "notes.txt").touch()
    with pytest.raises(SceneError, match="mouldy"):
        refuse(place)
    assert names(place) == ["notes.txt"]


def test_what_cannot_be_refused_late_keeps_what_it_has_done(place):
    """A run whose observer raises such an error has hours behind it."""

    def fail_late():
        with Job(OTHER, place).begun("flour = 1", "abc"):
            (place / "journal").write_text("much work")
            raise SceneError([("flour", "is mouldy")], source="an observer")

    with pytest.raises(SceneError, match="mouldy"):
        fail_late()
    assert (place / "journal").read_text() == "much work"


def test_what_was_stopped_from_outside_can_be_taken_up(place):
    with pytest.raises(StoppedError), Job(KIND, place).begun("flour = 1", "abc"):
        raise StoppedError([("", "the oven is out")], source="the oven")
    with Job.found(KIND, place).taken_up("abc"):
        pass


def test_where_there_is_none_the_message_says_how_to_start_one(place):
    with pytest.raises(
        SceneError, match=r"holds no bake \(there is no dough.toml\); start one with: yawara bake DOUGH.toml --out "
    ):
        Job.found(KIND, place)
    assert not place.exists()


def test_what_another_process_completed_meanwhile_is_left_alone(place):
    job = Job.found(KIND, interrupted(place))
    Job(KIND, place).finish({"loaves": 1})
    refused("was completed by another process just now; nothing is left to do", job.taken_up, "abc")


def test_the_digest_is_of_the_request_and_of_all_files_in_their_order(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a")
    two.write_bytes(b"b")
    found = [request_digest(b"x"), request_digest(b"xa"), request_digest(b"x", [one]), request_digest(b"x", [one, two]),
             request_digest(b"x", [two, one])]  # fmt: skip
    assert len(set(found)) == len(found)
    assert request_digest(b"x", [one]) == found[2]
