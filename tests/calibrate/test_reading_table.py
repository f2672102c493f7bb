"""Tables from files: the layouts that occur, units, and every way in which a file can be wrong."""

import numpy as np
import pytest

from measured_data import measured_data
from yawara.calibrate.reading.checks import averaged, check_times
from yawara.calibrate.reading.heading import Heading, heading
from yawara.calibrate.reading.table import ColumnChoice, read_table
from yawara.calibrate.units import UNITS, to_si
from yawara.checks import SceneError

TIME, FORCE = ColumnChoice(1, dimension="s", unit="s"), ColumnChoice(2, dimension="N", unit="N")


@pytest.fixture
def file(tmp_path):
    def write(text, name="curve.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def refusal(path, **columns):
    with pytest.raises(SceneError) as error:
        read_table(path, columns)
    assert str(path) in str(error.value)
    return str(error.value)


# --- units


@pytest.mark.parametrize(
    ("unit", "dimension", "factor"),
    [
        ("mm", "m", 1e-3), ("µm", "m", 1e-6), ("kN", "N", 1e3), ("gf", "N", 9.80665e-3), ("min", "s", 60.0), ("h", "s", 3600.0),
        ("kPa", "Pa", 1e3), ("N/mm²", "Pa", 1e6), ("cm3", "m^3", 1e-6), ("ml", "m^3", 1e-6), ("%", "1", 1e-2), ("-", "1", 1.0),
        ("1/MPa", "1/Pa", 1e-6), ("mm/min", "m/s", 1e-3 / 60), ("m", "m", 1.0),
    ],
)  # fmt: skip
def test_units(unit, dimension, factor):
    assert to_si(unit, dimension) == pytest.approx(factor, rel=1e-15)


def test_every_dimension_knows_its_own_unit():
    assert all(to_si(dimension, dimension) == 1.0 for dimension in UNITS)


def test_a_strange_unit_is_refused_with_those_that_are_known():
    with pytest.raises(ValueError, match=r"'furlong' is not a known unit; known for m: m, nm, um, mm"):
        to_si("furlong", "m")
    with pytest.raises(ValueError, match="'N' is a unit of N, not of m"):
        to_si("N", "m")
    with pytest.raises(ValueError, match="'parsec' is not measured here"):
        to_si("m", "parsec")


def test_large_and_small_letters_are_different_units():
    assert to_si("MPa", "Pa") == 1e9 * to_si("mPa", "Pa")


# --- layouts

SAME = {
    "commas": "time (s),force (N)\n0,1\n0.5,2\n",
    "semicolons": "time (s);force (N)\n0;1\n0.5;2\n",
    "decimal commas": "time (s);force (N)\n0,0;1,0\n0,5;2,0\n",
    "tabs": "time (s)\tforce (N)\n0\t1\n0.5\t2\n",
    "blanks": "time (s)  force (N)\n  0  1\n  0.5  2\n",
    "square brackets": "time [s],force [N]\n0,1\n0.5,2\n",
    "underscores": "time_s,force_N\n0,1\n0.5,2\n",
    "other units": "time (ms),force (mN)\n0,1000\n500,2000\n",
    "quotes": '"time (s)","force (N)"\n0,1\n0.5,2\n',
    "comments": "# measured on a rainy day\ntime (s),force (N)\n# half way\n0,1\n\n0.5,2\n",
    "words before": "Sample 7\nSpeed (mm/min): 10;\nMachine: 5900;\ntime (s),force (N)\n0,1\n0.5,2\n",
    "byte order mark": "\ufefftime (s),force (N)\n0,1\n0.5,2\n",
    "a separator at the end": "time (s),force (N),\n0,1,\n0.5,2,\n",
    "a line of units": "time,force\ns,N\n0,1\n0.5,2\n",
    "DIN": "time / s;force / N\n0,0;1,0\n0,5;2,0\n",
    "DIN without blanks": "time/s,force/N\n0,1\n0.5,2\n",
    "DIN in blanks": "time / s  force / N\n  0  1\n  0.5  2\n",
    "DIN in tabs": "time / ms\tforce / kN\n0\t0.001\n500\t0.002\n",
    "in words": "time in s,force in N\n0,1\n0.5,2\n",
    "in words and blanks": "time in s force in N\n0 1\n0.5 2\n",
    "wide brackets": "time（s）,force［N］\n0,1\n0.5,2\n",
    "RepTate": "chem=PE;T=150;stress=10;\ntime\tforce\tT\ns\tN\tC\n0\t1\n0.5\t2\n",
}


@pytest.mark.parametrize("layout", SAME)
def test_the_same_table_in_every_layout(file, layout):
    columns = {"t": ColumnChoice("time", dimension="s"), "f": ColumnChoice("Force", dimension="N")}
    found = read_table(file(SAME[layout]), columns)
    np.testing.assert_allclose(found["t"], [0.0, 0.5])
    np.testing.assert_allclose(found["f"], [1.0, 2.0])


@pytest.mark.parametrize(
    "text", ["0,1\n0.5,2\n", "Source=somebody;Mw=0;gamma=0;\n0 1\n0.5 2\n", "gamma=1; \nt sxy\n0\t1\n0.5\t2\n"]
)
def test_columns_by_number(file, text):
    found = read_table(file(text), {"t": TIME, "f": FORCE})
    np.testing.assert_allclose(found["f"], [1.0, 2.0])


@pytest.mark.parametrize(
    ("name", "quantity", "unit"),
    [
        ("Weg / mm", "Weg", "mm"), ("Kraft / N", "Kraft", "N"), ("F / kN", "F", "kN"), ("t/s", "t", "s"), ("Zeit / s", "Zeit", "s"),
        ("Spannung / N/mm²", "Spannung", "N/mm²"), ("v / (mm/s)", "v", "mm/s"), ("Dehnung / %", "Dehnung", "%"),
        ("Kraft in N", "Kraft", "N"), ("Kraft [N]", "Kraft", "N"), ("Kraft (N)", "Kraft", "N"), ("力 / N", "力", "N"),
        ("変位［mm］", "変位", "mm"), ("時間（s）", "時間", "s"), ("Weg / Zoll", "Weg", "Zoll"),
        ("time_h", "time", "h"), ("J_per_MPa", "J", "1/MPa"),
        ("stress/strain", "stress/strain", ""), ("N/mm", "N/mm", ""), ("force", "force", ""),
        ("Kraft in der Mitte", "Kraft in der Mitte", ""),
        ("load / unload ratio", "load / unload ratio", ""), ("/", "/", ""), ("", "", ""), ("/ mm", "/ mm", ""), ("in", "in", ""),
    ],
)  # fmt: skip
def test_headings(name, quantity, unit):
    assert heading(name) == Heading(quantity, unit)


def test_a_din_heading_by_its_name_with_and_without_the_unit(file):
    path = file("Zeit / s;Weg / mm;Kraft / N\n0,0;1,0;3,0\n0,5;2,0;4,0\n")
    for name in ("Weg / mm", "Weg", "weg"):
        np.testing.assert_allclose(read_table(path, {"x": ColumnChoice(name, dimension="m")})["x"], [1e-3, 2e-3])
    message = refusal(path, x=ColumnChoice("Weg / mm", dimension="m", unit="m"))
    assert "has the unit 'mm' in the file, but 'm' was chosen, which is 1000 times as much" in message


def test_scale_turns_a_sign(file):
    choice = ColumnChoice("load", dimension="N", scale=-1.0)
    np.testing.assert_allclose(read_table(file("t (s),load (kN)\n0,-1\n1,-2\n"), {"f": choice})["f"], [1000.0, 2000.0])


# --- what is wrong with it


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"])
def test_an_empty_file(file, text):
    assert "is empty, or has nothing but comments" in refusal(file(text), t=TIME)


def test_words_only(file):
    assert "has no rows of two or more numbers (its first line is 'hello')" in refusal(file("hello\nworld\n"), t=TIME)


def test_no_file(tmp_path):
    assert "there is no such file" in refusal(tmp_path / "nothing.csv", t=TIME)


def test_a_missing_column_names_those_that_are_there(file):
    path = file("time (s),force (N)\n0,1\n1,2\n")
    message = refusal(path, f=ColumnChoice("forse", dimension="N"), x=ColumnChoice(3, dimension="m", unit="m"))
    assert "the columns are 1 'time (s)', 2 'force (N)'; did you mean 'force (N)'?" in message
    assert "must be a number from 1 to 2 (got 3)" in message  # both at once


def test_a_name_without_a_header(file):
    assert "choose one by its number, from 1 to 2" in refusal(file("0,1\n1,2\n"), t=ColumnChoice("time", dimension="s"))


def test_a_name_that_is_there_twice(file):
    message = refusal(file("t (s),F (N),F (kN)\n0,1,2\n1,2,3\n"), f=ColumnChoice("F", dimension="N"))
    assert "is there 2 times; choose one by its number" in message


@pytest.mark.parametrize(("cell", "got"), [("", "nothing"), ("x", "'x'"), ("nan", "nan"), ("inf", "inf")])
def test_a_cell_that_is_no_number(file, cell, got):
    message = refusal(file(f"t (s),F (N)\n0,1\n1,2\n2,{cell}\n"), f=FORCE)
    assert f"line 4, column 'F (N)': must be a {'finite ' if cell in ('nan', 'inf') else ''}number (got {got})" in message


def test_no_unit_is_refused(file):
    """And nothing is suggested that would be a factor of 1000 for whoever copies it."""
    message = refusal(file("t,F\n0,1\n1,2\n"), f=ColumnChoice("F", dimension="N"))
    assert "tells no unit; say in which unit its numbers are, as in 'F:UNIT', with one of N, uN, mN" in message


def test_a_din_unit_that_is_not_known_is_refused_by_its_name(file):
    assert "'Zoll' is not a known unit" in refusal(file("t / s;Weg / Zoll\n0;1\n1;2\n"), x=ColumnChoice("Weg", dimension="m"))


def test_a_unit_that_contradicts_the_header_is_refused(file):
    """Off by 1000: the file says mm, the user m."""
    message = refusal(file("t (s),x (mm)\n0,1\n1,2\n"), x=ColumnChoice("x", dimension="m", unit="m"))
    assert "has the unit 'mm' in the file, but 'm' was chosen, which is 1000 times as much" in message


# --- times


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([], "at least one row"),
        ([0.0, np.nan, 2.0], r"got nan in row 2"),
        ([0.0, 2.0, 1.0], r"must increase \(got 1 s after 2 s in row 3\); sort the rows"),
        ([0.0, 1.0, 1.0, 2.0, 2.0], r"got 1 s again in rows 3, 5\); average the rows of one time"),
    ],
)
def test_times_that_are_wrong(times, words):
    with pytest.raises(SceneError, match=words):
        check_times(np.array(times), "curve.csv", "time")


def test_times_that_are_right():
    check_times(np.array([0.0, 1.0, 3.0]), "curve.csv", "time")


def test_rows_of_one_time_are_averaged():
    times, values = averaged(np.array([0.0, 1.0, 1.0]), np.array([5.0, 1.0, 3.0]))
    np.testing.assert_allclose(times, [0.0, 1.0])
    np.testing.assert_allclose(values, [5.0, 2.0])


# --- real files


def test_the_phantom_files():
    """120 s, 20 mm; words before the header, derived columns negative."""
    path = measured_data("phantom_compression/EF10_50T_A1.csv")
    columns = {"t": ColumnChoice("Time", dimension="s"), "x": ColumnChoice("Compression", dimension="m"),
               "f": ColumnChoice("Load (N)", dimension="N"), "s": ColumnChoice("Engineering Stress", dimension="Pa")}  # fmt: skip
    found = read_table(path, columns)
    assert found["t"][-1] == pytest.approx(120.0, abs=0.1)
    assert found["x"][-1] == pytest.approx(0.020, abs=1e-5)
    section = np.pi * 0.025**2  # the header's cylinder of 50 mm
    np.testing.assert_allclose(found["s"], -found["f"] / section, atol=1.0)


def test_the_spruce_files():
    path = measured_data("spruce_creep/1-mTR2-5-1+2.csv")
    columns = {"t": ColumnChoice("time_h", dimension="s"), "e": ColumnChoice("creep_strain", dimension="1", unit="1"),
               "J": ColumnChoice("creep_compliance_per_MPa", dimension="1/Pa")}  # fmt: skip
    found = read_table(path, columns)
    np.testing.assert_allclose(found["e"], 1.6016400794e6 * found["J"], atol=1e-9)  # the file's creep stress
    assert found["t"][-1] == pytest.approx(134.85 * 3600, rel=0.02)
