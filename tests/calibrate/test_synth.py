"""Synthetic measurements say so, come again from their seed, and lie on the surface: evenly, and nowhere on the table."""

import tomllib

import numpy as np
import pytest
from scipy import stats

from calibration_cases import TRUTH, driven_scene, loaded_scene, write
from yawara.calibrate.experiment_file import read_fit_file
from yawara.calibrate.load import load_problem
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.problem import show
from yawara.calibrate.reading.points import read_points
from yawara.calibrate.synth import Bench, measure_scene, points_on
from yawara.calibrate.synth_files import write_sample
from yawara.checks import SceneError
from yawara.meshes.distance import signed_distance
from yawara.scene.file import scene_text

EXACT = Bench(points=2000, noise=0.0, force_noise=0.0, volume_noise=0.0, times=(0.5, 1.0))


def shape_at(scene, times):
    """Positions by time, and the body."""
    clouds = [Cloud("", np.zeros((1, 3)), time, "dough", 1.0, 0.0, 1.0, "") for time in times]
    showing = show(scene, clouds)
    return showing.positions, showing.compiled.model.body("dough")


def test_points_without_noise_lie_on_the_deformed_surface():
    sample = measure_scene(loaded_scene(), EXACT)
    positions, body = shape_at(loaded_scene(), EXACT.times)
    for time, points in sample.clouds.items():
        assert points.shape == (2000, 3)
        assert np.abs(signed_distance(positions[time], body.closed.astype(np.int64), points)).max() < 1e-15
    assert np.ptp(positions[0.5][:, 2]) < 0.019  # it was pressed


def test_no_point_is_on_the_bottom():
    """Which is held flat on the table: all its points are at 0, and no other face is."""
    for points in measure_scene(loaded_scene(), EXACT).clouds.values():
        assert points[:, 2].min() > 0.0


def test_points_are_spread_evenly_by_area():
    """Chi-square over the triangles of the four walls and the top of a sheared box, each hit as often as its area says."""
    rng = np.random.default_rng(7)
    position = np.array([[x + 0.5 * z, 3.0 * y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
    triangles = np.array([[4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 7, 3], [2, 6, 7], [0, 4, 6], [0, 6, 2]])
    points = points_on(position, triangles, 20_000, rng)
    a, b, c = (position[triangles[:, n]] for n in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2.0
    nearest = np.argmin([barycentric_gap(points, position[one]) for one in triangles], axis=0)
    hits = np.bincount(nearest, minlength=len(triangles))
    assert stats.chisquare(hits, 20_000 * area / area.sum()).pvalue > 1e-3
    # and within one triangle: its four quarters, cut at the middles of its sides, have the same area
    weights = barycentric(points[nearest == 0], position[triangles[0]])
    quarter = np.where(weights.max(axis=1) > 0.5, weights.argmax(axis=1), 3)
    assert stats.chisquare(np.bincount(quarter, minlength=4)).pvalue > 1e-3


def barycentric(points, corners):
    return np.linalg.lstsq(np.vstack([corners.T, np.ones(3)]), np.vstack([points.T, np.ones(len(points))]), rcond=None)[0].T


def barycentric_gap(points, corners):
    """How far a point is from lying in a triangle."""
    weights = barycentric(points, corners)
    return np.linalg.norm(weights @ corners - points, axis=1) + np.maximum(-weights.min(axis=1), 0.0)


def test_noise_has_the_size_that_is_said():
    """Of 6000 coordinates the standard deviation is known to 1 % (one of its own); of 11 readings of a force to 22 %."""
    noisy = measure_scene(
        driven_scene(), Bench(points=2000, noise=3e-4, force_noise=0.02, volume_noise=0.01, times=(0.5,), seed=4)
    )
    exact = measure_scene(driven_scene(), Bench(points=2000, noise=0.0, force_noise=0.0, volume_noise=0.0, times=(0.5,), seed=4))
    difference = noisy.clouds[0.5] - exact.clouds[0.5]  # the same points: noise is drawn whether it counts or not
    assert np.std(difference) == pytest.approx(3e-4, rel=0.03)
    assert np.abs(np.mean(difference, axis=0)).max() < 4 * 3e-4 / np.sqrt(2000)
    (force,), (true,) = noisy.curves, exact.curves
    assert force.column == "push.force_z"
    assert force.noise == pytest.approx(0.02 * np.abs(true.values).max())
    assert np.std(force.values - true.values) == pytest.approx(force.noise, rel=3 * 0.22)
    assert noisy.volume_noise == pytest.approx(0.01 * exact.volume)
    assert noisy.volume == pytest.approx(exact.volume, abs=4 * noisy.volume_noise)


# --- files


def written(tmp_path, name, seed=0):
    write_sample(measure_scene(driven_scene(), Bench(points=50, times=(0.5, 1.0), seed=seed)), tmp_path / name)
    return {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}


def test_files_come_again_from_their_seed(tmp_path):
    first, again, other = written(tmp_path, "a"), written(tmp_path, "b"), written(tmp_path, "c", seed=1)
    assert first == again
    assert set(first) == {"cloud_1.ply", "cloud_2.ply", "push.force_z.csv", "scene.toml", "experiment.toml"}
    assert [name for name in first if first[name] == other[name]] == ["scene.toml"]


def test_every_file_says_that_it_is_synthetic(tmp_path):
    for name, data in written(tmp_path, "bench").items():
        assert "synthetic" in data.decode().split("\n\n")[0], name
    assert tomllib.loads((tmp_path / "bench" / "experiment.toml").read_text(encoding="utf-8"))["name"] == "small cube (synthetic)"


def test_what_is_written_is_read_back_bit_for_bit(tmp_path):
    sample = measure_scene(loaded_scene(), Bench(points=50, times=(0.5, 1.0)))
    path = write_sample(sample, tmp_path)
    assert read_points(tmp_path / "cloud_2.ply").tobytes() == sample.clouds[1.0].tobytes()
    problem = load_problem(path).problem
    assert [one.name for one in problem.experiments[0].observations] == ["cloud 1", "cloud 2", "volume 1"]
    starts = {name: factor * value for (name, value), factor in zip(TRUTH.items(), (2.5, 0.4, 2.5), strict=True)}
    assert dict(problem.start) == pytest.approx(starts)
    assert all(one.is_log for one in problem.parameters.values())
    outcome = problem.evaluate(list(TRUTH.values()))
    assert (
        0.7 < 2 * outcome.cost / problem.residual_count < 1.3
    )  # 101 readings scatter as their noise: 14 % is one standard deviation


# --- the command


def scene_file(tmp_path, scene=None):
    return write(tmp_path / "scene.toml", scene_text(scene or driven_scene()))


def test_the_command_writes_an_experiment_that_can_be_fitted(tmp_path, command):
    out = tmp_path / "bench"
    arguments = (
        "--points",
        "60",
        "--times",
        "0.3,1.0",
        "--curve",
        "dough.height",
        "--seed",
        "3",
        "--set",
        "body.dough.law.k1=2.2",
    )
    code, printed, message = command("synth", scene_file(tmp_path), "--out", out, *arguments)
    assert (code, message) == (0, "")
    assert f"Fit them with: yawara fit {out / 'experiment.toml'} --out {out / 'fit'}" in printed.replace("\n", "")
    file = read_fit_file(out / "experiment.toml")
    assert file.parameter["k1"].start == pytest.approx(2.5 * 2.2)
    assert [one.quantity for one in file.experiment["bench"].curve] == ["dough.height"]
    code, _, message = command("synth", scene_file(tmp_path), "--out", out)
    assert code == 2
    assert "--out: already holds an experiment; choose another directory" in message


BAD = {
    "times": (("--times", "1,x"), "--times: must be times in s with commas between (got '1,x'); write 1,2,3,4"),
    "times too late": (("--times", "0.5,2"), "--times: must increase and lie after 0 s, until 1 s (got 0.5, 2 s); change them"),
    "times unsorted": (("--times", "0.5,0.2"), "--times: must increase and lie after 0 s, until 1 s (got 0.5, 0.2 s)"),
    "time nan": (("--times", "nan"), "--times: must increase and lie after 0 s"),
    "noise nan": (("--noise", "nan"), "--noise"),
    "noise inf": (("--force-noise", "inf"), "--force-noise: must be finite and >= 0 1 (got inf); give 0 for none"),
    "noise": (("--noise", "-1"), "--noise"),
    "body": (("--body", "bread"), "--body: there is no body 'bread'; valid: dough"),
    "curve": (("--curve", "push.force"), "--curve: 'push.force' is not measured in this scene; did you mean 'push.force_"),
    "setting": (("--set", "body.dough.law.k9=1"), "k9"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_measured_is_refused(tmp_path, command, name):
    arguments, words = BAD[name]
    code, _, message = command("synth", scene_file(tmp_path), "--out", tmp_path / "bench", *arguments)
    assert code == 2
    assert words in message
    assert not (tmp_path / "bench").exists()


def test_a_body_without_a_surface_is_refused():
    scene = driven_scene().model_dump(mode="json", exclude_none=True)
    scene["body"]["arm"] = {"shape": "chain", "counts": [3], "spacing": 0.01, "mass": 0.01, "origin": [0.1, 0.0, 0.0],
                            "law": {"type": "voigt", "k": 1.0, "c": 0.1}}  # fmt: skip
    from yawara.scene.file import read_scene

    with pytest.raises(SceneError, match=r"--body: must have a closed surface to be seen \(got 'arm'\); choose a block"):
        measure_scene(read_scene(scene), Bench(body="arm"))


def test_a_run_that_fails_is_told_as_such(tmp_path, command, monkeypatch):
    import yawara.calibrate.synth as synth
    from yawara.status import SimulationError

    def fail(*_, **__):
        raise SimulationError("it flew apart")

    monkeypatch.setattr(synth, "simulate", fail)
    code, _, message = command("synth", scene_file(tmp_path), "--out", tmp_path / "bench")
    assert (code, message) == (3, "yawara: it flew apart\n")
    assert not (tmp_path / "bench").exists()
