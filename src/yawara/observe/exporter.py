"""Files for other programs: a VTU per frame while the run goes on; surfaces and an animation at its end."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from yawara.core.model import BodyRange, Model
from yawara.core.state import State
from yawara.frame import Frame
from yawara.kernels.kinds import Floats
from yawara.methods.fields import fields_of
from yawara.methods.tensors import FIELDS, TENSORS, six, von_mises
from yawara.observe.export.glb import GlbMesh, key_frames, write_glb
from yawara.observe.export.glb_motion import GlbRigid
from yawara.observe.export.ply import write_ply
from yawara.observe.export.vtu import write_pvd, write_vtu
from yawara.observe.recorder import History
from yawara.observe.tool_poses import ToolPoses, tool_poses
from yawara.report.camera import bounds_of
from yawara.report.colour import PALETTE
from yawara.scene.compile import Compiled
from yawara.scene.tools.shapes import Floor
from yawara.scene.tools.shown import shown_surface
from yawara.warm import ensure_compiled, note_kernels

KEY_FRAMES = 60
TOOL_KEY_FRAMES = 1000  # they cost little, and a roller must not turn by half a turn between two


class VtuSeries:
    """An observer that writes one VTU file per frame."""

    def __init__(self, directory: Path, model: Model) -> None:
        self.directory, self.model = directory, model
        self.cells = _all_cells(model)

    def observe(self, frame: Frame) -> None:
        data: dict[str, np.ndarray] = {
            "velocity": frame.state.velocity,
            "displacement": frame.state.position - self.model.rest_position,
            "force": frame.evaluation.force,
            **{name: six(frame.tensor(name)).astype(np.float32) for name in TENSORS},
            "equivalent_stress": von_mises(frame.tensor("stress")).astype(np.float32),
        }
        path = self.directory / f"frame_{frame.index:06d}.vtu"
        write_vtu(path, frame.state.position, self.cells, point_data=data, time=frame.time)


def write_series_list(directory: Path, times: Iterable[float]) -> None:
    """The .pvd file beside the folder of VTU files."""
    entries = [(time, f"{directory.name}/frame_{index:06d}.vtu") for index, time in enumerate(times)]
    write_pvd(directory.with_suffix(".pvd"), entries)


def _all_cells(model: Model) -> dict[str, np.ndarray]:
    kinds = {kind for body in model.bodies for kind in body.cells}
    return {kind: np.concatenate([body.cells[kind] for body in model.bodies if kind in body.cells]) for kind in sorted(kinds)}


def export_end(directory: Path, compiled: Compiled, state: State, history: History, positions: Iterable[Floats]) -> None:
    """What is written once, from the last state or from all positions."""
    output, model, times = compiled.scene.output, compiled.model, history["time"]
    if output.ply:
        write_surfaces(directory, model, state)
    if output.glb:
        keys = key_frames(len(times), KEY_FRAMES)
        wanted = set(keys.tolist())
        frames = np.array([position for index, position in enumerate(positions) if index in wanted])
        meshes = [
            GlbMesh(body.name, frames[:, _surface(body)[0]], _surface(body)[1], PALETTE[n % len(PALETTE)], lines=_lines(body))
            for n, body in enumerate(model.bodies)
        ]
        bodies = bounds_of(frames[:, : model.bodies[-1].point_end])
        tools = [_rigid(poses, times, bodies) for poses in tool_poses(compiled, history)]
        write_glb(directory / "animation.glb", times[keys], meshes, rigid=tools)


def write_surfaces(directory: Path, model: Model, state: State) -> None:
    """A PLY file for each body that has a surface, with all fields at its points."""
    ensure_compiled(note_kernels(model.terms))
    fields = {name.replace(" ", "_"): fields_of(model).of(name, state).values for name in FIELDS}
    for body in model.bodies:
        if len(body.triangles):
            points, triangles = _surface(body)
            data = {name: values[points] for name, values in fields.items()}
            write_ply(directory / f"{body.name}.ply", state.position[points], triangles, point_data=data)


def _rigid(poses: ToolPoses, times: Floats, bodies: Floats) -> GlbRigid:
    """A tool; of a floor what is around the bodies, of others all."""
    from scipy.spatial.transform import Rotation

    tool = poses.tool
    points, triangles = shown_surface(tool, bodies) if isinstance(tool, Floor) else tool.surface()
    keys = key_frames(len(times), TOOL_KEY_FRAMES) if poses.moves else np.zeros(1, np.int64)
    turned = Rotation.from_matrix(tool.matrix()) * Rotation.from_rotvec(poses.angle[keys, None] * tool.axis)
    return GlbRigid(poses.name, points, triangles, times[keys], poses.position[keys], turned.as_quat())


def _surface(body: BodyRange) -> tuple[np.ndarray, np.ndarray]:
    """Points of the model that the surface uses, and its triangles in their numbers; all points of a body without surface."""
    if not len(body.triangles):
        return np.arange(body.point_begin, body.point_end), np.zeros((0, 3), np.int64)
    points, triangles = np.unique(body.triangles, return_inverse=True)
    return points, triangles.reshape(-1, 3)


def _lines(body: BodyRange) -> np.ndarray | None:
    """Links of a body that has no surface."""
    return None if len(body.triangles) else body.links.astype(np.int64) - body.point_begin
