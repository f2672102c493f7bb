"""Recordings from strangers through the command line: every order is checked as a scene is, and nothing is written if it is refused."""

import json

import pytest

from yawara.live.messages import Choose, Move, Timed
from yawara.live.presets import preset_scene
from yawara.live.recording import Recording
from yawara.scene.file import scene_data

SMALL = (4, 4, 2)
GRAB = {"order": "Grab", "body": "dough", "place": [0.0, 0.0, 0.06]}


def good():
    orders = [Timed(0, Choose("ball")), Timed(3, Move((0.0, 0.0, 0.08)))]
    return json.loads(Recording(preset_scene("dough", SMALL), orders=orders, ticks=5).text())


def with_order(**fields):
    return lambda data: data | {"orders": [{"tick": 0, **fields}]}


def body_changed(data, **fields):
    scene = data["scene"]
    (name, body), *_ = scene["body"].items()
    return data | {"scene": scene | {"body": {name: body | fields}}}


# what is done to a good recording, and where and what the message must tell
HOSTILE = {
    "orders that are none": (lambda d: d | {"orders": 5}, "orders: must be a list (got int)"),
    "no orders": (lambda d: {k: v for k, v in d.items() if k != "orders"}, "orders: must be a list (got NoneType)"),
    "a number as order": (lambda d: d | {"orders": [7]}, "orders.0: must be a table (got int)"),
    "order of a number": (with_order(order=3), "orders.0: order must be one of Grab, Pull"),
    "unknown order": (with_order(order="Eat"), "(got 'Eat')"),
    "a list as order's name": (with_order(order=["Grab"]), "(got ['Grab'])"),
    "a grab of nothing": (with_order(order="Grab"), "orders.0: Grab must have ['body', 'place'] (got [])"),
    "a grab of more": (with_order(**GRAB, force=3), "Grab must have ['body', 'place']"),
    "a grab far away": (with_order(**GRAB | {"place": [1e300, 0, 0]}), "place must be within 1e+06 m (got [1e+300, 0, 0])"),
    "a grab of a number": (with_order(**GRAB | {"body": 5}), "body must be a name (got 5)"),
    "a grab in words": (with_order(**GRAB | {"place": "here"}), "place must be three numbers [m] (got 'here')"),
    "a grab in two dimensions": (with_order(**GRAB | {"place": [0, 0]}), "place must be three numbers [m]"),
    "a grab nowhere": (with_order(**GRAB | {"place": [float("nan"), 0, 0]}), "place must be finite numbers [m] (got nan)"),
    "a pull to infinity": (with_order(order="Pull", target=[0, 0, float("inf")]), "target must be finite numbers [m] (got inf)"),
    "a huge whole number": (with_order(order="Pull", target=[0, 0, 10**400]), "target must be finite numbers [m]"),
    "a squeeze in words": (with_order(order="Squeeze", share="much"), "share must be finite numbers [1] (got 'much')"),
    "a squeeze of nothing": (with_order(order="Squeeze", share=None), "share must be finite numbers"),
    "a choice of a number": (with_order(order="Choose", tool=5), "tool must be a name (got 5)"),
    "a choice of a list": (with_order(order="Choose", tool=["ball"]), "tool must be a name (got ['ball'])"),
    "a move in words": (with_order(order="Move", target=[0, 0, 0], at_once="yes"), "at_once must be true or false (got 'yes')"),
    "a change in words": (with_order(order="Change", body="dough", settings="soft"), "settings must be a table of numbers"),
    "a change to words": (
        with_order(order="Change", body="dough", settings={"stiffness": "soft"}),
        "settings.stiffness must be finite numbers [1] (got 'soft')",
    ),
    "a change of a list": (with_order(order="Change", body=["dough"]), "body must be a name"),
    "orders out of turn": (
        lambda d: d | {"orders": [{"tick": 4, "order": "Reset"}, {"tick": 2, "order": "Undo"}]},
        "orders.1: tick must be a whole number >= 4",
    ),
    "half a tick": (with_order(order="Reset", tick=0.5), "(got 0.5)"),
    "ticks without end": (lambda d: d | {"ticks": 10**12}, "ticks: must be a whole number from 0 to 86400000"),
    "ticks of truth": (lambda d: d | {"ticks": True}, "ticks: must be a whole number"),
    "a tick of a year": (lambda d: d | {"tick": 3e7}, "tick: must be from 1e-05 to 0.1 s"),
    "a scene in words": (lambda d: d | {"scene": "dough"}, "scene: must be a table (got str)"),
    "a body of words": (lambda d: body_changed(d, shape="cheese"), "'cheese' is not known"),
    "a mesh that is not there": (
        lambda d: d | {"scene": d["scene"] | {"body": {"dough": {
            "shape": "mesh", "file": "nowhere.vtu", "density": 1000.0, "law": {"type": "voigt", "k": 1.0, "c": 1.0}}}}},
        "body.dough.file: nowhere.vtu: there is no such file",
    ),
    "more points than memory": (lambda d: body_changed(d, counts=[90000] * 3), "must fit in"),
    "a body called as a tool": (
        lambda d: d | {"scene": {**d["scene"], "fix": [], "body": {"ball": next(iter(d["scene"]["body"].values()))}}},
        "name 'ball' is used 2 times",
    ),
}  # fmt: skip


def refused(command, tmp_path, text):
    path, out = tmp_path / "it.touch.json", tmp_path / "out"
    path.write_text(text, encoding="utf-8")
    code, _, message = command("run", path, "--out", out)
    assert code == 2, message
    assert message.startswith("yawara: ")
    assert not out.exists()
    return message


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_refused_by_name(command, tmp_path, name):
    change, words = HOSTILE[name]
    assert words in refused(command, tmp_path, json.dumps(change(good())))


@pytest.mark.parametrize(
    "text", ["", "5", "[]", "{}", '{"format": 1}', "[" * 100_000, '{"a":' * 100_000, '{"format": "yawara touch 1"}']
)
def test_what_is_no_recording_is_refused(command, tmp_path, text):
    refused(command, tmp_path, text)


def test_deep_nesting_inside_a_recording_is_refused(command, tmp_path):
    text = json.dumps(good())[:-1] + ', "more": ' + "[" * 50_000 + "]" * 50_000 + "}"
    assert "nested too deeply" in refused(command, tmp_path, text)


def test_a_body_without_a_material_keeps_its_law_when_it_is_asked_to_change(command, tmp_path):
    data, out = good(), tmp_path / "out"
    scene = scene_data(preset_scene("dough", SMALL))
    (name, body), *_ = scene["body"].items()
    law = {"type": "three_element", "k1": 300.0, "c1": 1.0, "c2": 90.0}
    kept = {key: value for key, value in body.items() if key not in ("material", "volume")}
    data["scene"] = scene | {"body": {name: kept | {"law": law, "density": 1000.0}}}
    data["orders"] = [{"tick": 0, "order": "Change", "body": name, "settings": {}}]
    path = tmp_path / "it.touch.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    code, _, message = command("run", path, "--out", out)
    assert code == 0, message
    assert (out / "summary.json").exists()
