"""New numbers for a compiled scene, without building it again: laws, materials, masses, pressures, gravity, what the outside does.

Sliders, fits and sweeps change numbers and nothing else. Then points, elements, threads and kernels stay as they are, and coefficients are
written where they were. The result is that of a scene compiled anew, bit for bit; a test says so.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from yawara.checks import SceneError
from yawara.core.model import PointArrays
from yawara.core.piece import Request
from yawara.methods.stability import StableSteps
from yawara.scene.bodies.body import Body
from yawara.scene.build import find_steps, piece_of
from yawara.scene.built_checks import impossible_materials, unusable_steps, vanishing_masses
from yawara.scene.compile import Compiled, acting, file_stamps, notices_of, refuse, tells_stress
from yawara.scene.scene import Scene
from yawara.terms import names_by_numbers

NUMBERS = {
    "law",
    "material",
    "density",
    "mass",
    "mass_sharing",
    "velocity",
    "inversion_barrier",
    "volume",
    "incompressible",
    "region",
}  # of a body
BUILT = ("tool", "contact", "method")  # tables of a scene from which more than numbers follows
ACTING = ("fix", "drive", "force", "push", "probe", "time")  # from which follows what the outside does


def refill(compiled: Compiled, scene: Scene) -> Compiled | None:
    """The same model with the numbers of another scene; None if the scenes differ by more than that.

    SceneError if there is no such scene; the model then is as it was.
    """
    if not _is_like(compiled.scene, scene) or compiled.files != file_stamps(scene):
        return None
    geometries = {piece.name: piece.geometry for piece in compiled.request.pieces}
    offsets = {piece.name: piece.offset for piece in compiled.request.pieces}
    control, selections, notices = compiled.control, compiled.selections, compiled.notices
    if any(getattr(compiled.scene, name) != getattr(scene, name) for name in ACTING):
        control, selections = acting(scene, geometries, offsets, (vanishing_masses,))
        notices = notices_of(scene, geometries, compiled.model, control)
    else:
        refuse(problem for check in (impossible_materials, vanishing_masses) for problem in check(scene, geometries))
    found = replace(compiled, scene=scene, request=_request(compiled.request, scene), control=control, selections=selections,
                    notices=notices)  # fmt: skip
    try:
        return _filled(found)
    except SceneError:
        _filled(compiled)
        raise


def _is_like(old: Scene, new: Scene) -> bool:
    """Whether they differ in numbers only."""
    if any(getattr(old, name) != getattr(new, name) for name in BUILT) or list(old.body) != list(new.body):
        return False
    if new.method or old.time.integrator != new.time.integrator or tells_stress(old) != tells_stress(new):
        return False  # methods make of numbers what they like; other schemes and probes need other kernels
    if [(name, type(one)) for name, one in old.term.items()] != [(name, type(one)) for name, one in new.term.items()]:
        return False
    return all(_has_same_shape(one, new.body[name]) for name, one in old.body.items())


def _has_same_shape(old: Body, new: Body) -> bool:
    if old is new:
        return True
    names = [name for name in type(old).model_fields if name not in NUMBERS]
    same = type(old) is type(new) and all(getattr(old, name) == getattr(new, name) for name in names)
    return same and _volume_shape(old) == _volume_shape(new) and _places(old) == _places(new)


def _volume_shape(body: Body) -> tuple[object, ...]:
    """What of the volume effect shapes a body: cell centres."""
    return (body.volume.centres, body.volume.centre_factor) if body.volume else (False, 0.5)


def _places(body: Body) -> Sequence[tuple[object, ...]]:
    return [(name, region.links, region.kind) for name, region in body.region.items()]


def _request(old: Request, scene: Scene) -> Request:
    pieces = [
        piece
        if scene.body[piece.name] is piece.body
        else piece_of(scene.body[piece.name], piece.name, piece.geometry, piece.offset, piece.weights)
        for piece in old.pieces
    ]
    mass = np.concatenate([*(piece.mass for piece in pieces), old.point.mass[len(old.point.mass) - len(old.tools) :]])
    inverse_mass = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0)
    point = PointArrays(mass, inverse_mass, np.array([*scene.gravity, 0.0]))
    return replace(old, pieces=tuple(pieces), point=point, terms=scene.term)


def _filled(compiled: Compiled) -> Compiled | None:
    """Write the numbers of its scene into its model, and find what follows from them."""
    scene, model, request, operator = compiled.scene, compiled.model, compiled.request, compiled.watch.operator
    if names_by_numbers(request) != {term.name for term in model.terms if term.depends_on_numbers}:
        return None  # numbers that were zero are not any more, or the other way round
    writers = [write for term in model.terms if (write := term.refill(request)) is not None]
    if len(writers) < len(model.terms):
        return None
    for mine, new in zip(model.point, request.point, strict=True):
        mine[:] = new
    operator.take_masses()
    for write in writers:
        write()
    steps = model.stable_step
    assert isinstance(steps, StableSteps)
    watch = find_steps(scene, model, operator, steps)
    refuse(unusable_steps(scene, steps[scene.time.integrator]))
    return replace(compiled, watch=watch, start=None)
