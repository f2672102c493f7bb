"""From geometries to the model: points of all bodies and tools, and the force terms that the rooms make of them."""

import numpy as np

from yawara.checks import SceneError
from yawara.core.geometry import Geometry, Integers
from yawara.core.model import BodyRange, Model, PointArrays
from yawara.core.piece import Piece, Request
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Floats
from yawara.methods import SCHEMES
from yawara.methods.beside import build_methods
from yawara.methods.operator import Operator
from yawara.methods.stability import StableSteps, stable_step, vibrations_at_rest
from yawara.methods.watch import Watch
from yawara.scene.bodies.body import Body
from yawara.scene.parts import parts_of
from yawara.scene.scene import Scene
from yawara.scene.tools.channels import tool_masses

STEPS_PER_FRAME = 10  # at least, where no step is asked for
LARGEST_SETTLED_STEP = 1e-3  # [s] from which the contact of very soft bodies is derived, which themselves would allow larger ones


def request_of(scene: Scene, geometries: dict[str, Geometry], offsets: dict[str, int]) -> Request:
    """What the rooms build their terms from."""
    pieces = tuple(piece_of(scene.body[name], name, geometry, offsets[name]) for name, geometry in geometries.items())
    bodies = [piece.geometry.all_positions + piece.body.origin for piece in pieces]
    tools = np.array([tool.origin for tool in scene.tool.values()], float).reshape(-1, 3)
    mass = np.concatenate([*(piece.mass for piece in pieces), tool_masses(scene.tool)])
    inverse_mass = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0)
    point = PointArrays(mass, inverse_mass, np.array([*scene.gravity, 0.0]))
    return Request(pieces, point, np.concatenate([*bodies, tools]), scene.tool, scene.contact, scene.term, scene.method)


def build_model(scene: Scene, request: Request, terms: tuple[ForceTerm, ...]) -> tuple[Model, Watch]:
    bodies = tuple(_body_range(piece) for piece in request.pieces)
    inertia = tuple(tool.inertia if tool.turns_freely else 0.0 for tool in scene.tool.values())
    steps = StableSteps(())
    model = Model(request.point, terms, bodies, request.rest_position, steps, tuple(scene.tool), inertia, build_methods(request))
    return model, find_steps(scene, model, Operator(model, request.first_points), steps)


def find_steps(scene: Scene, model: Model, operator: Operator, steps: StableSteps) -> Watch:
    """From the coefficients as they are now: what of them follows from steps, the largest stable ones, and who watches them."""
    try:
        vibrations, mode = vibrations_at_rest(model, operator)
    except OverflowError:
        what = "stiffnesses, viscosities and masses must not be so large or small that their ratio overflows; check their units"
        raise SceneError([("body", what)]) from None
    at_most = min(scene.time.step or scene.time.frame_time / STEPS_PER_FRAME, LARGEST_SETTLED_STEP)
    free = stable_step(SCHEMES["semi_implicit_euler"], vibrations) or at_most
    for term in model.terms:
        term.settle(min(free, at_most))
        vibrations = list(term.widen(vibrations))
    steps.take(vibrations, min((term.part_of_stages for term in model.terms), default=1.0))
    return Watch(operator, free, mode)


def piece_of(body: Body, name: str, geometry: Geometry, offset: int, weights: dict[float, Floats] | None = None) -> Piece:
    """`weights` are those of a piece of the same shape."""
    mass = np.zeros(len(geometry.all_positions))
    mass[: len(geometry.position)] = body.point_mass(geometry)
    return Piece(name, body, geometry, offset, mass, parts_of(body, geometry), {} if weights is None else weights)


def _closed(geometry: Geometry) -> Integers:
    return geometry.triangles if geometry.closed is None else geometry.closed


def _body_range(piece: Piece) -> BodyRange:
    geometry, offset = piece.geometry, piece.offset
    return BodyRange(
        piece.name,
        piece.body.shape,
        offset,
        offset + len(geometry.all_positions),
        offset + len(geometry.position),
        (geometry.links + offset).astype(np.uint32),
        (geometry.triangles + offset).astype(np.uint32),
        (_closed(geometry) + offset).astype(np.uint32),
        {kind: (cells + offset).astype(np.uint32) for kind, cells in geometry.cells.items()},
        (geometry.elements + offset).astype(np.uint32),
        (piece.body.family.corners(geometry) + offset).astype(np.uint32),
        geometry.dimension,
        geometry.up,
        geometry.rest_size,
        (geometry.cubes + offset).astype(np.uint32),
        geometry.share,
    )
