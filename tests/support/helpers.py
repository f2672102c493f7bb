"""Small scenes and laws that several tests use."""

import numpy as np

import yawara.laws as laws
from yawara.methods import SCHEMES
from yawara.scene.bodies import Chain, Lattice, Sheet, Truss
from yawara.scene.compile import compile_scene
from yawara.scene.scene import Scene, Time

# One of each law, with damping everywhere, of the size of kilograms, newtons and seconds.
LAWS = {
    "voigt": laws.Voigt(k=40.0, c=0.8),
    "maxwell": laws.Maxwell(k=40.0, c=30.0),
    "three_element": laws.ThreeElement(k1=40.0, c1=0.8, c2=25.0),
    "generalized_voigt": laws.GeneralizedVoigt(k=(60.0, 40.0, 0.0), c=(1.0, 6.0, 50.0)),
    "spring_first": laws.GeneralizedVoigt(k=(30.0, 40.0), c=(2.0, 0.0)),
    "generalized_maxwell": laws.GeneralizedMaxwell(k=(30.0, 20.0), c=(3.0, 15.0), k_inf=10.0, c_inf=0.4),
    "force_dependent_damper": laws.ForceDependentDamper(k1=40.0, c1=0.8, c_max=60.0, c_min=6.0, f1=0.2, f2=1.5),
    "internal_friction": laws.InternalFriction(k=40.0, c1=0.8, c2=10.0, friction=0.3),
    "limited_three_element": laws.LimitedThreeElement(k1=40.0, c1=0.8, c2=25.0, ratio=0.8, a_min=0.8, a_max=0.82),
}


EXPLICIT = [name for name, scheme in SCHEMES.items() if not scheme.is_implicit]


def body_of(shape, law):
    """A small body of each shape."""
    match shape:
        case "chain":
            return Chain(counts=[5], spacing=0.3, law=law, mass=2.0)
        case "sheet":
            return Sheet(counts=[4, 3], spacing=0.25, law=law, mass=3.0)
        case "alternating":
            return Sheet(counts=[4, 4], spacing=0.25, law=law, mass=3.0, pattern="alternating")
        case "braced":
            return Sheet(counts=[3, 4], spacing=0.25, law=law, mass=3.0, pattern="braced")
        case "lattice":
            return Lattice(counts=[3, 3, 4], spacing=0.2, law=law, mass=5.0)
        case "truss":
            return Truss(counts=[4, 3, 3], spacing=0.2, law=law, mass=5.0)
    raise KeyError(shape)


SHAPES = ("chain", "sheet", "alternating", "braced", "lattice", "truss")


def compiled_body(shape, law, **scene):
    return compile_scene(Scene(time=Time(end=1.0), body={"body": body_of(shape, law)}, **scene))


def shaken(compiled, seed, *, size=0.02, speed=0.3, memory=0.01):
    """A random state around rest: displaced, moving, with internal variables that differ from zero."""
    random = np.random.default_rng(seed)
    state = compiled.state.copy()
    state.position[...] += size * random.standard_normal(state.position.shape)
    state.velocity[...] = speed * random.standard_normal(state.velocity.shape)
    for body in compiled.model.bodies:
        places = places_of(compiled, body.name)
        internal(state)[places] = memory * random.standard_normal(places.shape)
    return state


def term(compiled, name):
    """A force term by its name."""
    return next(one for one in compiled.model.terms if one.name == name)


def places_of(compiled, body):
    """(link_count, most): where the internal variables of a body's links are, in the body's own order.

    Links with fewer internal variables than others repeat their last one; those without any stand at the first one of another link.
    """
    links = next(one for one in term(compiled, "links").bodies if one.name == body)
    most = max((group.parts for group, _ in links.own), default=0)
    first = next((packed.place[0, 0] for group, packed in links.own if group.parts), 0)
    found = np.full((sum(len(number) for number in links.numbers), most), first, np.int64)
    for (group, packed), number in zip(links.own, links.numbers, strict=True):
        if group.parts:
            found[number] = packed.place[np.minimum(np.arange(most), group.parts - 1)].T
    return found


def internal(state):
    """The internal variables of all links."""
    return state.blocks["links.internal"]


def memories(compiled, state):
    """Internal variables of each link as a list of lists, in the bodies' own order."""
    return [row.tolist() for body in compiled.model.bodies for row in internal(state)[places_of(compiled, body.name)]]
