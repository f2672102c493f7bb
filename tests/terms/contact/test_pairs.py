"""Bodies against each other and themselves: the search for pairs, forces against plain NumPy, momenta, and what must not pass."""

import itertools
from dataclasses import replace

import meshio
import numpy as np
import pytest

import reference_contact as reference
from helpers import term
from plain import plain
from yawara import Drive, Fix, Force, Lattice, Mesh, Scene, Sheet, Time, Truss, Voigt, compile_scene, simulate
from yawara.frame import Frame
from yawara.kernels import closest
from yawara.kernels.records import Bound
from yawara.scene.tools import Sphere
from yawara.status import StepStatus
from yawara.terms.contact import response
from yawara.terms.contact.broad_phase import SKIN, find_candidates
from yawara.terms.contact.internal import KEY, SLOTS_OF_EDGE, SLOTS_OF_NODE, STRETCH, SUM, VARIABLES
from yawara.tools.contact import Contact

WEAK = Voigt(k=1e-9, c=0.0)  # links that do not count
FIRM = Voigt(k=400.0, c=0.4)

closest_between_segments, closest_on_segment, closest_on_triangle = (
    plain(one) for one in (closest.closest_between_segments, closest.closest_on_segment, closest.closest_on_triangle)
)


def turned(random):
    """A random rotation."""
    q, r = np.linalg.qr(random.standard_normal((3, 3)))
    q *= np.sign(np.diag(r))
    return q * np.linalg.det(q)


def turned_in_plane(random):
    angle = random.uniform(0.0, 2.0 * np.pi)
    s, c = np.sin(angle), np.cos(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def two_bodies(shape, law=WEAK, contact=None, **time):
    def body(counts):
        match shape:
            case "lattice":
                return Lattice(counts=counts, spacing=0.1, law=law, mass=1.0)
            case "truss":
                return Truss(counts=counts, spacing=0.1, law=law, mass=1.0)
            case "sheet":
                return Sheet(counts=counts[:2], spacing=0.1, law=law, mass=1.0, pattern="alternating")

    bodies = {"one": body([2, 2, 2]), "two": body([3, 2, 2])}
    return compile_scene(Scene(time=Time(**{"end": 1.0, **time}), body=bodies, contact=contact or Contact()))


def evaluate(compiled, state):
    return Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation


def place(compiled, state, name, turn, centre):
    """Turn a body about its centre and put that somewhere."""
    points = compiled.model.body(name).points
    x = state.position[points]
    state.position[points] = (x - x.mean(axis=0)) @ turn.T + centre


# ---- search


def brute_force(contact, position):
    """Sides near each node, later edges near each edge, by comparing all with all."""
    wide = (1.0 + SKIN) * contact.reach.max()
    x = position[contact.node]

    def may_touch(one, two):
        same = one[:, None] == two[None, :]
        flat = contact.dimension == 2
        return np.where(same, contact.itself[one][:, None], contact.between[0] & (flat[one][:, None] == flat[two][None, :]))

    node = contact.pair_node
    near = np.array([[distance_from_side(x[n], *x[side], side[1] == side[2]) <= wide for side in contact.side] for n in node])
    own = (contact.side[None, :, :] == node[:, None, None]).any(axis=2)
    sides = near & ~own & may_touch(contact.node_body[node], contact.side_body)
    ends = x[contact.pair_edge]
    meet = np.array([[distance_between_edges(*one, *two) <= wide for two in ends] for one in ends]).reshape(len(ends), len(ends))
    shared = (contact.pair_edge[:, None, :, None] == contact.pair_edge[None, :, None, :]).any(axis=(2, 3))
    edges = np.triu(meet & ~shared & may_touch(contact.pair_edge_body, contact.pair_edge_body), 1)
    return [np.flatnonzero(row) for row in sides], [np.flatnonzero(row) for row in edges]


def distance_from_side(p, a, b, c, is_edge):
    """[m]; closest points themselves are tested in test_closest.py."""
    if is_edge:
        t = closest_on_segment(*p, *a, *b)
        return np.linalg.norm(a + t * (b - a) - p)
    u, v, w, _ = closest_on_triangle(*p, *a, *b, *c)
    return np.linalg.norm(u * a + v * b + w * c - p)


def distance_between_edges(a, b, c, d):
    """[m]"""
    s, t, _ = closest_between_segments(*a, *b, *c, *d)
    return np.linalg.norm(a + s * (b - a) - c - t * (d - c))


def split(first, found):
    return [found[a:b] for a, b in itertools.pairwise(first)]


@pytest.mark.parametrize("itself", [False, True])
@pytest.mark.parametrize("bodies", [False, True])
def test_the_search_finds_what_comparing_all_with_all_finds(bodies, itself):
    """Three solid bodies and two flat ones, scattered, turned, stretched and crumpled; far from the origin, too."""
    body = {
        "truss": Truss(counts=[4, 3, 3], spacing=0.1, law=WEAK, mass=1.0),
        "lattice": Lattice(counts=[3, 3, 3], spacing=0.07, law=WEAK, mass=1.0),
        "bar": Truss(counts=[6, 2, 2], spacing=0.05, law=WEAK, mass=1.0),
        "sheet": Sheet(counts=[5, 4], spacing=0.1, law=WEAK, mass=1.0),
        "strip": Sheet(counts=[8, 2], spacing=0.06, law=WEAK, mass=1.0, pattern="braced"),
    }
    compiled = compile_scene(Scene(time=Time(end=1.0), body=body, contact=Contact(bodies=bodies, itself=itself)))
    if not bodies and not itself:
        assert compiled.model.terms == (term(compiled, "links"),)
        return
    contact = term(compiled, "contact").surface
    found_any = 0
    for seed in range(4):
        random = np.random.default_rng(seed)
        state = compiled.state.copy()
        for name in body:
            turn = turned_in_plane(random) if name in ("sheet", "strip") else turned(random)
            place(compiled, state, name, turn * random.uniform(0.3, 1.5), random.uniform(-0.15, 0.15, 3))
        state.position[...] += random.uniform(0.0, 0.05) * random.standard_normal(state.position.shape)
        state.position[...] += random.choice([0.0, 30.0, -2e3])
        found = find_candidates(Bound(contact), contact, state.position[contact.node])
        sides, edges = brute_force(contact, state.position)
        for expected, got in zip(sides, split(found.first_side, found.side), strict=True):
            np.testing.assert_array_equal(expected, got)
        for expected, got in zip(edges, split(found.first_edge, found.edge), strict=True):
            np.testing.assert_array_equal(expected, got)
        found_any += len(found.side) + len(found.edge)
    assert found_any > 300


# ---- forces


def expected_pairs(compiled, state, zone):
    """All node-side and edge-edge pairs of the two bodies, as deep as they are followed."""
    reach = term(compiled, "contact").surface.reach.min()
    return [pair for pair in all_pairs(compiled, state, zone) if pair.gap >= -reach]


def all_pairs(compiled, state, zone):
    one, two = compiled.model.bodies
    x = state.position
    for body, other in ((one, two), (two, one)):
        if body.dimension == 2:
            loop = [(a, b) for a, b in outline(other)]
            yield from reference.node_pairs(x, np.unique(outline(body)), np.array(loop), zone)
        else:
            yield from reference.node_pairs(x, np.unique(body.triangles).astype(int), other.triangles.astype(int), zone)
    if one.dimension == 3:
        rest = compiled.model.rest_position
        edges = [list(reference.sharp_edges(rest, body.triangles)) for body in (one, two)]
        yield from reference.edge_pairs(x, *edges, zone)


def outline(body):
    """Edges of only one triangle, in its direction."""
    directed = [(int(t[n]), int(t[(n + 1) % 3])) for t in body.elements for n in range(3)]
    return np.array([edge for edge in directed if edge[::-1] not in directed])


def row_of(compiled, pair):
    """Where the kernels remember this contact, and under which key."""
    contact = term(compiled, "contact").surface
    if pair.key[0] == "node":
        node = int(np.searchsorted(contact.node, pair.key[1]))
        return SLOTS_OF_NODE * node, 1.0 + (1 - contact.node_body[node])
    ends = contact.node[contact.pair_edge].tolist()
    first, other = ends.index(list(pair.key[1:3])), ends.index(list(pair.key[3:5]))
    return SLOTS_OF_NODE * len(contact.node) + SLOTS_OF_EDGE * first, 1.0 + other


def penetrating(compiled, seed, distance):
    """Both bodies turned at random, a little crumpled and moving, their centres at about this distance."""
    random = np.random.default_rng(seed)
    flat = compiled.model.bodies[0].dimension == 2
    state = compiled.state.copy()
    direction = random.standard_normal(3) * (1.0, 1.0, 0.0 if flat else 1.0)
    direction *= distance / np.linalg.norm(direction)
    for name, centre in (("one", np.zeros(3)), ("two", direction)):
        place(compiled, state, name, turned_in_plane(random) if flat else turned(random), centre)
    state.position[...] += 0.004 * random.standard_normal(state.position.shape)
    state.velocity[...] = 0.3 * random.standard_normal(state.velocity.shape)
    if flat:
        state.points[:, [2, 6]] = 0.0
    return state, random


def remember(compiled, state, pairs, random):
    """Give every pair a past; returns integrals and stretches by row. Pairs that find no room of their own are None."""
    pasts, used = [], {}
    for pair in pairs:
        row, key = row_of(compiled, pair)
        if row in used:
            row += 1
        if row in used or (pair.key[0] == "edge" and row - SLOTS_OF_NODE * len(term(compiled, "contact").surface.node) < 0):
            return None
        used[row] = True
        total, stretch = -abs(random.standard_normal()) * 1e-4, 1e-3 * random.standard_normal(3)
        if compiled.model.bodies[0].dimension == 2:
            stretch[2] = 0.0
        internal = np.zeros(VARIABLES)
        internal[KEY], internal[SUM], internal[STRETCH : STRETCH + 3] = key, total, stretch
        state.blocks["contact.internal"][row] = internal
        pasts.append((total, stretch))
    return pasts


@pytest.mark.parametrize(("given", "friction"), [(True, 0.0), (True, 0.4), (False, 0.4)], ids=["plain", "friction", "derived"])
@pytest.mark.parametrize("shape", ["lattice", "truss", "sheet"])
def test_forces_agree_with_plain_numpy(shape, friction, given):
    if given:
        contact = Contact(
            method="time_integrated", stiffness=300.0, damping=4.0, integral=700.0, zone=2e-3, friction=friction, itself=False
        )
        law = reference.Law(2e-3, friction, 300.0, 4.0, 700.0)
    else:
        contact = Contact(method="time_integrated", zone=2e-3, friction=friction, itself=False)
    compiled = two_bodies(shape, contact=contact)
    mass = compiled.model.point.mass
    if not given:
        row = term(compiled, "contact").surface.law
        assert row[response.DAMPING_RATIO] == 0.3
        law = reference.Law(2e-3, friction, rate=np.sqrt(row[response.RATE2]), damping_ratio=row[response.DAMPING_RATIO],
                            integral_ratio=row[response.INTEGRAL_RATIO])  # fmt: skip
    counts, tested = {"node": 0, "edge": 0}, 0
    for seed in range(24):
        state, random = penetrating(compiled, seed, 0.125 if shape == "sheet" else 0.15)
        pairs = expected_pairs(compiled, state, law.zone)
        if not pairs or (pasts := remember(compiled, state, pairs, random)) is None:
            continue
        expected = np.zeros_like(state.position)
        for pair, past in zip(pairs, pasts, strict=True):
            expected += pair.forces(law, state.position, state.velocity, mass, *past)
            counts[pair.key[0]] += 1
        force = evaluate(compiled, state).force
        assert np.abs(force - expected).max() <= 1e-8 * np.abs(expected).max() + 1e-9, [(pair.key, pair.gap) for pair in pairs]
        tested += 1
    assert tested > 8
    assert counts["node"] > 10
    assert counts["edge"] > 2 or shape == "sheet"


@pytest.mark.parametrize("shape", ["lattice", "sheet"])
def test_reactions_are_shared_by_the_ratios_of_the_foot(shape):
    """One node in front of the middle of a side: the sum is zero, the corners get their weights of it (Sugiyama et al. 2002, eq. (9))."""
    compiled = two_bodies(
        shape, contact=Contact(method="time_integrated", stiffness=300.0, damping=0.0, integral=0.0, zone=2e-3, itself=False)
    )
    state = compiled.state.copy()
    one, two = compiled.model.bodies
    state.position[two.points] += (5.0, 0.0, 0.0)
    side = outline(one)[0] if shape == "sheet" else one.triangles[0].astype(int)
    ratio = np.array([0.3, 0.7]) if shape == "sheet" else np.array([0.2, 0.3, 0.5])
    corners = state.position[side]
    normal = np.cross(corners[1] - corners[0], (0.0, 0.0, 1.0) if shape == "sheet" else corners[2] - corners[0])
    node = two.point_begin
    out = normal / np.linalg.norm(normal)
    state.position[two.points] += ratio @ corners + 1.5e-3 * out - state.position[node]
    others = np.arange(two.point_begin + 1, two.point_end)
    state.position[others] = state.position[node] + 0.3 * out + 0.1 * (state.position[others] - state.position[node])
    force = evaluate(compiled, state).force
    assert force[node] == pytest.approx(300.0 * 0.5e-3 * out, rel=1e-6, abs=1e-9)
    assert force[side] == pytest.approx(np.outer(-ratio, force[node]), rel=1e-6, abs=1e-9)
    assert np.abs(force.sum(axis=0)).max() < 1e-15


# ---- momenta


def momenta(compiled, state):
    mass = compiled.model.point.mass[:, None]
    p = mass * state.velocity
    return p.sum(axis=0), np.cross(state.position, p).sum(axis=0)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", ["lattice", "truss", "sheet"])
def test_a_collision_with_friction_keeps_both_momenta(shape, threads):
    """Off-centre and spinning; friction acts at a distance from its reaction, and is made up for."""
    compiled = two_bodies(shape, FIRM, Contact(friction=0.5), end=0.4, threads=threads)
    flat, hit = shape == "sheet", 0
    for seed in range(2):
        random = np.random.default_rng(seed)
        state = compiled.state.copy()
        for name, side in (("one", -1.0), ("two", 1.0)):
            offset = random.uniform(-0.04, 0.04, 3) * (0.0, 1.0, 0.0 if flat else 1.0)
            place(
                compiled,
                state,
                name,
                turned_in_plane(random) if flat else turned(random),
                np.add((side * 0.16, 0.0, 0.0), offset),
            )
            points = compiled.model.body(name).points
            spin = random.standard_normal(3) * ((0.0, 0.0, 3.0) if flat else 3.0)
            arm = state.position[points] - state.position[points].mean(axis=0)
            state.velocity[points] = np.cross(spin, arm) - (side * 0.8, 0.0, 0.0)
        before = momenta(compiled, state)
        result = simulate(replace(compiled, start=state))
        after = momenta(compiled, result.state)
        hit += result.history["contact.penetration"].max() > 0.0
        assert np.abs(after[0] - before[0]).max() < 1e-12  # of about 1 kg m/s
        assert np.abs(after[1] - before[1]).max() < 1e-13  # of about 0.02 kg m^2/s
    assert hit == 2


def test_a_collision_loses_no_more_energy_than_it_says():
    compiled = two_bodies("lattice", FIRM, Contact(friction=0.3), end=0.4, integrator="rk4")
    state = compiled.state.copy()
    place(compiled, state, "one", turned(np.random.default_rng(5)), (-0.16, 0.0, 0.0))
    place(compiled, state, "two", turned(np.random.default_rng(6)), (0.16, 0.02, 0.0))
    state.velocity[compiled.model.body("one").points] = (1.0, 0.0, 0.0)
    start = 0.5
    history = simulate(replace(compiled, start=state)).history
    total = sum(history[f"energy.{name}"] for name in ("kinetic", "stored"))
    assert history["energy.contact"][-1] > 0.01 * start
    assert total[-1] < 0.95 * start
    assert np.abs(history["energy.balance_error"]).max() < 0.01 * start


# ---- what must not pass


def wedge_file(path, dimension):
    """20 degrees at the origin, along x, upper side rising; in 3-D a bar of that outline, along z."""
    rise = np.tan(np.radians(20.0))
    flat = np.array([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.2, 0.0, 0.0), (0.1, 0.1 * rise, 0.0), (0.2, 0.2 * rise, 0.0)])
    triangles = [(0, 1, 3), (1, 2, 4), (1, 4, 3)]
    if dimension == 2:
        meshio.Mesh(flat, [("triangle", triangles)]).write(path)
        return
    n, layers = len(flat), 4
    points = np.concatenate([np.add(flat, (0.0, 0.0, 0.05 * k)) for k in range(layers)])
    cells = []
    for k in range(layers - 1):
        for a, b, c in triangles:
            a, b, c = sorted((a, b, c))
            low, high = k * n, (k + 1) * n
            prism = [(low + a, low + b, low + c, high + c), (low + a, low + b, high + b, high + c)]
            cells += [*prism, (low + a, high + a, high + b, high + c)]
    meshio.Mesh(points, [("tetra", cells)]).write(path)


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_what_came_in_through_one_side_of_an_acute_corner_leaves_through_it(tmp_path, dimension, side):
    """A small body is thrown at one side of a wedge, near its tip, with soft contact: it gets in, and comes out where it came from."""
    wedge_file(tmp_path / "wedge.vtu", dimension)
    wedge = Mesh(file=str(tmp_path / "wedge.vtu"), law=FIRM, mass=1.0)
    small = {"spacing": 0.03, "law": Voigt(k=100.0, c=0.1), "mass": 0.02}
    ball = Sheet(counts=[2, 2], **small) if dimension == 2 else Lattice(counts=[2, 2, 2], **small)
    scene = Scene(
        time=Time(end=0.3),
        body={"wedge": wedge, "ball": ball},
        fix=[Fix(body="wedge", points="all")],
        contact=Contact(method="time_integrated", stiffness=20.0, damping=0.0),
    )
    compiled = compile_scene(scene)
    sign = 1.0 if side == "upper" else -1.0
    normal = (
        np.array([-np.sin(np.radians(20.0)), np.cos(np.radians(20.0)), 0.0]) if side == "upper" else np.array([0.0, -1.0, 0.0])
    )
    turn = np.array([[np.sqrt(0.5), -np.sqrt(0.5), 0.0], [np.sqrt(0.5), np.sqrt(0.5), 0.0], [0.0, 0.0, 1.0]])  # a corner first
    foot = np.array([0.06, 0.06 * np.tan(np.radians(20.0)) * (side == "upper"), 0.073 if dimension == 3 else 0.0])
    state, points = compiled.state.copy(), compiled.model.body("ball").points
    place(compiled, state, "ball", turn, foot + 0.03 * normal)
    state.velocity[points] = -0.12 * normal
    result = simulate(replace(compiled, start=state))
    deepest = result.history["contact.penetration"].max()
    assert 2e-4 < deepest < 0.01  # the wedge is 0.022 m thick there
    assert ((result.state.velocity[points] @ normal) > 0.0).all()
    assert (((result.state.position[points] - foot) @ normal) > 0.0).all()
    assert sign * (result.state.position[points].mean(axis=0) - foot)[1] > 0.0


@pytest.mark.parametrize("seed", range(10))
def test_crossed_bars_do_not_pass_through_each_other(seed):
    """Edges against edges: at random orientations, thrown at each other so that their middles would meet."""
    bar = {"counts": [7, 2, 2], "spacing": 0.02, "law": Voigt(k=300.0, c=0.3), "mass": 0.05}
    scene = Scene(time=Time(end=0.12), body={"one": Truss(**bar), "two": Truss(**bar)}, contact=Contact(friction=0.2))
    compiled = compile_scene(scene)
    random, state = np.random.default_rng(seed), compiled.state.copy()
    for name, side in (("one", -1.0), ("two", 1.0)):
        along, around = random.uniform(-1.2, 1.2) + (name == "two") * np.pi / 2, random.uniform(0.0, np.pi / 2)
        c, s, k, h = np.cos(along), np.sin(along), np.cos(around), np.sin(around)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ np.array([[1.0, 0, 0], [0, k, -h], [0, h, k]])
        place(compiled, state, name, turn, (0.0, 0.0, 0.02 * side))
        state.velocity[compiled.model.body(name).points] = (0.0, 0.0, -0.5 * side)
    result = simulate(replace(compiled, start=state))
    one, two = (result.state.points[compiled.model.body(name).points] for name in ("one", "two"))
    assert (two[:, 2].mean() - one[:, 2].mean()) > 0.015
    assert (two[:, 6].mean() - one[:, 6].mean()) > 0.0
    assert 0.0 < result.history["contact.penetration"].max() < 0.1 * 0.02


def test_a_strip_that_is_folded_onto_itself_stays_outside_itself():
    """One end is carried over the other, and a force presses the upper half down."""
    n, h = 25, 0.01
    strip = Sheet(counts=[n, 3], spacing=h, law=Voigt(k=400.0, c=0.4), mass=0.05, pattern="braced")
    end, times = np.linspace(0.0, 1.0, 21), np.linspace(0.0, 0.4, 21)
    drives = []
    for row in range(3):
        start = np.array([(n - 1) * h, row * h])
        angle = np.pi * end
        middle = np.stack([(n - 1) * h * (1.0 + np.cos(angle)) / 2.0, h + 0.12 * np.sin(angle) + 0.0325 * end], axis=1)
        arm = (row - 1) * h * np.stack([-np.sin(angle), np.cos(angle)], axis=1)
        way = middle + arm - start
        drives.append(
            Drive(
                body="strip",
                points=[row * n + n - 1],
                times=times,
                displacement=[(x, y, 0.0) for x, y in way - way[0]],
                axes="xyz",
            )
        )
    scene = Scene(
        time=Time(end=0.9),
        body={"strip": strip},
        fix=[Fix(body="strip", points="left")],
        drive=drives,
        force=[Force(body="strip", points=[n - 7, n - 8, n - 9], times=[0.0, 0.4, 0.7], force=[(0, 0, 0), (0, 0, 0), (0, -0.3, 0)],
                     interpolation="linear")],
        contact=Contact(),
    )  # fmt: skip
    result = simulate(scene)
    assert 0.0 < result.history["contact.penetration"].max() < 0.05 * h
    x = result.state.position.reshape(3, n, 3)
    lower, upper = x[2, : n // 3, 1], x[2, -n // 3 :, 1]  # the top row of the strip, now facing itself
    assert upper.min() > lower.max() - 0.05 * h


def test_a_body_pressed_flat_does_not_touch_itself():
    """A layer pressed to a tenth: nodes come far nearer to its other side than contacts reach, from inside."""
    slab = Truss(counts=[4, 4, 2], spacing=0.02, law=Voigt(k=200.0, c=1.0), density=1000.0)
    scene = Scene(
        time=Time(end=0.2),
        body={"slab": slab},
        fix=[Fix(body="slab", points="bottom")],
        drive=[Drive(body="slab", points="top", times=[0.0, 0.1], displacement=[(0, 0, 0), (0, 0, -0.018)])],
        contact=Contact(),
    )
    history = simulate(scene).history
    assert history["contact.penetration"].max() == 0.0
    assert np.abs(history["energy.contact"]).max() == 0.0


def test_self_contact_can_be_switched_off():
    arrays = term(two_bodies("sheet", contact=Contact(itself=False)), "contact").surface
    assert not arrays.itself.any()
    assert arrays.between[0]
    alone = term(two_bodies("sheet", contact=Contact(bodies=False)), "contact").surface
    assert alone.itself.all()
    assert not alone.between[0]


@pytest.mark.parametrize("speed", [10.0, 50.0])
def test_a_fast_ball_is_caught_by_a_thin_sheet_or_refused(speed):
    """A sheet of one cell, 5 mm thick, held at two sides; a small block is shot at it. It never passes in silence."""
    sheet = Truss(counts=[15, 15, 2], spacing=0.005, density=1000.0, law=Voigt(k=500.0, c=0.05))
    ball = Truss(
        counts=[4, 4, 4],
        spacing=0.004,
        density=1000.0,
        law=Voigt(k=2000.0, c=0.1),
        origin=(0.03, 0.03, 0.05),
        velocity=(0, 0, -speed),
    )
    scene = Scene(
        time=Time(end=0.02, frame=1e-3), body={"sheet": sheet, "ball": ball}, contact=Contact(),
        fix=[Fix(body="sheet", points=side) for side in ("left", "right")],
    )  # fmt: skip
    result = simulate(scene, strict=False)
    if result.failure is not None:
        assert result.status is StepStatus.TOO_FAST
        assert "set time.step to" in str(result.failure)
        return
    position, model = result.state.position, result.compiled.model
    assert position[model.body("ball").points, 2].min() > position[model.body("sheet").points, 2].min()
    assert result.history["contact.penetration"].max() < 0.25 * 0.005


@pytest.mark.parametrize("speed", [10.0, 100.0])
def test_a_fast_tool_takes_a_thin_sheet_along(speed):
    """A ball of 10 mm at 10 m/s and more through the plane of the sheet: the sheet stays in front of it."""
    sheet = Truss(counts=[15, 15, 2], spacing=0.005, density=1000.0, law=Voigt(k=500.0, c=0.05))
    path = {"type": "path", "times": [0.0, 0.2 / speed], "displacement": [(0, 0, 0), (0, 0, -0.12)]}
    scene = Scene(
        time=Time(end=0.5 / speed, frame=0.01 / speed), body={"sheet": sheet},
        tool={"ball": Sphere(radius=0.01, origin=(0.035, 0.035, 0.1), motion=path)},
        fix=[Fix(body="sheet", points=side) for side in ("left", "right")],
    )  # fmt: skip
    result = simulate(scene, strict=False)
    if result.failure is not None:
        assert result.status is StepStatus.TOO_FAST
        return
    nodes, ball = result.state.position[:-1], result.state.position[-1]
    assert np.linalg.norm(nodes - ball, axis=1).min() > 0.009
    assert nodes[:, 2].min() < ball[2] - 0.009  # in front of it, not behind
