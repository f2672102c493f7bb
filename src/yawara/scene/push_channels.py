"""From pushes to point forces: one channel for each point that the tool or its extra internal forces reach."""

import numpy as np

from yawara.core.control import PointForce, TimeTable
from yawara.core.geometry import BOX_FACES
from yawara.kernels.kinds import Floats, Indices
from yawara.scene.bodies import Lattice
from yawara.scene.consistency import made_up_name
from yawara.scene.internal_push import extra_forces, in_order
from yawara.scene.push import Push
from yawara.scene.rigid_push import face_shares
from yawara.scene.scene import Scene


def push_channels(scene: Scene, offsets: dict[str, int]) -> tuple[list[PointForce], dict[str, Indices], list[tuple[str, str]]]:
    """Channels of all pushes, the points that each tool touches by place in the scene, and what is wrong."""
    channels: list[PointForce] = []
    touched: dict[str, Indices] = {}
    problems: list[tuple[str, str]] = []
    for index, push in enumerate(scene.push):
        place, body = f"push.{index}", scene.body[push.body]
        if not isinstance(body, Lattice):
            what = f"must be a lattice (got a {body.shape}); use one, or [[force]], which pushes the points of any body"
            problems.append((f"{place}.body", what))
            continue
        try:
            shares = _shares(push, body)
        except ValueError as error:
            problems.append((place, str(error)))
            continue
        name = push.name or made_up_name("push", index)
        touched[place] = (np.flatnonzero(in_order(shares)) + offsets[push.body]).astype(np.uint32)
        channels += _channels(name, push, in_order(shares)[:, None] * np.array(push.force)[:, None, :], offsets[push.body])
        if push.internal:
            forces = _internal(push, body, shares)
            channels += _channels(f"{name}.internal", push, forces, offsets[push.body], push.internal_end)
    return channels, touched, problems


def _shares(push: Push, body: Lattice) -> Floats:
    """Of the whole force, on each point of the body, (nx, ny, nz)."""
    axis, side = BOX_FACES[push.face]
    one, two = (n for n in range(3) if n != axis)
    counts = (body.counts[one], body.counts[two])
    low, high = ((corner[0] / body.spacing, corner[1] / body.spacing) for corner in (push.min, push.max))
    try:
        on_face = face_shares(low, high, counts, diagonal=push.diagonal, renormalise=push.renormalise)
    except ValueError as error:
        end = [(count - 1) * body.spacing for count in counts]
        raise ValueError(
            f"the tool from {_corner(push.min)} to {_corner(push.max)} m {error} '{push.face}', which reaches from [0, 0] to "
            f"{_corner(end)} m; move it onto the face"
        ) from None
    shares = np.zeros(body.counts)
    np.moveaxis(shares, axis, 0)[-1 if side > 0 else 0] = on_face
    return shares


def _internal(push: Push, body: Lattice, shares: Floats) -> Floats:
    """[N], (entry_count, point_count, 3)."""
    axis, side = BOX_FACES[push.face]
    end = np.array(body.counts) - 1.0
    centre = 0.5 * end  # G: in the plane of the body's middle, under the middle of the contact
    for n, low, high in zip((n for n in range(3) if n != axis), push.min, push.max, strict=True):
        centre[n] = 0.5 * np.clip([low / body.spacing, high / body.spacing], 0.0, end[n]).sum()
    return extra_forces(shares > 0.0, centre, axis, side, np.array(push.force))


def _channels(name: str, push: Push, forces: Floats, offset: int, end: float = np.inf) -> list[PointForce]:
    """One for each point with a force at some time; forces are (entry_count, point_count, 3)."""
    times = np.array(push.times)
    return [
        PointForce(
            name, np.array([point + offset], np.uint32), TimeTable(times, np.array(forces[:, point]), push.interpolation), end
        )
        for point in np.flatnonzero((forces != 0.0).any(axis=(0, 2)))
    ]


def _corner(values: tuple[float, ...] | list[float]) -> str:
    return "[" + ", ".join(f"{value:g}" for value in values) + "]"
