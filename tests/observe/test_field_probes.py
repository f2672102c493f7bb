"""Probes of stress, strain and residual strain: what they mean, what they are called, and who can use them."""

import numpy as np
import pytest

from helpers import LAWS
from yawara import Chain, Drive, Fix, Lattice, Material, Scene, SceneError, Sheet, Time, compile_scene, simulate
from yawara.calibrate.observation.base import Showing
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.sweep.readings import parse_readings
from yawara.frame import Frame
from yawara.methods.fields import Fields, fields_of
from yawara.methods.note import note_all
from yawara.observe.probes import measures
from yawara.scene import compile as compiling

MATERIAL = Material(density=1000.0, youngs_modulus=1e4, poisson=0.4)
STRAIN = 1e-3 * np.array([[3.0, 1.0, 0.5], [1.0, -2.0, 0.7], [0.5, 0.7, 4.0]])


def probe(kind, component=None, points="all"):
    return {"type": kind, "body": "b", "points": points} | ({"component": component} if component else {})


def measured(probes, moved):
    """Columns and numbers of a block whose points are moved by a function of their places."""
    body = Lattice(counts=(4, 3, 3), spacing=0.01, material=MATERIAL)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"b": body}, probe=probes))
    state = compiled.state.copy()
    state.position[...] += moved(compiled.model.rest_position)
    frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0)
    pairs = [pair for one in measures(compiled) for pair in zip(one.columns, one.values(frame), strict=True)]
    return {column.name: (column.unit, value) for column, value in pairs if column.name in probes}, compiled, state


def test_components_of_a_block_that_deforms_evenly():
    """Hooke's law, and what does not depend on axes, by its own formula."""
    names = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "yz": (1, 2), "zx": (2, 0), "xy": (0, 1)}
    probes = {f"{kind}_{name}": probe(kind, name) for kind in ("stress", "strain") for name in names}
    probes |= {"pressure": probe("stress", "pressure"), "mises": probe("stress", "equivalent"), "stress": probe("stress")}
    probes |= {name: probe("strain", name) for name in ("volumetric", "equivalent", "largest")} | {"strain": probe("strain")}
    found, _, _ = measured(probes, lambda place: place @ STRAIN)
    mu, lam = 1e4 / 2.8, 1e4 * 0.4 / (1.4 * 0.2)
    stress = 2 * mu * STRAIN + lam * np.trace(STRAIN) * np.eye(3)
    s, p, e = stress, -np.trace(stress) / 3, STRAIN
    mises = np.sqrt(((s[0, 0] - s[1, 1]) ** 2 + (s[1, 1] - s[2, 2]) ** 2 + (s[2, 2] - s[0, 0]) ** 2) / 2
                    + 3 * (s[0, 1] ** 2 + s[1, 2] ** 2 + s[2, 0] ** 2))  # fmt: skip
    equivalent = np.sqrt(2) / 3 * np.sqrt((e[0, 0] - e[1, 1]) ** 2 + (e[1, 1] - e[2, 2]) ** 2 + (e[2, 2] - e[0, 0]) ** 2
                                          + 6 * (e[0, 1] ** 2 + e[1, 2] ** 2 + e[2, 0] ** 2))  # fmt: skip
    expected = {f"stress_{name}": ("Pa", s[place]) for name, place in names.items()}
    expected |= {f"strain_{name}": ("1", e[place]) for name, place in names.items()}
    expected |= {"pressure": ("Pa", p), "volumetric": ("1", np.trace(e)), "equivalent": ("1", equivalent)}
    largest = np.abs(np.linalg.eigvalsh(e)).max()
    expected |= {"largest": ("1", largest), "strain": ("1", largest)}
    for name, (unit, value) in expected.items():
        assert found[name][0] == unit, name
        size = np.abs(s if unit == "Pa" else e).max()
        assert found[name][1] == pytest.approx(value, abs=1e-2 * size), (
            name
        )  # of finite strains, and of a mean over a small block
    # at the surface of a block that is sheared, a point's own stress differs from the mean
    assert found["stress"] == found["mises"]
    assert found["mises"][1] == pytest.approx(mises, rel=0.05)


def test_points_count_by_the_volume_that_they_stand_for():
    """x is stretched by 1 at one end and not at all at the other: corners stand for an eighth of what inner points do."""
    points = [0, 1, 2, 3, 5, 17]
    found, compiled, state = measured(
        {"p": probe("strain", "xx", points), "one": probe("stress", "zz", [5])},
        lambda place: np.outer(place[:, 0] ** 2, [1, 0, 0]),
    )
    values = Fields(compiled.model).strain(state)[points, 0, 0]
    share = compiled.model.bodies[0].share[points]
    assert len(np.unique(share.round(12))) > 2
    assert found["p"][1] == pytest.approx((share * values).sum() / share.sum(), rel=1e-12)
    assert found["one"][1] == Fields(compiled.model).stress(state)[5, 2, 2]


def scene(**probes):
    body = Chain(counts=(4,), spacing=0.1, law=LAWS["three_element"], mass=0.1)
    pull = Drive(name="pull", body="b", points="last", times=[0.0, 0.2], displacement=[(0, 0, 0), (0.03, 0, 0)])
    fix = Fix(body="b", points="first")
    return Scene(time=Time(end=0.4, frame=0.04), body={"b": body}, fix=[fix], drive=[pull], probe=probes)


def test_a_run_that_does_not_ask_makes_no_fields():
    compiled = compile_scene(scene())
    simulate(compiled)
    assert Fields not in compiled.model._kept
    compiled = compile_scene(scene(s=probe("stress")))
    simulate(compiled)
    assert Fields in compiled.model._kept


@pytest.mark.parametrize(("parts", "tells"), [
    ({}, False),
    ({"probe": {"p": probe("strain")}}, False),
    ({"probe": {"p": probe("stress")}}, True),
    ({"output": {"vtu": True}}, True),
    ({"output": {"ply": True}}, True),
])  # fmt: skip
def test_kernels_of_stresses_are_compiled_beforehand_where_frames_tell_of_some(monkeypatch, parts, tells):
    """Or a first run would run what it compiled itself, which may round otherwise."""
    asked = []
    monkeypatch.setattr(compiling, "ensure_compiled", asked.extend)
    compile_scene(Scene(**(dict(scene()) | parts)))
    assert (note_all in asked) == tells


def test_frames_and_probes_share_what_was_found(monkeypatch):
    compiled, asked = compile_scene(scene(a=probe("stress"), b2=probe("stress", "xx"), c=probe("strain", "xx"))), []
    fields = fields_of(compiled.model)
    monkeypatch.setattr(fields, "tensor", lambda name, state: asked.append(name) or Fields.tensor(fields, name, state))
    result = simulate(compiled)
    assert sorted(asked) == sorted(["stress", "strain"] * len(result.history.rows))


def test_a_calibration_can_compare_them():
    compiled = compile_scene(scene(s=probe("stress", "xx"), r=probe("residual_strain", "xx")))
    history = simulate(compiled).history
    times = history["time"][1:]
    for name, unit in (("s", "Pa"), ("r", "1")):
        curve = Curve("measured", name, times, history[name][1:], noise=1e-6 * np.abs(history[name]).max(), unit=unit)
        assert curve.check(compiled) == []
        assert np.abs(curve.compare(Showing(compiled, {}, history)).residual).max() < 1e-9
    with pytest.raises(SceneError, match="'s' is in Pa, the curve in N; choose another column, or its unit"):
        Curve("measured", "s", times, times, noise=1.0, unit="N").check(compiled)
    readings = parse_readings(["s:max", "r:end"], compiled)
    assert [(one.unit, one.of(history)) for one in readings] == [("Pa", history["s"].max()), ("1", history["r"][-1])]


FLAT = {"b": Sheet(counts=(3, 3), spacing=0.1, law=LAWS["voigt"], mass=1.0)}
ROW = {"b": Chain(counts=(3,), spacing=0.1, law=LAWS["voigt"], mass=1.0)}


@pytest.mark.parametrize("kind", ["strain", "residual_strain"])
@pytest.mark.parametrize(
    ("body", "component", "said"),
    [
        (FLAT, "zz", r"\(got 'zz' of a sheet, which is flat\); use xx, yy or xy, or largest"),
        (ROW, "xy", r"\(got 'xy' of a chain, which is a row of points\); use xx, or largest"),
    ],
)
def test_strains_that_no_link_tells_are_refused(kind, body, component, said):
    with pytest.raises(SceneError, match=rf"probe\.p\.component: must be a strain that links can tell {said}"):
        compile_scene(Scene(time=Time(end=1.0), body=body, probe={"p": probe(kind, component)}))
    compile_scene(Scene(time=Time(end=1.0), body=body, probe={"p": probe(kind, "xx"), "q": probe("stress", component)}))
