"""The probe of thickness: exact on shapes that can be calculated by hand, whatever the mesh."""

import numpy as np
import pytest

from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.observe.thickness import Thickness, profile
from yawara.scene.bodies import Lattice, Sheet
from yawara.scene.compile import compile_scene
from yawara.scene.probes import ThicknessProbe
from yawara.scene.scene import Scene, Time

LAW = {"type": "voigt", "k": 40.0, "c": 0.8}


def slab(**probe):
    body = Lattice(counts=[5, 3, 3], spacing=0.1, law=LAW, mass=1.0)
    scene = Scene(time=Time(end=1.0), body={"slab": body}, probe={"strip": {"type": "thickness", "body": "slab", **probe}})
    return compile_scene(scene)


def measure_of(compiled):
    return Thickness("strip", compiled.model.bodies[0], compiled.scene.probe["strip"])


def values_of(compiled, position):
    state = compiled.state.copy()
    state.position[...] = position
    frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 0.1), 0.0)
    measure = measure_of(compiled)
    return dict(zip((column.name for column in measure.columns), measure.values(frame), strict=True))


@pytest.mark.parametrize("parts", [1, 3, 4, 20, 333])
def test_a_slab_is_as_thick_as_it_is(parts):
    compiled = slab(parts=parts)
    found = values_of(compiled, compiled.state.position)
    assert found == pytest.approx({"strip.least": 0.2, "strip.mean": 0.2, "strip.greatest": 0.2, "strip.length": 0.4})


@pytest.mark.parametrize("parts", [4, 20, 57])
def test_a_wedge_is_measured_between_its_points(parts):
    compiled = slab(parts=parts)
    position = compiled.state.position.copy()
    position[:, 2] *= 1.0 - position[:, 0] / 0.4  # 0.2 m at the rear end, 0 at the front
    found = measure_of(compiled).profile(position + np.array([3.0, -2.0, 7.0]))
    width = 0.4 / parts
    np.testing.assert_allclose(found.middle, width * (np.arange(parts) + 0.5), rtol=1e-9)
    np.testing.assert_allclose(found.thickness, 0.5 * (0.4 - width * np.arange(parts)), rtol=1e-9)  # at the thick side of each
    assert found.length == pytest.approx(0.4)


def test_other_axes():
    compiled = slab(along="z", axis="x", parts=7)
    found = values_of(compiled, compiled.state.position * [1.0, 1.0, 3.0])
    assert found == pytest.approx({"strip.least": 0.4, "strip.mean": 0.4, "strip.greatest": 0.4, "strip.length": 0.6})


def test_a_gap_between_pieces_has_no_thickness():
    along, across = np.array([0.0, 1.0, 0.5, 9.0, 10.0, 9.5]), np.array([0.0, 0.0, 2.0, 0.0, 0.0, 4.0])
    sides = np.array([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]])
    found = profile(along, across, sides, 5)
    np.testing.assert_allclose(found.thickness, [2.0, np.nan, np.nan, np.nan, 4.0])


def test_a_body_without_length_is_one_slice():
    found = profile(np.ones(3), np.array([0.0, 2.0, 5.0]), np.array([[0, 1], [1, 2], [0, 2]]), 4)
    assert found.length == 0.0
    np.testing.assert_array_equal(found.thickness, 5.0)


def test_a_flat_body_is_measured_in_its_plane():
    def scene(**probe):
        body = Sheet(counts=[4, 3], spacing=0.1, law=LAW, mass=1.0)
        return Scene(time=Time(end=1.0), body={"s": body}, probe={"strip": {"type": "thickness", "body": "s", **probe}})

    compiled = compile_scene(scene(axis="y"))
    assert values_of(compiled, compiled.state.position)["strip.mean"] == pytest.approx(0.2)
    with pytest.raises(SceneError, match=r"probe.strip.axis: must be x or y \(got 'z'\), as a sheet is flat; write \"y\""):
        compile_scene(scene())


def test_a_chain_has_no_thickness():
    data = {"shape": "chain", "counts": [4], "spacing": 0.1, "mass": 1.0, "law": LAW}
    with pytest.raises(SceneError, match="thickness must be of a body that has one"):
        compile_scene(Scene(time=Time(end=1.0), body={"c": data}, probe={"strip": {"type": "thickness", "body": "c"}}))


def test_along_and_axis_differ():
    with pytest.raises(ValueError, match="axis must differ from along"):
        ThicknessProbe(body="b", along="z")
