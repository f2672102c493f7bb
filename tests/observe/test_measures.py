"""Numbers that are read off frames and histories."""

import numpy as np
import pytest

from helpers import LAWS
from yawara import Chain, Drive, Fix, Lattice, Scene, Sheet, Time, Truss, compile_scene, simulate
from yawara.frame import Frame
from yawara.observe.probes import measures


def chain(**scene):
    body = Chain(counts=(3,), spacing=1.0, law=LAWS["three_element"], mass=3.0)
    return Scene(body={"chain": body}, **{"time": Time(end=1.0, frame=0.1), **scene})


def test_recovery_counts_along_the_largest_displacement_until_its_own_points_are_caught():
    """Pressed down 0.2, let up to 0.05, with a small push aside; a later drive elsewhere changes nothing."""
    press = Drive(name="press", body="chain", points="last", times=[0.0, 0.2, 0.4],
                  displacement=[(0, 0, 0), (-0.2, 0, 0), (-0.05, 0.02, 0)], release=0.5)  # fmt: skip
    other = Drive(name="other", body="chain", points=[1], times=[0.7, 0.8], displacement=[(0, 0, 0), (0.1, 0, 0)])
    result = simulate(chain(drive=[press, other], fix=[Fix(body="chain", points="first")]))
    (recovery,) = [found for found in result.recoveries if found.drive == "press"]
    x = result.history["press.displacement_x"]
    assert recovery.pressed == pytest.approx(0.05)
    assert recovery.residual == -x[-1]
    assert recovery.returned == recovery.pressed - recovery.residual
    assert recovery.peak_force == np.abs(result.history["press.force_x"]).max()


def test_measures_of_a_deformed_scene():
    """Every point at (1.1 x, 0.9 y, 1.2 z): sizes, heights and distances are known; no body is the first one only."""
    law = LAWS["voigt"]
    bodies = {
        "block": Truss(counts=(3, 4, 3), spacing=0.1, mass=1.0, law=law),
        "jelly": Lattice(counts=(4, 3, 5), spacing=0.1, mass=1.0, law=law, origin=(1.0, 0.0, 0.0)),
        "sheet": Sheet(counts=(3, 6), spacing=0.1, mass=1.0, law=law, origin=(2.0, 0.0, 0.0)),
        "string": Chain(counts=(4,), spacing=0.1, mass=1.0, law=law, origin=(3.0, 0.0, 0.0)),
    }
    gap = {"type": "distance", "body": "block", "points": "top", "other_body": "jelly", "other_points": "top"}
    probes = {"gap": gap, "v": {"type": "volume", "body": "jelly"}, "a": {"type": "area", "body": "jelly"}}
    compiled = compile_scene(Scene(time=Time(end=1.0), body=bodies, probe=probes))
    state = compiled.state.copy()
    state.position[...] *= (1.1, 0.9, 1.2)
    frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0)
    found = {
        column.name: value
        for measure in measures(compiled)
        for column, value in zip(measure.columns, measure.values(frame), strict=True)
    }
    x, y, z = 0.33, 0.18, 0.48  # the jelly's sides
    expected = {
        "block.volume": 0.22 * 0.27 * 0.24, "block.height": 0.24, "jelly.volume": x * y * z, "jelly.height": z,
        "sheet.area": 0.22 * 0.45, "sheet.height": 0.45, "string.length": 0.33, "string.height": 0.33,
        "gap": float(np.hypot(np.hypot(1.1 + 0.165 - 0.11, 0.09 - 0.135), 0.48 - 0.24)),
        "v": x * y * z, "a": 2 * (x * y + y * z + z * x),
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
