"""A rigid tool on a lattice: shares of its force in hand-computed cases, and the extra internal forces."""

import numpy as np
import pytest

from yawara.scene.internal_push import extra_forces, in_order, neighbour_weights, outward_forces
from yawara.scene.rigid_push import face_shares, landing, tool_axis

FACE = (6, 6)  # points of the face in the hand-computed cases


def shares(low, high, **options):
    return face_shares(low, high, FACE, **options)


# The rules of one axis


@pytest.mark.parametrize(
    ("width", "majors", "minor"),
    [(0.0, 1, 0.0), (0.2, 1, 0.0), (0.25, 1, 0.25), (1.0, 2, 0.0), (1.2, 2, 0.0), (1.5, 2, 0.5), (3.9, 4, 0.9)],
)
def test_the_tool_is_cut_into_cells_from_its_lowest_corner(width, majors, minor):
    """Majors stand a cell apart; the rest, if it is a quarter of a cell or more, ends in a minor one at the tool's edge."""
    axis = tool_axis(0.5, 0.5 + width, 6)
    assert axis.major_count == majors
    assert axis.rest == pytest.approx(minor)
    expected = [0.5 + i for i in range(majors)] + ([0.5 + width] if minor else [])
    assert axis.place == pytest.approx(expected)


@pytest.mark.parametrize(
    ("s", "near", "far"),
    [
        (0.0, 1.0, 0.0),
        (0.2, 0.8, 0.0),  # the far share of 0.2 is dropped
        (0.25, 0.75, 0.25),  # both thresholds count as reached
        (0.5, 0.5, 0.5),
        (0.75, 0.25, 0.75),
        (0.8, 0.0, 0.8),  # the near share of 0.2 is dropped
    ],
)
def test_opposite_parts_of_a_cell_with_thresholds(s, near, far):
    row = landing(np.array([2.0 + s]), 6)[0]
    assert row[2:4] == pytest.approx([near, far])
    assert row.sum() == pytest.approx(near + far)


def test_rounding_changes_no_threshold():
    assert landing(np.array([0.1 * 3 / 0.1]), 6)[0] == pytest.approx([0, 0, 0, 1, 0, 0])
    assert landing(np.array([-1e-13, 5.0 + 1e-13]), 6)[[0, 1], [0, 5]] == pytest.approx([1.0, 1.0])


def test_what_lands_beside_the_face_is_dropped():
    assert not landing(np.array([-0.1, 5.1]), 6).any()


# Shares of a whole face


def test_a_tip_on_a_point_gives_it_everything():
    result = shares((2.0, 3.0), (2.0, 3.0))
    assert result[2, 3] == 1.0
    assert result.sum() == 1.0


def test_a_tip_in_the_middle_of_a_cell_gives_four_quarters():
    assert shares((2.5, 3.5), (2.5, 3.5))[2:4, 3:5] == pytest.approx(np.full((2, 2), 0.25))


def test_areas_opposite_to_each_corner():
    """s = 0.3, t = 0.6 of a cell: f_a = s t, f_b = (1 - s) t, f_c = (1 - s)(1 - t), f_d = s (1 - t)."""
    result = shares((2.3, 3.6), (2.3, 3.6))
    assert result[2:4, 3:5] == pytest.approx(np.array([[0.7 * 0.4, 0.7 * 0.6], [0.3 * 0.4, 0.3 * 0.6]]))


def test_dropped_parts_are_lost_unless_the_sum_is_kept():
    lost = shares((2.2, 3.5), (2.2, 3.5), renormalise=False)
    assert lost[2:4, 3:5] == pytest.approx(np.array([[0.4, 0.4], [0.0, 0.0]]))
    assert shares((2.2, 3.5), (2.2, 3.5))[2:4, 3:5] == pytest.approx(np.array([[0.5, 0.5], [0.0, 0.0]]))


@pytest.mark.parametrize(("diagonal", "corner"), [("as printed", 0.5**2 + 0.4**2), ("bilinear", 0.5 * 0.4)])
def test_minor_forces_at_the_ends(diagonal, corner):
    """A tool of 0.5 by 0.4 cells from a point: f* there, 0.5 f* and 0.4 f* at the edges, and the diagonal one. Then each is shared."""
    m, n = 0.5, 0.4
    result = shares((2.0, 3.0), (2.0 + m, 3.0 + n), diagonal=diagonal, renormalise=False) * (1 + m + n + corner)
    major, along, across = 1.0, m, n
    expected = np.zeros((2, 2))
    expected[0, 0] = major + along * (1 - m) + across * (1 - n) + corner * (1 - m) * (1 - n)
    expected[1, 0] = along * m + corner * m * (1 - n)
    expected[0, 1] = across * n + corner * (1 - m) * n
    expected[1, 1] = corner * m * n
    assert result[2:4, 3:5] == pytest.approx(expected)


def test_the_diagonal_force_needs_both_rests():
    assert shares((2.0, 3.0), (2.5, 3.2)) == pytest.approx(shares((2.0, 3.0), (2.5, 3.0)))


@pytest.mark.parametrize("low", [(0.0, 0.0), (0.13, 1.4), (2.71, 3.14), (-0.3, 2.2), (4.4, -0.6)])
@pytest.mark.parametrize("size", [(0.6, 0.7), (1.0, 5.0), (0.33, 2.6), (2.3, 0.9), (3e4, 4e4)])
@pytest.mark.parametrize("diagonal", ["as printed", "bilinear"])
def test_the_whole_force_arrives(low, size, diagonal):
    """Also of a tool far larger than the face, of whose grid points few are on it."""
    result = shares(low, (low[0] + size[0], low[1] + size[1]), diagonal=diagonal)
    assert (result >= 0).all()
    assert result.sum() == pytest.approx(1.0, rel=1e-14)


def test_the_papers_tool_touches_twelve_masses_alike():
    """1 cm x 5 cm on the 6 x 4 x 6 lattice of 1 cm: two rows of six, f_out = 12."""
    result = shares((2.0, 0.0), (3.0, 5.0))
    assert np.count_nonzero(result) == 12
    assert result[2:4] == pytest.approx(np.full((2, 6), 1 / 12))


def test_the_papers_tool_between_the_masses():
    """Its edges half a cell from any mass: large forces on the row X = 2, smaller ones on X = 1 and X = 3, as printed."""
    result = shares((1.5, 0.0), (2.5, 5.0))
    assert result.sum(axis=1) == pytest.approx([0, 0.25, 0.5, 0.25, 0, 0])


@pytest.mark.parametrize("low", [(2.0, 1.0), (2.5, 1.5), (0.0, 2.0)])
def test_a_tool_of_whole_cells_in_the_middle_is_symmetric(low):
    """On points and between them."""
    result = shares(low, (5.0 - low[0], 5.0 - low[1]))
    assert result == pytest.approx(result[::-1])
    assert result == pytest.approx(result[:, ::-1])


def test_a_tool_partly_beside_the_face_pushes_with_its_whole_force_on_what_it_reaches():
    assert shares((-2.0, 0.0), (1.0, 5.0)) == pytest.approx(shares((0.0, 0.0), (1.0, 5.0)))
    assert shares((-2.0, 0.0), (1.0, 5.0), renormalise=False).sum() == pytest.approx(0.5)


def test_a_tool_beside_the_face_pushes_nothing():
    with pytest.raises(ValueError, match="none of its grid points on the face"):
        shares((7.0, 0.0), (8.0, 5.0))


def test_a_tool_out_of_reach_is_told():
    with pytest.raises(ValueError, match=r"more than 1e\+06 cells away"):
        shares((-np.inf, 0.0), (8.0, 5.0))


# Extra internal forces (model 3)


COUNTS = (6, 6, 4)  # the papers' lattice, its height along z
TOP, FLOOR = 3, 0


def touched_rows(rows=(2, 3)):
    mask = np.zeros(COUNTS, bool)
    mask[list(rows), :, TOP] = True
    return mask


POINTS = in_order(np.moveaxis(np.indices(COUNTS), 0, -1)).astype(float)
CENTRE = np.array([2.5, 2.5, 1.5])  # G of a push in the middle


def extra(force, rows=(2, 3), centre=CENTRE):
    return extra_forces(touched_rows(rows), centre, 2, 1, np.array([force], float))[0]


def test_neighbours_at_one_cell_count_twice_those_at_a_diagonal():
    weights = neighbour_weights(touched_rows())
    assert set(weights[[1, 4], :, TOP].ravel()) == {2.0}  # beside the tool
    assert set(weights[[2, 3], :, TOP - 1].ravel()) == {2.0}  # beneath it
    assert set(weights[[1, 4], :, TOP - 1].ravel()) == {1.0}  # diagonally beneath its edge
    assert weights.sum() == 6 * (2 * 2 + 2 * 2 + 2 * 1)
    assert not weights[touched_rows()].any()


def test_extra_forces_sum_to_the_tools_and_the_floors():
    """By component and magnitude: the tool's set along x, y, z, the floor's along x and y, each the force of the tool."""
    result = extra((0.0, 0.0, -7.0))
    tool = in_order(neighbour_weights(touched_rows())) > 0
    second = POINTS[:, 2] == FLOOR + 1
    assert np.abs(result[tool]).sum(axis=0) == pytest.approx([7.0, 7.0, 7.0])
    assert np.abs(result[second]).sum(axis=0) == pytest.approx([7.0, 7.0, 0.0])
    assert not result[~tool & ~second & (POINTS[:, 2] > FLOOR)].any()


def test_extra_forces_point_away_from_the_centre_and_are_two_to_one():
    result = extra((0.0, 0.0, -7.0))
    tool = in_order(neighbour_weights(touched_rows()))
    away = POINTS - CENTRE
    sideways = POINTS[:, 2] > FLOOR
    assert (np.sign(result[sideways, :2]) * np.sign(away[sideways, :2]) >= 0).all()
    assert (result[tool > 0] * away[tool > 0] > 0).all()
    unit = away / np.linalg.norm(away, axis=1)[:, None]
    for axis in range(3):
        large, small = (result[tool == weight, axis] / unit[tool == weight, axis] for weight in (2.0, 1.0))
        assert np.ptp(large) < 1e-12
        assert np.ptp(small) < 1e-12
        assert large[0] / small[0] == pytest.approx(2.0)


@pytest.mark.parametrize("force", [(0.0, 0.0, -7.0), (3.0, 0.0, 0.0), (1.0, -2.0, -7.0), (0.0, 0.0, 4.0)])
@pytest.mark.parametrize(("rows", "x"), [((2, 3), 2.5), ((0, 1), 0.5), ((4,), 4.0)])
def test_extra_forces_add_no_momentum(force, rows, x):
    """Wherever the tool is, since the floor's points carry what does not cancel."""
    result = extra(force, rows, np.array([x, 2.5, 1.5]))
    assert np.abs(result).max() > 0
    assert result.sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-12)


def test_a_push_in_the_middle_leaves_the_floor_a_normal_force_only_and_no_torque():
    result = extra((0.0, 0.0, -7.0))
    floor = POINTS[:, 2] == FLOOR
    assert result[floor] == pytest.approx(np.tile([0, 0, -7.0 / 36], (36, 1)), abs=1e-12)
    assert np.cross(POINTS - CENTRE, result).sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-12)


def test_a_push_off_the_middle_has_a_torque():
    """So that nobody counts on angular momentum."""
    centre = np.array([0.5, 2.5, 1.5])
    assert np.abs(np.cross(POINTS - centre, extra((0.0, 0.0, -7.0), (0, 1), centre)).sum(axis=0)).max() > 0.1


def test_a_sideways_push_is_answered_against_its_direction():
    result = extra((3.0, 0.0, 0.0))
    above = POINTS[:, 2] > FLOOR
    assert (result[above, 0] <= 0).all()
    assert result[above, 0].sum() == pytest.approx(-6.0)  # of the tool's set and of the floor's
    assert np.abs(result[above, 1]).sum() == pytest.approx(6.0)
    assert (extra((-3.0, 0.0, 0.0))[:, 0] == -result[:, 0]).all()
    assert extra((-3.0, 0.0, 0.0))[:, 1:] == pytest.approx(result[:, 1:])


def test_a_pull_draws_the_sides_in():
    assert extra((0.0, 0.0, 5.0)) == pytest.approx(-extra((0.0, 0.0, -5.0)))


def test_nothing_is_pushed_where_there_is_no_direction():
    """All neighbours in the plane of the centre: no force along its normal, instead of a division by zero."""
    weights = np.zeros((3, 3, 3))
    weights[0, 1, 1] = weights[2, 1, 1] = 1.0
    result = outward_forces(weights, np.array([1.0, 1.0, 1.0]))
    assert np.abs(result).sum(axis=0) == pytest.approx([1.0, 0.0, 0.0])
