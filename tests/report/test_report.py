"""A report is well-formed, needs nothing from outside, and shows what it was given."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

from yawara.report.camera import bounds_of, fitted
from yawara.report.colour import PALETTE, VIRIDIS, hexadecimal, mapped, rgb
from yawara.report.decimate import decimate
from yawara.report.faces import is_closed, polygons, volume
from yawara.report.key import Bar
from yawara.report.legend import flow, stack
from yawara.report.notes import warnings
from yawara.report.numbers import pretty, scaled_label, tick_labels, ticks, widened
from yawara.report.order import drawing_order
from yawara.report.page import Section, figure, figure_row, page, paragraph, table
from yawara.report.picture import picture
from yawara.report.plot import Mark, Series, line_plot
from yawara.report.shape import Shape
from yawara.report.svg import NAMESPACE, Markup, element, text_width

NASTY = "<b>\"A\" & 'B'</b>\x00"
SVG = f"{{{NAMESPACE}}}"

# A unit cube, two triangles per side, outward
CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
_SIDES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
CUBE_TRIANGLES = np.array([triangle for a, b, c, d in _SIDES for triangle in ((a, b, c), (a, c, d))])


def plot(*series: Series, **options: object) -> ET.Element:
    """A plot, parsed; every coordinate in it is a number."""
    svg = line_plot(series, x_label="time [s]", y_label="force [N]", title="t", **options)  # type: ignore[arg-type]
    assert not re.search(r"\b(nan|inf)\b", svg)
    return ET.fromstring(svg)


def patches(svg: str) -> list[ET.Element]:
    """The faces of a picture, in drawing order."""
    return [path for path in ET.fromstring(svg).iter(f"{SVG}path") if "fill" in path.attrib and "stroke" in path.attrib]


# --- markup


def test_markup_is_escaped_once() -> None:
    inner = element("text", NASTY, class_=NASTY, stroke_width=1.25, x=None)
    outer = ET.fromstring(element("g", inner))
    assert outer[0].text == NASTY.replace("\x00", "\ufffd")
    assert outer[0].attrib == {"class": NASTY.replace("\x00", "\ufffd"), "stroke-width": "1.25"}


# --- numbers


@pytest.mark.parametrize("low", [0.0, -1.0, 3.7e-9, 12345.0, -8e6])
@pytest.mark.parametrize("span", [1e-6, 0.3, 1.0, 7.0, 99.0, 4.2e7])
def test_ticks_are_few_round_and_inside(low: float, span: float) -> None:
    low, high = widened(low, low + span)
    values = ticks(low, high)
    step = np.diff(values)
    assert 2 <= len(values) <= 8
    assert values[0] >= low - 1e-6 * (high - low)
    assert values[-1] <= high + 1e-6 * (high - low)
    mantissa = step[0] / 10.0 ** np.floor(np.log10(step[0] * 1.000001))
    assert min(abs(mantissa - nice) for nice in (1, 2, 5)) < 1e-3
    assert len(set(tick_labels(values, 0))) == len(values)


@pytest.mark.parametrize(
    ("label", "size", "power", "shown"),
    [
        ("height [m]", 0.02, -3, "height [mm]"),
        ("force [N]", 5e-6, -6, "force [µN]"),
        ("time [s]", 0.5, 0, "time [s]"),
        ("stress [Pa]", 2e6, 6, "stress [MPa]"),
        ("speed [m/s]", 0.002, -3, "speed [mm/s]"),
        ("area [m^2]", 2e-6, -6, "area [10⁻⁶ m^2]"),  # mm^2 is 1e-6 m^2, but µm^2 is not
        ("mass [kg]", 2e-5, -6, "mass [10⁻⁶ kg]"),
        ("strain", 0.02, 0, "strain"),
        ("strain", 2e-5, -6, "strain [10⁻⁶]"),
    ],
)
def test_axes_take_prefixes_where_they_are_right(label: str, size: float, power: int, shown: str) -> None:
    assert scaled_label(label, size) == (power, shown)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-2.5, "−2.5"),
        (1.23456, "1.235"),
        (0.00123456, "0.001235"),
        (123456.0, "123456"),
        (1234567.0, "1.235 × 10⁶"),
        (-4.92e-7, "−492 × 10⁻⁹"),
        (9.99999e5, "999999"),
        (float("nan"), "NaN"),
        (float("-inf"), "−∞"),
    ],
)
def test_numbers_read_well(value: float, shown: str) -> None:
    assert pretty(value) == shown


# --- plots


def test_decimation_keeps_extremes_and_gaps() -> None:
    x, y = np.linspace(0.0, 1.0, 100_000), np.random.default_rng(1).normal(size=100_000)
    y[12_345], y[77_777] = 50.0, -60.0
    y[40_000:41_000] = np.nan
    picked = decimate(x, y)
    assert len(picked) < 1100
    assert {0, 12_345, 77_777, 99_999} <= set(picked.tolist())
    assert np.isnan(y[picked]).any()
    assert np.all(np.diff(picked) > 0)


def test_decimation_keeps_the_turns_of_a_loop() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 50_001)
    x, y = np.cos(angle), np.sin(angle + 0.3)
    picked = decimate(x, y)
    for data in (x, y):
        assert (data[picked].min(), data[picked].max()) == (data.min(), data.max())


@pytest.mark.parametrize(
    "series",
    [
        (),
        (Series("empty", [], []),),
        (Series("nothing", [0, 1], [np.nan, np.inf]),),
        (Series("one", [1.0], [2e-5]),),
        (Series("constant", [0, 1, 2], [5, 5, 5]),),
        (Series("zero", [0, 0, 0], [0, 0, 0]),),
        (Series("nearly constant", [0, 1], [1e9, 1e9 + 1e-3]),),
        (Series("huge", [0, 1], [1e300, -1e300]),),
        (Series("tiny", [0, 1], [1e-300, 2e-300]),),
        (Series("gaps", range(5), [1, np.nan, 2, np.nan, np.nan]),),
        tuple(Series(f"{NASTY}{i}", [0, 1], [i, 2 * i], dashed=i % 2 == 1) for i in range(20)),
    ],
)
def test_plots_of_odd_data_are_well_formed(series: tuple[Series, ...]) -> None:
    plot(*series, marks=[Mark(0.5, NASTY), Mark(0.5, "again"), Mark(1e12, "far away")])


def test_a_gap_parts_the_line_and_a_lone_point_is_a_dot() -> None:
    root = plot(Series("a", range(6), [1, 2, np.nan, 3, np.nan, np.nan]))
    (line,) = [path for path in root.iter(f"{SVG}path") if path.attrib.get("class") == "s0" and "stroke-linecap" in path.attrib]
    assert line.attrib["d"].count("M") == 2
    assert line.attrib["d"].endswith("h0")


def test_lines_tell_their_name_and_range() -> None:
    titles = [title.text for title in plot(Series(NASTY, [0, 1, 2], [3.0, -1.5, 2.0])).iter(f"{SVG}title")]
    assert titles == [NASTY.replace("\x00", "\ufffd") + ": from −1.5 to 3, last 2"]


def test_the_legend_stands_above_the_data() -> None:
    names = [f"a rather long name {i}" for i in range(9)]
    root = plot(*(Series(name, [0, 1], [0, 1]) for name in names), marks=[Mark(0.5, "release")])
    words = {text.text: float(text.attrib["y"]) for text in root.iter(f"{SVG}text") if "y" in text.attrib}
    top = min(float(value) for path in root.iter(f"{SVG}path") for value in re.findall(r"V([\d.]+)", path.attrib["d"]))
    assert all(words[name] < top for name in [*names, "release"])
    places = flow(names, 500.0)
    assert all(left + text_width(name) < 500.0 for (left, _), name in zip(places, names, strict=True))


def test_labels_of_marks_do_not_cover_each_other() -> None:
    labels = ["press", "hold", "release", "a long remark", "end"]
    places = stack([10.0, 20.0, 25.0, 30.0, 400.0], labels, begin=0.0, end=400.0)
    for i, (a, row_a) in enumerate(places):
        assert text_width(labels[i], 11.0) / 2 <= a <= 400.0 - text_width(labels[i], 11.0) / 2
        for j, (b, row_b) in enumerate(places[:i]):
            assert row_a != row_b or abs(a - b) >= 0.5 * (text_width(labels[i], 11.0) + text_width(labels[j], 11.0))


def test_unequal_data_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="series 'force': x and y must be lists of equal length"):
        plot(Series("force", [0, 1, 2], [0, 1]))


# --- surfaces


def test_pairs_of_triangles_become_squares() -> None:
    squares = polygons(CUBE, CUBE_TRIANGLES)
    assert squares.shape == (6, 4)
    assert {frozenset(square) for square in squares.tolist()} == {frozenset(side) for side in _SIDES}
    for square in squares:  # neighbours in the list are neighbours in space: no crossed outlines
        np.testing.assert_allclose(np.linalg.norm(CUBE[square] - CUBE[np.roll(square, 1)], axis=1), 1.0)


def test_equilateral_triangles_stay_triangles() -> None:
    rhombus = np.array([[0, 0, 0], [1, 0, 0], [0.5, 0.75**0.5, 0], [1.5, 0.75**0.5, 0]])
    assert polygons(rhombus, np.array([[0, 1, 2], [1, 3, 2]])).tolist() == [[0, 1, 2, 2], [1, 3, 2, 2]]


@pytest.mark.parametrize("second", [[0, 1, 3], [0, 2, 3]])
def test_triangles_that_face_apart_or_coincide_stay_triangles(second: list[int]) -> None:
    assert len(polygons(CUBE, np.array([[0, 2, 3], second]))) == 2


def test_closed_and_open_surfaces_are_told_apart() -> None:
    assert is_closed(CUBE_TRIANGLES)
    assert not is_closed(CUBE_TRIANGLES[:-1])
    assert volume(CUBE, CUBE_TRIANGLES) == pytest.approx(1.0)


@pytest.mark.parametrize("triangles", [CUBE_TRIANGLES, CUBE_TRIANGLES[:, ::-1]])
def test_a_solid_shows_three_sides_and_the_top_is_brightest(triangles: np.ndarray) -> None:
    svg = picture([Shape(CUBE, triangles, "#808080")])
    found = patches(svg)
    assert len(found) == 3
    fills = {min(map(float, re.findall(r"[\d.]+ ([\d.]+)", path.attrib["d"]))): sum(rgb(path.attrib["fill"])) for path in found}
    assert fills[min(fills)] == max(fills.values())  # the top of the drawing is the top of the cube


def test_a_sheet_shows_both_sides() -> None:
    for elevation in (40.0, -40.0):
        assert len(patches(picture([Shape(CUBE, CUBE_TRIANGLES[2:4])], view=(-60.0, elevation)))) == 1


def test_bounds_give_pictures_one_scale() -> None:
    bounds = bounds_of(CUBE, 0.5 * CUBE)
    small, large = (picture([Shape(scale * CUBE, CUBE_TRIANGLES)], bounds=bounds) for scale in (0.5, 1.0))

    def width(svg: str) -> float:
        xs = [float(x) for path in patches(svg) for x in re.findall(r"([\d.]+) [\d.]+", path.attrib["d"])]
        return max(xs) - min(xs)

    # Half as wide, but for the perspective: 9 half diagonals away, half a diagonal of depth changes sizes by about 1/18
    assert width(small) == pytest.approx(0.5 * width(large), rel=1 / 18)


def test_the_camera_fits_its_box_and_keeps_left_and_up() -> None:
    camera = fitted(bounds_of(CUBE), (-60.0, 24.0), (10.0, 20.0, 310.0, 220.0))
    pixels = camera.place(CUBE)
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    assert low.min() >= 10.0 - 1e-9
    assert np.isclose(high - low, [300.0, 200.0]).any()
    above = fitted(bounds_of(CUBE), (-90.0, 90.0), (0.0, 0.0, 100.0, 100.0)).place(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]))
    assert above[1, 0] > above[0, 0]
    assert above[2, 1] < above[0, 1]


def test_far_bodies_are_drawn_first() -> None:
    block, plate = np.array([[0, 0, 0], [1, 1, 1.0]]), np.array([[-2, -2, 0.95], [3, 3, 1.1]])  # the plate dents the block
    away, near = (
        plate + np.array([[0, 0, 0], [0, 20, 0]]),
        plate - np.array([[0, 9, 0], [0, 0, 0]]),
    )  # their middles tell the wrong order
    assert drawing_order([away, block], np.array([0.5, -9, 9])) == [[1], [0]]
    assert drawing_order([near, block], np.array([0.5, -9, -9])) == [[0], [1]]
    assert drawing_order([block, block + 0.5], np.array([0.5, -9, 9])) == [[0, 1]]


def test_odd_pictures_are_well_formed() -> None:
    lost = CUBE.copy()
    lost[3] = np.nan
    for bodies in (
        [],
        [Shape([[0.0, 0.0, 0.0]])],
        [Shape(lost, CUBE_TRIANGLES, lines=[[0, 1], [2, 3]], values=np.linspace(0, 1, 8))],
        [Shape(CUBE, CUBE_TRIANGLES, name=NASTY), Shape(CUBE + 3, (), name="rope", lines=[[0, 1], [1, 3]])],
        [Shape(CUBE * [1, 1, 0], CUBE_TRIANGLES[2:4])],
    ):
        svg = picture(bodies, caption=NASTY, bar=Bar(NASTY, 0.0, 1e-9))
        ET.fromstring(svg)
        assert not re.search(r"\b(nan|inf)\b", svg)


def test_values_colour_the_surface() -> None:
    low, high = (patches(picture([Shape(CUBE, CUBE_TRIANGLES, values=np.full(8, v))]))[0].attrib["fill"] for v in (0.0, 1.0))
    assert rgb(high)[1] > rgb(low)[1] + 0.5
    assert hexadecimal(mapped([0.0, 1.0, -3.0, 7.0])) == [VIRIDIS[0].lower(), VIRIDIS[-1].lower()] * 2


def test_a_wrong_index_is_named() -> None:
    with pytest.raises(ValueError, match=r"shape 'dough': triangles must be indices from 0 to 7 \(got 0 to 8\)"):
        picture([Shape(CUBE, [[0, 1, 8]], name="dough")])
    with pytest.raises(ValueError, match="colour must be written as '#rrggbb'"):
        picture([Shape(CUBE, CUBE_TRIANGLES, "red")])


# --- the page


class Nesting(HTMLParser):
    """Raises where tags do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def sample() -> str:
    pictures = [figure(picture([Shape(CUBE, CUBE_TRIANGLES, PALETTE[i], NASTY)]), NASTY) for i in range(3)]
    lines = figure(
        line_plot([Series(NASTY, [0, 1], [1, 2])], x_label=NASTY, y_label=NASTY, title=NASTY, marks=[Mark(0.5, NASTY)])
    )
    numbers = table(["name", f"{NASTY} [N/m]"], [[NASTY, 1.5], ["µ", None]])
    sections = [Section(NASTY, paragraph(NASTY) + figure_row(pictures)), Section("Numbers", numbers + figure_row([lines]))]
    return page(NASTY, sections, subtitle=NASTY)


def test_the_page_nests_and_needs_nothing_from_outside() -> None:
    html = sample()
    parser = Nesting()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    assert "http" not in html.replace(NAMESPACE, "")
    assert not {"b", "script", "link", "img", "iframe"} & set(parser.seen)
    assert not re.search(r"@import|src=|url\((?!#)", html)
    assert html.encode("utf-8").decode("utf-8").startswith("<!DOCTYPE html>")


def test_names_appear_as_they_were_given() -> None:
    parser = Nesting()
    parser.feed(sample())
    assert sum(NASTY.replace("\x00", "\ufffd") in word for word in parser.words) >= 10


def test_equal_ids_have_equal_contents() -> None:
    found: dict[str, str] = {}
    for name, inside in re.findall(r'<filter id="([^"]+)"(.*?)</filter>', sample()):
        assert found.setdefault(name, inside) == inside


def test_tables_set_numbers_to_the_right() -> None:
    root = ET.fromstring(
        table(["body", "mass [kg]", "done"], [["a", np.float64(0.123456), True], ["b", np.int64(123456789), None]])
    )
    cells = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    assert cells == [["body", "mass [kg]", "done"], ["a", "0.1235", "yes"], ["b", "123456789", "–"]]
    assert [cell.attrib.get("class") for cell in list(root.iter("tr"))[1]] == ["short", "number", None]
    assert [span.text for span in root.iter("span")] == ["[kg]"]


def test_a_short_row_is_refused() -> None:
    with pytest.raises(ValueError, match="each row must have 2 cells"):
        table(["a", "b"], [[1]])


def test_markup_in_cells_is_kept() -> None:
    assert "<em>x</em>" in table(["a"], [[Markup("<em>x</em>")]])


# --- tables that must fit, warnings


def test_a_sentence_among_numbers_is_words_and_wraps():
    """One number made the whole column one of numbers, which do not wrap."""
    root = ET.fromstring(
        table(["what", "value"], [["time step", "Step 1e-4 s, the largest stable one: 100 steps"], ["steps", "100"]])
    )
    assert [cell.get("class") for cell in root.iter("td")] == ["short", "long", "short", "short"]
    root = ET.fromstring(table(["a", "b"], [["x", 1.0], ["y", None], ["z", "–"], ["u", "76 × 10⁻⁶"], ["v", "> 100"]]))
    assert {cell.get("class").split()[0] for row in root.iter("tr") for cell in row[1:]} == {"number"}


def test_long_names_may_go_on_in_the_next_line():
    assert "a_drive_with_a_<wbr/>long_name.<wbr/>displacement_x" in table(["a"], [["a_drive_with_a_long_name.displacement_x"]])
    assert "<wbr/>" not in table(["a"], [["dough.volume"], ["semi_implicit"], ["1,234,567.25"]])


def test_a_title_that_is_too_long_is_cut_and_told_in_full():
    long = "what was done to a specimen with a name that has no end, in a file with another one"
    root = ET.fromstring(line_plot([Series("a", [0, 1], [0, 1])], x_label="t", y_label="y", title=long))
    (title,) = [item for item in root.iter(f"{SVG}text") if item.get("class") == "title"]
    assert title.findtext(f"{SVG}title") == long
    assert "".join(title.itertext()).endswith("…")


def test_warnings_stand_in_a_box_or_nowhere():
    box = ET.fromstring(warnings(["off by 3 % <of> it", "inside out"]))
    assert [item.text for item in box.iter("li")] == ["off by 3 % <of> it", "inside out"]
    assert box.get("role") == "note"
    assert warnings([]) == ""
    html = page("t", [Section("s", "x")], lead=warnings(["w"]))
    assert html.index("</header>") < html.index("<li>w</li>") < html.index("<h2>")
