"""Bad contact tables and tools: told by place, value, unit, condition and remedy."""

import pytest
import tomli_w

import yawara
from good_scene import GOOD, changed
from yawara import SceneError, compile_scene

PLATE = {"shape": "plate", "size": [0.1, 0.1, 0.01], "origin": [0.01, 0.01, 0.03]}
MOVED = {"type": "path", "times": [0.0, 0.01], "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, -0.001]]}
PUSHED = {"type": "pushed", "force": [[0.0, 0.0, -1.0]]}


def tool(**fields):
    return {"tool": {"plate": {**PLATE, **fields}}}


def shaped(shape, **fields):
    return {"tool": {"tool": {"shape": shape, "origin": [0.0, 0.0, 0.5], **fields}}}


def contact(**fields):
    return {"contact": fields}


# name: (what is changed, the place in the message, what the sentence about it must contain)
BAD = {
    "method": (contact(method="penalti"), "contact.method", ["'penalti'", "did you mean 'penalty'?"]),
    "negative friction": (contact(friction=-0.1), "contact.friction", [">= 0 and <= 10", "(got -0.1)", "0.3 is common"]),
    "large friction": (contact(friction=11.0), "contact.friction", [">= 0 and <= 10", "(got 11)"]),
    "restitution": (contact(restitution=1.1), "contact.restitution", [">= 0 and <= 1", "(got 1.1)", "comes back as fast"]),
    "no stiffness": (contact(stiffness=0.0), "contact.stiffness", ["> 0 N/m ", "(got 0)", "leave it out"]),
    "stiffness in N/mm": (contact(stiffness="3 N/mm"), "contact.stiffness", ["'3 N/mm'", "values are in N/m", "write 3000"]),
    "negative damping": (contact(damping=-1.0), "contact.damping", [">= 0 N s/m ", "(got -1)", "leave it out"]),
    "negative integral": (contact(integral=-1.0), "contact.integral", [">= 0 N/(m s) ", "(got -1)", "leave it out"]),
    "negative zone": (contact(zone=-1e-3), "contact.zone", [">= 0 m ", "(got -0.001)", "halved"]),
    "zone in mm": (contact(zone="1 mm"), "contact.zone", ["'1 mm'", "values are in m", "write 0.001"]),
    "bodies as a number": (contact(bodies=3), "contact.bodies", ["true or false", "(got 3)"]),
    "itself as text": (contact(itself="perhaps"), "contact.itself", ["true or false", "(got 'perhaps')"]),
    "misspelt key": (contact(stifness=1.0), "contact.stifness", ["unknown key", "did you mean 'stiffness'?"]),
    "integral of a penalty": (contact(method="penalty", integral=1.0), "contact", ["integral and zone must be left out", "'penalty'"]),
    "zone of a penalty": (contact(method="penalty", zone=1e-3), "contact", ["integral and zone must be left out", "change method"]),
    "springs of impulses": (contact(stiffness=1.0, zone=1e-3), "contact", ["stiffness and zone must", "'impulse'", "'time_integrated'"]),
    "restitution of springs": (contact(method="penalty", restitution=0.5), "contact", ["restitution must be left out", "damping"]),
    "springs of a bounce": (contact(method="bounce", stiffness=1.0), "contact", ["stiffness must be left out", "'bounce'", "set method"]),
    "contact as a switch": ({"contact": True}, "contact", ["must be a table", "(got True)"]),
    "shape": (shaped("plait"), "tool.tool", ["'plait'", "did you mean 'plate'?"]),
    "no shape": ({"tool": {"tool": {"size": [1, 1, 1]}}}, "tool.tool", ["shape", "plate"]),
    "no size": (shaped("box"), "tool.tool.size", ["is missing", "[m]", "add it"]),
    "flat box": (shaped("box", size=[0.1, 0.0, 0.1]), "tool.tool", ["size must be > 0 m", "(got [0.1, 0.0, 0.1])", "in metres"]),
    "short size": (shaped("plate", size=[0.1, 0.1]), "tool.tool.size", ["three numbers", "(got [0.1, 0.1])"]),
    "no radius": (shaped("sphere"), "tool.tool.radius", ["is missing", "[m]", "add it"]),
    "radius": (shaped("sphere", radius=-0.1), "tool.tool.radius", ["> 0 m ", "(got -0.1)", "positive length"]),
    "length": (shaped("cylinder", radius=0.1, length=0.0), "tool.tool.length", ["> 0 m ", "(got 0)", "positive length"]),
    "no speed": (shaped("conveyor", size=[1, 1, 1]), "tool.tool.speed", ["is missing", "[m/s]", "add it"]),
    "normal": (shaped("floor", normal=[0, 0, 0]), "tool.tool", ["normal must not be [0, 0, 0]", "write for example"]),
    "turned floor": (shaped("floor", rotation=[0, 1, 0]), "tool.tool", ["rotation must be left out of a floor", "set normal"]),
    "extent": (shaped("floor", extent=-1.0), "tool.tool.extent", ["> 0 m ", "(got -1)", "positive length"]),
    "tool friction": (tool(friction=-1.0), "tool.plate.friction", [">= 0 and <= 10", "(got -1)"]),
    "tool mass": (tool(mass=0.0), "tool.plate.mass", ["> 0 kg ", "(got 0)", "in kilograms"]),
    "pushed without mass": (tool(motion=PUSHED), "tool.plate", ["mass [kg] must be given", "(got none)", "mass = 1.0"]),
    "free without mass": (tool(turn={"type": "free"}), "tool.plate", ["mass [kg] must be given", "turns freely"]),
    "motion": (tool(motion={"type": "pathe"}), "tool.plate.motion", ["'pathe'", "did you mean 'path'?"]),
    "first displacement": (
        tool(motion={**MOVED, "displacement": [[0, 0, 1], [0, 0, 0]]}),
        "tool.plate.motion",
        ["first displacement must be [0, 0, 0] m", "(got [0.0, 0.0, 1.0])", "move the origin"],
    ),
    "times of a path": (tool(motion={**MOVED, "times": [0.0, 0.0]}), "tool.plate.motion", ["times must increase", "0 s then 0 s"]),
    "lengths of a path": (tool(motion={**MOVED, "times": [0.0]}), "tool.plate.motion", ["(got 1 and 2)", "one displacement"]),
    "jump of a path": (tool(motion={**MOVED, "interpolation": "step"}), "tool.plate.motion.interpolation", ["linear, smooth"]),
    "axes of a push": (tool(mass=1.0, motion={**PUSHED, "axes": "zz"}), "tool.plate.motion.axes", ["letters x, y, z", "(got 'zz')"]),
    "force of a push": (tool(mass=1.0, motion={**PUSHED, "force": [1.0]}), "tool.plate.motion.force", ["in N, one for", "[[0, 0, 1.0]]"]),
    "turn": (tool(turn={"type": "drivn"}), "tool.plate.turn", ["'drivn'", "did you mean 'driven'?"]),
    "angles": (
        tool(turn={"type": "driven", "times": [0.0, 1.0], "angle": [0.0]}),
        "tool.plate.turn",
        ["times and angle", "(got 2 and 1)", "one angle for each time"],
    ),
    "speed of a turn": (tool(turn={"type": "driven", "speed": "fast"}), "tool.plate.turn.speed", ["number in rad/s", "(got 'fast')"]),
    "rotation": (tool(rotation=1.0), "tool.plate.rotation", ["three numbers", "rad", "(got 1.0)"]),
    "few cells": (shaped("mesh", file="tool.stl", cells=4), "tool.tool.cells", [">= 8 and <= 256", "(got 4)"]),
    "half a cell": (shaped("mesh", file="tool.stl", cells=20.5), "tool.tool.cells", ["whole number", "(got 20.5)"]),
    "unit": (shaped("mesh", file="tool.stl", unit="ft"), "tool.tool.unit", ["'ft'", "valid: m, cm, mm"]),
    "no such file": (shaped("mesh", file="tool.stl"), "tool.tool.file", ["tool.stl", "; "]),
    "name of a body": ({"tool": {"dough": PLATE}}, "tool.dough", ["'dough'", "2 times", "give each its own"]),
    "name of a column": ({"tool": {"contact": PLATE}}, "tool.contact", ["must not be 'contact'", "choose another"]),
    "bad name": ({"tool": {"my plate": PLATE}}, "tool.my plate", ["letters, digits", "(got 'my plate')"]),
    "inside at the start": (
        tool(origin=[0.01, 0.01, 0.015]),
        "tool.plate.origin",
        ["outside at the start", "'dough'", "0.005 m deep inside", "move one of them"],
    ),
    "implicit bounce": (
        {**tool(), **contact(method="bounce"), "time.integrator": "implicit_euler"},
        "time.integrator",
        ["must be explicit", "(got implicit_euler)", "use rk4"],
    ),
    "bounce off a pushed tool": (
        {**tool(mass=1.0, motion=PUSHED), **contact(method="bounce")},
        "tool.plate.motion",
        ["a path or by hand", "(got a force)", "contact.method"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "place", "words"), BAD.values(), ids=BAD)
def test_bad_contacts_and_tools_are_answered(tmp_path, command, changes, place, words):
    (tmp_path / "scene.toml").write_text(tomli_w.dumps(changed(changes)), encoding="utf-8")
    code, _, message = command("run", tmp_path / "scene.toml", "--out", tmp_path / "out")
    assert code == 2, message
    told = [line.strip() for line in message.splitlines() if line.strip().startswith(f"{place}: ")]
    assert told, message
    assert [word for word in words if word not in told[0]] == [], told
    assert "Traceback" not in message
    assert not (tmp_path / "out").exists()


def test_python_says_the_same():
    from yawara.scene.tools import Sphere
    from yawara.tools.contact import Contact

    with pytest.raises(SceneError, match=r"must be > 0 m \(got -1\)"):
        Sphere(radius=-1.0)
    with pytest.raises(SceneError, match=r"must be >= 0 m \(got -1\)"):
        Contact(zone=-1.0)
    scene = yawara.Scene.model_validate(changed(tool(origin=[0.01, 0.01, 0.015])))
    with pytest.raises(SceneError, match=r"tool\.plate\.origin: must leave the bodies outside"):
        compile_scene(scene)


def test_the_good_scene_with_good_tools_is_good():
    tools = {
        "floor": {"shape": "floor", "origin": [0.0, 0.0, -0.001]},
        "plate": {**PLATE, "motion": MOVED},
        "ball": {"shape": "sphere", "radius": 0.01, "origin": [0.2, 0.0, 0.0], "mass": 1.0, "turn": {"type": "free"}},
    }
    scene = yawara.Scene.model_validate({**GOOD, "tool": tools, "contact": {"method": "penalty", "friction": 0.3}})
    assert yawara.simulate(scene).status is yawara.StepStatus.DONE
