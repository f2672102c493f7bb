"""Regions: links of one body with different laws. Who belongs where, and that the laws work together as one body."""

import numpy as np
import pytest

import yawara as yw
from helpers import LAWS, shaken
from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.integrators import SCHEMES
from yawara.integrators.runner import Runner
from yawara.integrators.stability import SAFETY
from yawara.live.digest import state_digest
from yawara.observe.energies import kinetic_energy
from yawara.scene.elements import body_links, cell_group
from yawara.scene.parts import on_surface, parts_of
from yawara.summary import balance_error

SOFT, HARD = yw.Voigt(k=40.0, c=0.8), yw.Voigt(k=90.0, c=0.5)
LEFT = {"min": (0.0, 0.0, 0.0), "max": (0.35, 1.0, 1.0)}
FINE = {"min": (0.0, 0.0, 0.0), "max": (0.3, 0.3, 0.3)}
PAPER_GRIDS = [(6, 6, 4), (11, 11, 7)]  # 6x4x6 and 11x7x11, z being up here


def compiled(body, **scene):
    return yw.compile_scene(yw.Scene(time=yw.Time(end=1.0), body={"body": body}, **scene))


def grid_counts(nx, ny, nz):
    """Edges, squares and cells of a grid of points."""
    edges = (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1)
    squares = (nx - 1) * (ny - 1) * nz + nx * (ny - 1) * (nz - 1) + (nx - 1) * ny * (nz - 1)
    return edges, squares, (nx - 1) * (ny - 1) * (nz - 1)


def inner(counts):
    """The grid of the points that are not on the surface."""
    return tuple(count - 2 for count in counts)


def link_counts(body):
    """How many links each law has."""
    return {part.body.law.k: len(part.links) for part in parts_of(body, body.geometry())}


# ---- who belongs where


@pytest.mark.parametrize("counts", PAPER_GRIDS)
def test_core_and_surface_of_a_lattice(counts):
    """Core links are those of the lattice of the inner points: E + 2 Q + 4 C of a grid with two points less along each axis."""
    body = yw.Lattice(counts=counts, spacing=0.1, mass=1.0, law=SOFT, region={"core": {"links": "core", "law": HARD}})
    E, Q, C = grid_counts(*inner(counts))
    whole = grid_counts(*counts)
    core = E + 2 * Q + 4 * C
    assert link_counts(body) == {HARD.k: core, SOFT.k: whole[0] + 2 * whole[1] + 4 * whole[2] - core}
    assert {(6, 6, 4): (184, 1208), (11, 11, 7): (3860, 8706)}[counts] == (core, body.size()[1])  # all: table I of P5


@pytest.mark.parametrize("counts", PAPER_GRIDS)
def test_core_and_surface_of_a_truss(counts):
    """One diagonal per square, of the inner grid for the core: E + Q."""
    body = yw.Truss(counts=counts, spacing=0.1, mass=1.0, law=SOFT, region={"surface": {"links": "surface", "law": HARD}})
    E, Q, _ = grid_counts(*inner(counts))
    whole = grid_counts(*counts)
    assert link_counts(body) == {SOFT.k: E + Q, HARD.k: whole[0] + whole[1] - E - Q}


def four_sets(counts, spacing, mass, surf_on, core_on, surf_in, core_in):
    """A 16-parameter model: the body's own law is that of surface links on the cells."""
    return yw.Lattice(
        counts=counts, spacing=spacing, mass=mass, mass_sharing="equal", law=surf_on,
        volume=yw.Volume(centres=True, centre_factor=1.0),
        region={
            "core_on": {"links": "core", "kind": "on", "law": core_on},
            "core_in": {"links": "core", "kind": "in", "law": core_in},
            "surf_in": {"links": "surface", "kind": "in", "law": surf_in},
        },
    )  # fmt: skip


@pytest.mark.parametrize("counts", PAPER_GRIDS)
def test_in_and_on_links_of_core_and_surface(counts):
    """An inner point has 8 links to centres; a cell has 8 in all. On the cells are E + 2 Q links."""
    body = four_sets(counts, 0.1, 1.0, *(yw.Voigt(k=float(k), c=1.0) for k in (1, 2, 3, 4)))
    (E, Q, C), (core_E, core_Q, _) = grid_counts(*counts), grid_counts(*inner(counts))
    core_in, core_on = 8 * int(np.prod(inner(counts))), core_E + 2 * core_Q
    assert link_counts(body) == {1.0: E + 2 * Q - core_on, 2.0: core_on, 3.0: 8 * C - core_in, 4.0: core_in}


def test_kinds_of_the_whole_depth():
    """Eight parameters: in and on, whatever the depth; later regions take from earlier ones."""
    body = yw.Lattice(
        counts=(6, 6, 4), spacing=0.1, mass=1.0, law=SOFT, volume={"centres": True},
        region={"core": {"links": "core", "kind": "in", "law": HARD}, "surface": {"links": "surface", "kind": "in", "law": HARD}},
    )  # fmt: skip
    E, Q, C = grid_counts(6, 6, 4)
    assert link_counts(body) == {HARD.k: 8 * C, SOFT.k: E + 2 * Q}


def test_a_box_holds_the_middles_of_links_and_its_boundary_counts():
    """A chain of ten links: middles at 0.05, 0.15, ...; the one at 0.35 is on the boundary."""
    body = yw.Chain(counts=[11], spacing=0.1, mass=1.0, law=SOFT, region={"left": {"links": LEFT, "law": HARD}})
    hard = next(part for part in parts_of(body, body.geometry()) if part.body.law == HARD)
    assert hard.links.tolist() == [0, 1, 2, 3]


def test_later_regions_take_links_from_earlier_ones():
    third = yw.Voigt(k=7.0, c=1.0)
    regions = {"left": {"links": LEFT, "law": HARD}, "core": {"links": "core", "law": third}}
    core = link_counts(yw.Truss(counts=(6, 5, 5), spacing=0.1, mass=1.0, law=SOFT, region=regions))[third.k]
    swapped = dict(reversed(regions.items()))
    fewer = link_counts(yw.Truss(counts=(6, 5, 5), spacing=0.1, mass=1.0, law=SOFT, region=swapped))[third.k]
    E, Q, _ = grid_counts(4, 3, 3)
    assert core == E + Q > fewer > 0


def test_the_surface_is_the_rim_of_a_sheet_and_the_ends_of_a_chain():
    sheet = yw.Sheet(counts=(5, 4), spacing=0.1, mass=1.0, law=SOFT).geometry()
    assert (~on_surface(sheet)).sum() == 3 * 2
    chain = yw.Chain(counts=[5], spacing=0.1, mass=1.0, law=SOFT).geometry()
    assert on_surface(chain).tolist() == [True, False, False, False, True]


@pytest.mark.parametrize("pattern", ["triangles", "alternating", "braced"])
def test_the_rim_of_every_pattern(pattern):
    geometry = yw.Sheet(counts=(5, 4), spacing=0.1, mass=1.0, law=SOFT, pattern=pattern).geometry()
    at_rim = ((geometry.position[:, :2] < 0.05) | (geometry.position[:, :2] > [0.35, 0.25])).any(axis=1)
    assert (on_surface(geometry) == at_rim).all()


@pytest.mark.parametrize(
    "body",
    [
        yw.Sheet(counts=(6, 6), spacing=0.1, material="konjac", pattern="alternating", refine=[FINE]),
        yw.Truss(counts=(6, 6, 6), spacing=0.1, material="konjac", refine=[FINE]),
    ],
    ids=["sheet", "truss"],
)  # fmt: skip
def test_seams_between_fine_and_coarse_cells_are_no_surface(body):
    geometry = body.geometry()
    assert len(geometry.ties)
    place = geometry.position[:, : geometry.dimension]
    at_rim = ((place < 1e-9) | (place > 0.5 - 1e-9)).any(axis=1)
    assert (on_surface(geometry)[: len(place)] == at_rim).all()
    assert not on_surface(geometry)[len(place) :].any()


# ---- one law or several: the same body


@pytest.mark.parametrize("shape", [yw.Lattice, yw.Truss])
@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize("threads", [1, 2])
def test_regions_with_the_bodys_law_change_no_bit(shape, integrator, threads):
    """Links of one family stay together in the body's own order, and equal laws are one."""
    plain = shape(counts=(5, 5, 4), spacing=0.1, mass=1.0, law=LAWS["three_element"], topology={})
    front = {"min": (0.0, 0.0, 0.0), "max": (0.4, 0.15, 0.3)}
    regions = {name: yw.Region(links=links, law=plain.law) for name, links in (("core", "core"), ("front", front))}
    digests = []
    for body in (plain, plain.model_copy(update={"region": regions})):
        scene = yw.Scene(
            time=yw.Time(end=0.1, frame=0.02, integrator=integrator, threads=threads), body={"body": body},
            gravity=(0.0, 1.0, -9.81), fix=[yw.Fix(body="body", points="bottom")],
        )  # fmt: skip
        digests.append(state_digest(yw.simulate(scene).state))
    assert digests[0] == digests[1]


def test_the_same_law_in_another_family_differs_by_rounding_only():
    """A Voigt element as a series of one part: another kernel, no memory, another order of adding forces up."""
    one = yw.Lattice(counts=(4, 4, 4), spacing=0.1, mass=1.0, law=SOFT)
    series = yw.GeneralizedVoigt(k=(SOFT.k,), c=(SOFT.c,))
    two = yw.Lattice(counts=(4, 4, 4), spacing=0.1, mass=1.0, law=SOFT, region={"left": {"links": LEFT, "law": series}})
    ends = []
    for body in (one, two):
        scene = yw.Scene(time=yw.Time(end=0.2, step=1e-3, integrator="rk4"), body={"body": body}, gravity=(0.3, 0.0, -9.81),
                         fix=[yw.Fix(body="body", points="bottom")])  # fmt: skip
        ends.append(yw.simulate(scene).state.position)
    # 800 stages, each off by some roundings of forces that are a hundred times the net force, moving points by 1 cm
    assert np.abs(ends[1] - ends[0]).max() < 1e-12
    assert np.abs(ends[0] - one.geometry().position).max() > 1e-3


MIXED = {
    "two voigt": (SOFT, HARD),
    "stiff and viscous": (yw.Voigt(k=200.0, c=0.05), yw.Voigt(k=2.0, c=3.0)),
    "with and without springs": (SOFT, yw.Voigt(k=0.0, c=0.8)),
    "one memory and two": (LAWS["three_element"], LAWS["generalized_maxwell"]),
    "friction": (LAWS["generalized_voigt"], LAWS["internal_friction"]),
    "table III of P4": (yw.ThreeElement(k1=2.477, c1=0.561, c2=4.454), yw.ThreeElement(k1=0.293, c1=9.988, c2=19.961)),
}


def mixed(name, shape="lattice", **fields):
    law, other = MIXED[name]
    kind = {"lattice": yw.Lattice, "truss": yw.Truss}[shape]
    regions = {"core": {"links": "core", "law": other}, "left": {"links": LEFT, "law": other}}
    return kind(counts=(5, 4, 4), spacing=0.2, mass=5.0, law=law, region=regions, **fields)


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("shape", ["lattice", "truss"])
def test_internal_forces_keep_both_momenta(name, shape):
    one = compiled(mixed(name, shape, volume={"centres": True} if shape == "lattice" else None))
    state = shaken(one, 5)
    force = Frame(0, one.model, state, one.control.stretch(0.0, 1.0), 0.0).evaluation.force
    massive = one.model.arrays.point.mass > 0.0  # followers have handed theirs on
    force, place = force[massive], state.position[massive]
    rounding = 4 * len(force) * np.finfo(float).eps * np.abs(force).sum()  # as in test_conservation.py
    assert np.abs(force).max() > 0.1
    assert np.abs(force.sum(axis=0)).max() <= rounding
    if shape == "truss":  # shaken centres are not at the mean of their corners
        assert np.abs(np.cross(place, force).sum(axis=0)).max() <= rounding * np.abs(place).max()


@pytest.mark.parametrize("name", MIXED)
def test_energy_balance_closes(name):
    """To 1e-8 with RK4, as that of bodies of one law, which are softer and need half as many steps."""
    body = mixed(name)
    step = min(2.5e-4, 0.1 * compiled(body).model.stable_step["rk4"])
    down = (0.0, 0.0, -0.04)
    drive = yw.Drive(body="body", points="top", times=[0.1, 0.5, 0.6], displacement=[(0, 0, 0), down, down], interpolation="smooth",
                     release=0.8)  # fmt: skip
    scene = yw.Scene(time=yw.Time(end=1.0, frame=0.1, step=step, integrator="rk4"), body={"body": body}, drive=[drive],
                     fix=[yw.Fix(body="body", points="bottom")], gravity=(0.0, 0.0, -0.5))  # fmt: skip
    history = yw.simulate(scene).history
    assert balance_error(history) < 1e-8
    assert history["energy.dissipated"][-1] > 0.0


# ---- closed forms


def test_springs_in_series():
    """A chain of four links k and six of 2k, pulled by F at rest: F (4/k + 6/(2k))."""
    k, pull = 50.0, 0.2
    body = yw.Chain(counts=[11], spacing=0.1, mass=0.1, law=yw.Voigt(k=2.0 * k, c=1.0),
                    region={"left": {"links": LEFT, "law": {"type": "voigt", "k": k, "c": 1.0}}})  # fmt: skip
    scene = yw.Scene(
        time=yw.Time(end=400.0, step=1.0, integrator="implicit_euler"), body={"body": body},
        fix=[yw.Fix(body="body", points="first")],
        force=[yw.Force(body="body", points="last", times=[0.0], force=[(pull, 0.0, 0.0)])],
    )  # fmt: skip
    moved = yw.simulate(scene).state.position[-1, 0] - 1.0
    assert moved == pytest.approx(
        pull * (4 / k + 6 / (2 * k)), rel=1e-9
    )  # what the solver leaves; the motion itself has died out


def test_materials_in_series():
    """The same with Young's moduli, E A/l for each link whatever Poisson's ratio: weights are by the region's own."""
    soft = yw.Material(density=1000.0, youngs_modulus=1e4, poisson=0.25)
    hard = yw.Material(density=1000.0, youngs_modulus=3e4, poisson=0.45)
    body = yw.Chain(
        counts=[11], spacing=0.1, cross_section=1e-3, material=hard, region={"left": {"links": LEFT, "material": soft}}
    )
    scene = yw.Scene(
        time=yw.Time(end=400.0, step=1.0, integrator="implicit_euler"), body={"body": body},
        fix=[yw.Fix(body="body", points="first")],
        force=[yw.Force(body="body", points="last", times=[0.0], force=[(0.1, 0.0, 0.0)])],
    )  # fmt: skip
    moved = yw.simulate(scene).state.position[-1, 0] - 1.0
    assert moved == pytest.approx(0.1 * 0.1 / 1e-3 * (4 / 1e4 + 6 / 3e4), rel=1e-9)


def test_springs_side_by_side():
    """A braced square whose top is lifted by u: F = (k_left + k_right + 2 k_diagonal/2) u, to the first order in u."""
    left, others, lift = 300.0, 40.0, 1e-6
    at_left = yw.Region(links={"min": (0, 0, 0), "max": (0, 1, 0)}, law=yw.Voigt(k=left, c=5.0))
    body = yw.Sheet(
        counts=(2, 2), spacing=1.0, mass=1.0, pattern="braced", law=yw.Voigt(k=others, c=5.0), region={"left": at_left}
    )
    scene = yw.Scene(
        time=yw.Time(end=20.0), body={"body": body},
        fix=[yw.Fix(body="body", points="bottom"), yw.Fix(body="body", points="top", axes="xz")],
        drive=[yw.Drive(name="lift", body="body", points="top", axes="y", times=[0.0, 1.0], displacement=[(0, 0, 0), (0, lift, 0)])],
    )  # fmt: skip
    force = yw.simulate(scene).history["lift.force_y"][-1]
    assert force == pytest.approx((left + others + others) * lift, rel=1e-6)


def test_centre_factor_counts_in_regions_too():
    body = yw.Lattice(counts=(4, 4, 4), spacing=0.1, mass=1.0, law=SOFT, volume={"centres": True, "centre_factor": 0.3},
                      region={"in": {"links": "core", "kind": "in", "law": HARD}})  # fmt: skip
    geometry = body.geometry()
    links = body_links(parts_of(body, geometry), geometry, 0)
    stiffness = links.groups[0].coefficient[1]
    inside = geometry.links[:, 1] >= 64
    assert set(stiffness[inside]) == {0.3 * SOFT.k, 0.3 * HARD.k}
    assert set(stiffness[~inside]) == {SOFT.k}


def test_pressures_are_those_of_each_regions_material():
    """A cell has the pressure of a body all of the material of its region: core if no corner is on the surface."""
    outside = yw.Material(density=1000.0, youngs_modulus=1e4, poisson=0.3, relaxation_time=2.0)
    inside = yw.Material(density=1000.0, youngs_modulus=5e4, poisson=0.45, retardation_time=0.1)
    body = yw.Truss(counts=(6, 6, 6), spacing=0.01, material=outside, region={"core": {"links": "core", "material": inside}})
    geometry = body.geometry()

    def laws(one):
        parts = parts_of(one, geometry)
        return cell_group(one, "body", parts, geometry, 0, body_links(parts, geometry, 0), 1.0).law

    core = ~on_surface(geometry)[geometry.elements].any(axis=1)
    assert core.sum() == 5 * 3**3
    expected = np.where(core, laws(body.model_copy(update={"material": inside, "region": {}})), laws(body.of_region(None)))
    assert (laws(body) == expected).all()


# ---- stepping


def grown(one, scheme, dt):
    """Energy of a slightly shaken body after 1500 steps, over what it had."""
    state = shaken(one, 3, size=1e-7, speed=1e-6, memory=0.0)

    def energy():
        frame = Frame(0, one.model, state, one.control.stretch(0.0, 1.0), 0.0)
        return kinetic_energy(one.model, state) + frame.evaluation.stored

    before = energy()
    Runner(one.model, SCHEMES[scheme]).advance(state, one.control.stretch(0.0, 1.0), 0, 1500, dt)
    return energy() / before


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("shape", ["lattice", "truss"])
@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "rk4"])
def test_the_stable_step_is_stable_and_little_is_given_away(name, shape, scheme):
    """Twice the limit without its margin blows up, even where one region is stiff and the other viscous."""
    one = compiled(mixed(name, shape))
    step = one.model.stable_step[scheme]
    assert grown(one, scheme, step) < 2
    assert not grown(one, scheme, 2.0 * step / SAFETY) < 10  # not a number counts as grown


def test_the_stable_step_follows_the_stiffest_region():
    """Undamped: it falls with the root of the largest stiffness, and a softer region makes no difference."""

    def step(k_own, k_core):
        regions = {"core": {"links": "core", "law": yw.Voigt(k=k_core, c=0.0)}}
        body = yw.Lattice(
            counts=(6, 6, 6), spacing=0.1, mass=1.0, mass_sharing="equal", law=yw.Voigt(k=k_own, c=0.0), region=regions
        )
        return compiled(body).model.stable_step["rk4"]

    assert step(1.0, 4e4) == pytest.approx(0.5 * step(1.0, 1e4), rel=1e-3)
    assert step(1.0, 1e4) == pytest.approx(step(10.0, 1e4), rel=2e-3)


def test_an_undamped_region_is_refused_by_explicit_euler():
    """However much another region damps."""
    body = yw.Truss(
        counts=(6, 6, 6), spacing=0.1, mass=1.0, law=SOFT, region={"core": {"links": "core", "law": yw.Voigt(k=9.0, c=0.0)}}
    )
    assert compiled(body).model.stable_step["euler"] == 0.0
    with pytest.raises(SceneError, match="semi_implicit_euler or rk4"):
        yw.compile_scene(yw.Scene(time=yw.Time(end=1.0, integrator="euler"), body={"body": body}))


def test_guards_are_derived_from_the_stiffest_region():
    def stiffness(own, core):
        body = yw.Truss(
            counts=(5, 5, 5), spacing=0.1, mass=1.0, law=own, region={"core": {"links": "core", "law": core}}, topology={}
        )
        return compiled(body).model.arrays.tetrahedron.stiffness

    assert (stiffness(SOFT, HARD) == 3.0 * HARD.k).all()
    assert (stiffness(HARD, SOFT) == 3.0 * HARD.k).all()


@pytest.mark.parametrize("name", ["two voigt", "one memory and two", "friction"])
def test_implicit_and_explicit_agree(name):
    """The implicit scheme has order 1: its distance from RK4 halves with its step."""

    def end(integrator, step):
        scene = yw.Scene(time=yw.Time(end=0.4, frame=0.1, step=step, integrator=integrator), body={"body": mixed(name)},
                         gravity=(0.5, 0.0, -2.0), fix=[yw.Fix(body="body", points="bottom")])  # fmt: skip
        return yw.simulate(scene).state.position

    exact = end("rk4", 5e-4)
    ends = [end("implicit_euler", step) for step in (1e-3, 5e-4)]
    errors = [np.abs(position - exact).max() for position in ends]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.2)
    extrapolated = 2.0 * ends[1] - ends[0]  # what is left is of the second order
    assert np.abs(extrapolated - exact).max() < 0.1 * errors[1]


def test_two_threads_agree_with_one():
    ends = []
    for threads in (1, 2):
        scene = yw.Scene(time=yw.Time(end=0.3, frame=0.1, threads=threads), body={"body": mixed("one memory and two")},
                         gravity=(0.5, 0.0, -2.0), fix=[yw.Fix(body="body", points="bottom")])  # fmt: skip
        ends.append(yw.simulate(scene).state.position)
    assert np.abs(ends[1] - ends[0]).max() < 1e-13  # forces are added up in another order


# ---- the paper's model 2'


def test_the_16_parameters_of_model_2_prime_build_and_run():
    """Nogami, Noborio, Ujibe, Fujii, table V, column 2', 11x7x11: centimetre, gram and second as units, M = 864/847.

    (`a`, the length ratio, has no effect on an element that remembers its damper's length.)
    """
    laws = {
        "surf_on": (1899.0, 5837.0, 10606.0), "core_on": (2424.0, 4901.0, 2664.0),
        "surf_in": (236.0, 603.0, 19003.0), "core_in": (1902.0, 2015.0, 1759.0),
    }  # fmt: skip
    body = four_sets((11, 11, 7), 0.5, 864.0, **{name: yw.ThreeElement(k1=k, c1=c1, c2=c2) for name, (k, c1, c2) in laws.items()})
    down = (0.0, 0.0, -0.2)
    rows = {"min": (2.0, 0.0, 3.0), "max": (2.5, 5.0, 3.0)}  # two rows across the whole width: 22 points
    drive = yw.Drive(name="push", body="dough", points=rows, times=[0.0, 0.25, 0.5], displacement=[(0, 0, 0), down, down],
                     interpolation="smooth", release=0.5)  # fmt: skip
    scene = yw.Scene(
        time=yw.Time(end=2.0, frame=0.02, step=0.002, integrator="implicit_euler"), body={"dough": body},
        fix=[yw.Fix(body="dough", points="bottom")], drive=[drive],
    )  # fmt: skip
    result = yw.simulate(scene)
    model, history = result.compiled.model, result.history
    assert model.link_count == 11106
    assert len(result.compiled.selections["drive.0"]) == 22
    assert model.arrays.point.mass[:847] == pytest.approx(864 / 847)
    assert history["dough.volume"][0] == pytest.approx(75.0)
    assert history["dough.volume"].min() < 74.9  # it was pressed
    assert history["dough.inverted"].max() == 0
    (found,) = result.recoveries
    assert found.pressed == pytest.approx(0.2)
    assert 0.0 < found.residual < found.pressed  # it springs back in part
    assert balance_error(history) < 0.1  # the scheme's own, of order 1; an unstable run is off by factors
