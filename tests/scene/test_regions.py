"""Regions: links of one body with different laws, that work together as one body."""

import numpy as np
import pytest

import yawara as yw
from helpers import LAWS, shaken, term
from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.live.digest import state_digest
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.methods.stability import SAFETY
from yawara.observe.energies import balance_error, kinetic_energy
from yawara.scene.build import piece_of
from yawara.scene.parts import on_surface
from yawara.terms.cells.groups import cell_group
from yawara.terms.links.groups import groups_of

SOFT, HARD = yw.Voigt(k=40.0, c=0.8), yw.Voigt(k=90.0, c=0.5)
LEFT = {"min": (0.0, 0.0, 0.0), "max": (0.35, 1.0, 1.0)}


def compiled(body, **scene):
    return yw.compile_scene(yw.Scene(time=yw.Time(end=1.0), body={"body": body}, **scene))


# ---- one law or several: the same body


@pytest.mark.parametrize("shape", [yw.Lattice, yw.Truss])
@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize("threads", [1, 2])
def test_regions_with_the_bodys_law_change_no_bit(shape, integrator, threads):
    """Links of one family stay together in the body's own order, and equal laws are one."""
    plain = shape(counts=(5, 5, 4), spacing=0.1, mass=1.0, law=LAWS["three_element"], inversion_barrier={})
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
    massive = one.model.point.mass > 0.0  # embedded nodes have handed theirs on
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
    stiffness = groups_of(piece_of(body, "body", geometry, 0)).own[0].coefficient[1]
    inside = geometry.links[:, 1] >= 64
    assert set(stiffness[inside]) == {0.3 * SOFT.k, 0.3 * HARD.k}
    assert set(stiffness[~inside]) == {SOFT.k}


def test_pressures_are_those_of_each_regions_material():
    """A cell has the pressure of a body all of the material of its region: core if no corner is on the surface."""
    outside = yw.Material(density=1000.0, youngs_modulus=1e4, poisson=0.3, relaxation_time=2.0)
    inside = yw.Material(density=1000.0, youngs_modulus=5e4, poisson=0.45, retardation_time=0.1)
    core = {"core": {"links": "core", "material": inside}}
    body = yw.Truss(counts=(6, 6, 6), spacing=0.01, material=outside, elements="links", region=core)
    geometry = body.geometry()

    def laws(one):
        return cell_group(piece_of(one, "body", geometry, 0)).law

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


def test_barriers_are_derived_from_the_stiffest_region():
    def stiffness(own, core):
        body = yw.Truss(
            counts=(5, 5, 5),
            spacing=0.1,
            mass=1.0,
            law=own,
            region={"core": {"links": "core", "law": core}},
            inversion_barrier={},
        )
        return term(compiled(body), "tetrahedra").packed.stiffness

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
