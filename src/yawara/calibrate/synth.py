"""A laboratory that measures a simulated body as the papers' bench measured a real one: camera points, forces, the volume.

Points lie evenly on the part of the deformed surface that a camera above and around the body sees at rest, and each coordinate has noise:
3600 points with 0.05 cm at four times are what two stereo cameras gave. What a tool hides is seen all the same. All of it is synthetic, and
says so in every file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from yawara.calibrate.observation.cloud import CAMERA_NOISE
from yawara.calibrate.problem import Snapshots
from yawara.checks import SceneError, nearest
from yawara.core.model import BodyRange
from yawara.kernels.kinds import Floats
from yawara.observe.measure import enclosed_volume
from yawara.observe.probes import measures
from yawara.observe.recorder import History, Recorder
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.scene import Scene
from yawara.simulate import Progress, frame_times, simulate

DOWN = -0.5  # z of a normal below which a face looks at the table
POINTS = 3600  # per time
FORCE_NOISE, VOLUME_NOISE = 0.02, 0.005  # of the largest force, of the volume


@dataclass(frozen=True)
class Bench:
    """How things are measured."""

    times: tuple[float, ...] = ()  # [s], of the clouds; four even ones if left out
    points: int = POINTS  # of each cloud
    noise: float = CAMERA_NOISE  # [m], of a coordinate
    force_noise: float = FORCE_NOISE  # of the largest force
    volume_noise: float = VOLUME_NOISE  # of the volume
    body: str = ""  # the first one if left out
    curves: tuple[str, ...] = ()  # columns of the history; the main force of every tool, drive and push if left out
    seed: int = 0


@dataclass(frozen=True)
class Reading:
    """A curve with noise."""

    column: str
    unit: str
    time: Floats  # [s]
    values: Floats
    noise: float  # in the unit; 0 if nothing was added


@dataclass(frozen=True)
class Sample:
    """What was measured."""

    scene: Scene
    bench: Bench
    body: str
    clouds: dict[float, Floats]  # [m], (point_count, 3), by time [s]
    curves: tuple[Reading, ...]
    volume: float  # [m^3], at the last time
    volume_noise: float  # [m^3]


def measure_scene(
    scene: Scene, bench: Bench | None = None, *, progress: Progress | None = None, notify: Callable[[str], None] | None = None
) -> Sample:
    """Run the scene and measure it. SceneError if it cannot be measured so. Doubts about the run are told to `notify`."""
    bench = bench or Bench()
    _refuse_strange_noise(bench)
    compiled = compile_scene(scene)
    body, times = _body(compiled, bench), _times(scene, bench)
    recorder, snapshots = Recorder(measures(compiled)), Snapshots(times)
    columns = _columns(compiled, bench, [column.name for column in recorder.history.columns])
    simulate(compiled, observers=[snapshots], recorder=recorder, progress=progress, notify=notify, times=_all_times(scene, times))
    rng = np.random.default_rng(bench.seed)
    seen = _seen(compiled, body)
    clouds = {
        time: points_on(snapshots.positions[time], seen, bench.points, rng) + rng.normal(0.0, bench.noise, (bench.points, 3))
        for time in times
    }
    curves = tuple(_reading(recorder.history, column, bench, rng) for column in columns)
    volume = enclosed_volume(snapshots.positions[times[-1]], body.closed)
    spread = bench.volume_noise * volume
    return Sample(scene, bench, body.name, clouds, curves, volume + float(rng.normal(0.0, spread)), spread)


def points_on(position: Floats, triangles: Floats, count: int, rng: np.random.Generator) -> Floats:
    """[m], (count, 3): evenly spread by area over triangles, as chance will have it."""
    a, b, c = (position[triangles[:, n]] for n in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    chosen = rng.choice(len(triangles), count, p=area / area.sum())
    u, v = np.sqrt(rng.random(count)), rng.random(count)
    # Turk, Generating Random Points in Triangles (Graphics Gems, 1990): (1 - sqrt(r)) A + sqrt(r) (1 - s) B + sqrt(r) s C
    weights = np.stack([1.0 - u, u * (1.0 - v), u * v], axis=1)
    return np.asarray(np.einsum("nk,nkx->nx", weights, np.stack([a[chosen], b[chosen], c[chosen]], axis=1)))


def _refuse_strange_noise(bench: Bench) -> None:
    given = {
        "--noise": (bench.noise, "m"),
        "--force-noise": (bench.force_noise, "1"),
        "--volume-noise": (bench.volume_noise, "1"),
    }
    problems = [
        (name, f"must be finite and >= 0 {unit} (got {value:g}); give 0 for none")
        for name, (value, unit) in given.items()
        if not 0.0 <= value < np.inf
    ]
    if problems:
        raise SceneError(problems, source="the command")


def _body(compiled: Compiled, bench: Bench) -> BodyRange:
    name = bench.body or next(iter(compiled.scene.body))
    if name not in compiled.scene.body:
        raise SceneError([("--body", f"there is no body '{name}'; {nearest(name, compiled.scene.body)}")], source="the command")
    body = compiled.model.body(name)
    if not len(body.closed):
        raise SceneError(
            [("--body", f"must have a closed surface to be seen (got '{name}'); choose a block")], source="the command"
        )
    return body


def _times(scene: Scene, bench: Bench) -> tuple[float, ...]:
    end = scene.time.end
    times = bench.times or tuple(end * n / 4 for n in (1, 2, 3, 4))
    if any(not 0.0 < time <= end for time in times) or sorted(set(times)) != list(times):
        what = f"must increase and lie after 0 s, until {end:g} s (got {', '.join(f'{time:g}' for time in times)} s); change them"
        raise SceneError([("--times", what)], source="the command")
    return times


def _all_times(scene: Scene, times: Sequence[float]) -> list[float]:
    near = 1e-9 * scene.time.end
    return sorted({*times, *(one for one in frame_times(scene) if all(abs(one - other) > near for other in times))})


def _seen(compiled: Compiled, body: BodyRange) -> Floats:
    """Triangles that do not look at the table, at rest."""
    a, b, c = (compiled.model.rest_position[body.closed[:, n]] for n in range(3))
    normal = np.cross(b - a, c - a)
    up = normal[:, 2] / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
    return np.asarray(body.closed[up > DOWN])


def _columns(compiled: Compiled, bench: Bench, known: list[str]) -> tuple[str, ...]:
    """Those asked for, or those of everything that pushes."""
    for name in bench.curves:
        if name not in known:
            raise SceneError(
                [("--curve", f"'{name}' is not measured in this scene; {nearest(name, known)}")], source="the command"
            )
    if bench.curves:
        return bench.curves
    moving = {name.rsplit(".", 1)[0] for name in known if name.endswith((".displacement_x", ".position_x"))}
    moving |= {push.name for push in compiled.scene.push}
    return tuple(f"{name}.force" for name in sorted(moving) if f"{name}.force_x" in known)


def _reading(history: History, column: str, bench: Bench, rng: np.random.Generator) -> Reading:
    if column not in history.names:  # a force: along its main axis
        column = max((f"{column}_{axis}" for axis in "xyz"), key=lambda name: float(np.ptp(history[name])))
    unit = next(one.unit for one in history.columns if one.name == column)
    values = history[column]
    noise = bench.force_noise * float(np.abs(values).max())
    return Reading(column, unit, history["time"], values + rng.normal(0.0, noise, len(values)), noise)
