"""Which links belong to which region, with the counts of the papers' lattices and trusses; and the papers' model 2'."""

import numpy as np
import pytest

import yawara as yw
from yawara.observe.energies import balance_error
from yawara.scene.parts import on_surface, parts_of

SOFT, HARD = yw.Voigt(k=40.0, c=0.8), yw.Voigt(k=90.0, c=0.5)
LEFT = {"min": (0.0, 0.0, 0.0), "max": (0.35, 1.0, 1.0)}
FINE = {"min": (0.0, 0.0, 0.0), "max": (0.3, 0.3, 0.3)}
PAPER_GRIDS = [(6, 6, 4), (11, 11, 7)]  # 6x4x6 and 11x7x11, z being up here


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
    assert len(geometry.tied)
    place = geometry.position[:, : geometry.dimension]
    at_rim = ((place < 1e-9) | (place > 0.5 - 1e-9)).any(axis=1)
    assert (on_surface(geometry)[: len(place)] == at_rim).all()
    assert not on_surface(geometry)[len(place) :].any()


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
        time=yw.Time(end=0.8, frame=0.02, step=0.005, integrator="implicit_euler"), body={"dough": body},
        fix=[yw.Fix(body="dough", points="bottom")], drive=[drive],
    )  # fmt: skip
    result = yw.simulate(scene)
    model, history = result.compiled.model, result.history
    assert model.link_count == 11106
    assert len(result.compiled.selections["drive.0"]) == 22
    assert model.point.mass[:847] == pytest.approx(864 / 847)
    assert history["dough.volume"][0] == pytest.approx(75.0)
    assert history["dough.volume"].min() < 74.9  # it was pressed
    assert history["dough.inverted"].max() == 0
    (found,) = result.recoveries
    assert found.pressed == pytest.approx(0.2)
    assert 0.0 < found.residual < found.pressed  # it springs back in part
    assert balance_error(history) < 0.1  # the scheme's own, of order 1; an unstable run is off by factors
