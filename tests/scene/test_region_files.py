"""Regions in files and settings: they come back as they were, runs are taken up again, and what cannot be is refused with a remedy."""

import pytest

import yawara as yw
from yawara.checks import SceneError
from yawara.live.material import settings_of, with_settings
from yawara.scene.file import read_scene, scene_data

SOFT = yw.Voigt(k=40.0, c=0.8)


def compiled(body):
    return yw.compile_scene(yw.Scene(time=yw.Time(end=1.0), body={"body": body}))


TOML = {
    "time": {"end": 0.02, "frame": 0.01},
    "body": {
        "dough": {
            "shape": "lattice",
            "counts": [5, 5, 5],
            "spacing": 0.01,
            "mass": 0.1,
            "law": {"type": "three_element", "k1": 2000.0, "c1": 500.0, "c2": 3000.0},
            "region": {
                "core": {"links": "core", "law": {"type": "three_element", "k1": 1000.0, "c1": 500.0, "c2": 3000.0}},
                "corner": {
                    "links": {"min": [0.0, 0.0, 0.0], "max": [0.01, 0.01, 0.01]},
                    "kind": "on",
                    "law": {"type": "voigt", "k": 5.0, "c": 1.0},
                },
            },
        }
    },
}


def copy_of(data):
    return {key: copy_of(value) if isinstance(value, dict) else value for key, value in data.items()}


def test_a_scene_with_regions_comes_back_as_it_was():
    scene = read_scene(copy_of(TOML))
    again = read_scene(scene_data(scene))
    assert again == scene
    assert list(again.body["dough"].region) == ["core", "corner"]  # their order counts
    assert yw.scene_text(again) == yw.scene_text(scene)


def test_settings_reach_regions():
    scene = read_scene(copy_of(TOML), ["body.dough.region.core.law.k1=1200"])
    assert scene.body["dough"].region["core"].law.k1 == 1200.0


def test_a_run_with_regions_is_taken_up_again(tmp_path):
    scene = read_scene(copy_of(TOML) | {"gravity": [0.0, 0.0, -9.81]})
    yw.run_scene(scene, tmp_path / "whole")

    def pull_the_plug(*_):
        if (tmp_path / "part" / "checkpoint.npz").exists():
            raise RuntimeError("dark")

    with pytest.raises(RuntimeError, match="dark"):
        yw.run_scene(scene, tmp_path / "part", checkpoint_seconds=0.0, progress=pull_the_plug)
    assert not (tmp_path / "part" / "summary.json").exists()
    yw.resume_run(tmp_path / "part")
    assert (tmp_path / "part" / "history.csv").read_bytes() == (tmp_path / "whole" / "history.csv").read_bytes()


def test_the_simple_settings_of_a_touched_body_are_those_of_its_own_material():
    soft = {"density": 1200.0, "youngs_modulus": 1e3, "retardation_time": 0.01}
    body = yw.Lattice(
        counts=(5, 5, 5), spacing=0.01, material="wheat_dough", region={"core": {"links": "core", "material": soft}}
    )
    scene = yw.Scene(time=yw.Time(end=1.0), body={"dough": body})
    values = {name: one.value for name, one in settings_of(body).items()}
    changed = with_settings(scene, "dough", values | {"stiffness": 2e4}).body["dough"]
    assert changed.material.youngs == 2e4
    assert changed.region == body.region
    assert compiled(changed).model.point_count == 125


def refused(changes, *words, body=None):
    data = copy_of(TOML)
    dough = data["body"]["dough"]
    dough.update(body or {})
    dough["region"] = changes
    with pytest.raises(SceneError) as error:
        yw.compile_scene(read_scene(data))
    text = str(error.value)
    assert [word for word in words if word not in text] == [], text
    assert "; " in text


VOIGT = {"type": "voigt", "k": 1.0, "c": 1.0}


@pytest.mark.parametrize(
    ("regions", "words"),
    [
        ({"a": {"links": "cores", "law": VOIGT}}, ["body.dough.region.a.links: must be 'surface', 'core' or a box", "got 'cores'"]),
        ({"a": {"law": VOIGT}}, ["body.dough.region.a.links: is missing"]),
        ({"a": {"links": "core"}}, ["body.dough.region.a: needs exactly one of law and material (got neither)"]),
        ({"a": {"links": "core", "law": VOIGT, "material": "clay"}}, ["body.dough.region.a: needs exactly one", "(got both)"]),
        ({"a": {"links": "core", "kind": "inn", "law": VOIGT}}, ["body.dough.region.a.kind: 'inn' is not known; did you mean 'in'?"]),
        ({"a": {"links": "core", "kind": "in", "law": VOIGT}},
         ["body.dough: region.a.kind must be 'all' or 'on' without cell centres", "volume.centres = true"]),
        ({"a": {"links": "core", "material": "clay"}}, ["body.dough: region.a must have a law as the body has (got a material)"]),
        ({"a": {"links": "core", "law": VOIGT | {"k": -1.0}}}, ["body.dough.region.a.law.k: must be >= 0 N/m (got -1)"]),
        ({"a": {"links": "core", "law": VOIGT, "laws": 1}}, ["body.dough.region.a.laws: unknown key; did you mean 'law'?"]),
        ({"a": {"links": {"min": [1.0, 0.0, 0.0], "max": [2.0, 1.0, 1.0]}, "law": VOIGT}},
         ["body.dough.region.a.links: must hold the middle of a link", "between [0, 0, 0] and [0.04, 0.04, 0.04] m", "widen the box"]),
        ({"a": {"links": {"min": [0.0, 0.0, 0.0]}, "law": VOIGT}}, ["body.dough.region.a.links", "max"]),
        ({"a": {"links": "core", "law": VOIGT}, "b": {"links": "core", "law": VOIGT | {"k": 2.0}}},
         ["body.dough.region.a.links: must leave it a link", "taken by b", "write it after them"]),
        ({"my region": {"links": "core", "law": VOIGT}}, ["body.dough.region.my region: name must be letters, digits, - and _"]),
        ([1], ["body.dough.region: must be a table"]),
    ],
)  # fmt: skip
def test_refused_with_place_and_remedy(regions, words):
    refused(regions, *words)


def test_a_body_without_core_cannot_have_one():
    refused({"a": {"links": "core", "law": VOIGT}}, "body.dough.region.a.links: must hold a link", "use more points",
            body={"counts": [2, 5, 5]})  # fmt: skip


@pytest.mark.parametrize(
    ("region", "words"),
    [
        ({"links": "core", "law": VOIGT}, ["body.dough: region.a must have a material as the body has (got a law)"]),
        ({"links": "core", "material": "clay"},
         ["region.a.material must have the body's density of 1200 kg/m^3 (got 1800)", "give the body"]),
        ({"links": "core", "kind": "on", "material": "slack_dough"}, ["body.dough.region.a: kind must be 'all' with a material"]),
        ({"links": "core", "material": {"density": 1200.0, "youngs_modulus": 1e4, "poisson": 0.4995}},
         ["region.a.material.poisson: must be <= 0.499"]),
        ({"links": "core", "material": "claay"}, ["body.dough.region.a.material", "did you mean 'clay'?"]),
    ],
)  # fmt: skip
def test_regions_of_materials_that_are_refused(region, words):
    refused({"a": region}, *words, body={"law": None, "mass": None, "material": "wheat_dough"})


def test_a_region_of_another_density_is_taken_if_the_body_says_its_mass():
    regions = {"a": {"links": "core", "material": "clay"}}
    body = yw.Lattice(counts=(5, 5, 5), spacing=0.01, material="wheat_dough", density=1300.0, region=regions)
    assert compiled(body).model.point.mass.sum() == pytest.approx(1300.0 * 0.04**3)


def test_fine_cells_are_not_tied_by_regions_without_springs():
    body = yw.Truss(counts=(6, 6, 6), spacing=0.01, mass=1.0, law=SOFT, region={"a": {"links": "core", "law": yw.Voigt(k=0.0, c=1.0)}},
                    refine=[{"min": (0.0, 0.0, 0.0), "max": (0.02, 0.02, 0.02)}])  # fmt: skip
    with pytest.raises(SceneError, match=r"body\.body\.region\.a\.law: must have a spring"):
        compiled(body)
