"""The commands: what they print, and how they answer a slip."""

import json

import pytest

import yawara.bench
import yawara.cli
from yawara.demo import blocks
from yawara.laws import LAWS
from yawara.studies import STUDIES

COMMANDS = ("demo", "run", "bench", "laws", "study")


def printed_by(command, *arguments):
    """Standard output of a command that ends well and complains about nothing."""
    code, printed, message = command(*arguments)
    assert (code, message) == (0, "")
    return printed


def table(printed):
    """Rows of a printed table as tuples of cells, its heading first; cells are two or more spaces apart."""
    lines = [line.strip() for line in printed.splitlines() if line.strip() and "───" not in line]
    return [tuple(cell.strip() for cell in line.split("  ") if cell.strip()) for line in lines]


# --- help


def test_help_names_every_command(command):
    printed = printed_by(command, "--help")
    assert [name for name in COMMANDS if f" {name} " not in printed] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(command, name):
    assert f"yawara {name}" in printed_by(command, name, "--help")


def test_a_misspelt_command_gets_the_nearest(command):
    code, _, message = command("runn")
    assert code == 2
    assert "Did you mean 'run'?" in message


# --- demo


def test_the_demonstration_prints_a_table_and_writes_its_report(tmp_path, command, monkeypatch):
    small = {"POINTS": 4, "SPACING": 0.03, "PRESSED": 0.1, "RELEASED": 0.2, "END": 0.4}
    for name, value in small.items():
        monkeypatch.setattr(blocks, name, value)
    printed = printed_by(command, "demo", "--out", tmp_path / "demo")
    assert [path.name for path in (tmp_path / "demo").iterdir()] == ["report.html"]
    assert f"Report: {tmp_path / 'demo' / 'report.html'}" in printed.replace("\n", "")
    rows = {row[0]: row[1:] for row in table(printed) if row[0] in blocks.LAWS}
    assert set(rows) == {"elastic", "viscoplastic", "rheological"}
    pressed, returned, residual = zip(*(map(float, row[:3]) for row in rows.values()), strict=True)
    assert pressed == (15.0, 15.0, 15.0)
    assert [round(a + b, 1) for a, b in zip(returned, residual, strict=True)] == [15.0, 15.0, 15.0]
    report = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert all(name in report for name in rows)
    assert "<svg" in report


# --- laws


def test_laws_are_listed_with_parameters_units_and_properties(command):
    printed = printed_by(command, "laws")
    head, *rows = table(printed)
    assert head == ("law", "parameters", "network", "residue", "bounces", "damps")
    found = {row[0]: row[1:] for row in rows}
    assert set(found) == set(LAWS)
    assert found["voigt"] == ("k [N/m], c [N s/m]", "spring | damper", "no", "yes", "yes")
    assert found["three_element"][1:] == ("(spring | damper) - damper", "yes", "yes", "yes")


@pytest.mark.parametrize(
    ("law", "parameters"),
    [
        ("three_element", "k1 [N/m], c1 [N s/m], c2 [N s/m]"),
        ("internal_friction", "k [N/m], c1 [N s/m], c2 [N s/m], friction [N]"),
        ("limited_three_element", "k1 [N/m], c1 [N s/m], c2 [N s/m], ratio [1], a_min [1], a_max [1]"),
        ("generalized_voigt", "k [N/m], c [N s/m]"),
        ("generalized_maxwell", "k [N/m], c [N s/m], k_inf [N/m], c_inf [N s/m]"),
    ],
)
def test_every_parameter_has_its_unit(command, law, parameters):
    rows = {row[0]: row[1] for row in table(printed_by(command, "laws"))}
    assert rows[law] == parameters


def test_law_names_are_whole_on_a_narrow_terminal(command):
    code, printed, _ = command("laws", columns=80)
    assert code == 0
    assert [name for name in LAWS if f" {name} " not in printed] == []


def test_the_minimal_networks(command):
    head, *rows = table(printed_by(command, "laws", "--minimal"))
    assert head == ("network", "residue", "bounces", "damps")
    assert ("(spring | damper) - damper", "yes", "yes", "yes") in rows
    assert {row[1:] for row in rows} == {("yes", "yes", "yes")}


@pytest.mark.parametrize(
    ("network", "row"),
    [
        ("spring", ("spring", "no", "yes", "no")),
        ("s | d", ("spring | damper", "no", "yes", "yes")),
        ("(s | d) - d", ("(spring | damper) - damper", "yes", "yes", "yes")),
    ],
)
def test_a_network_is_classified(command, network, row):
    assert table(printed_by(command, "laws", "--network", network))[1:] == [row]


@pytest.mark.parametrize(
    ("network", "words"),
    [
        ("spring |", "column 9: the text ends where an element is due; write spring, damper"),
        ("s | d - d", "column 7: '-' after '|' leaves open which binds first; put parentheses around one of them"),
        ("(s | d", "column 7: the text ends where ')' is due"),
        ("s | dumper", "column 5: 'dumper' where an element is due; write spring, damper"),
        ("s d", "column 3: 'd' where the network has ended; connect with | or -"),
    ],
)
def test_a_network_that_cannot_be_read_is_bad_input(command, network, words):
    code, printed, message = command("laws", "--network", network)
    assert code == 2
    assert f"network '{network}', {words}" in message
    assert "Traceback" not in printed + message


# --- studies


def test_the_studies_are_listed(command):
    printed = printed_by(command, "study", "--list")
    assert [line.split()[0] for line in printed.splitlines()] == list(STUDIES)
    assert all(len(line.split()) > 2 for line in printed.splitlines())
    assert printed_by(command, "study") == printed


def test_a_study_as_json(command):
    rows = [json.loads(line) for line in printed_by(command, "study", "edge_counts", "--json").splitlines()]
    assert len(rows) == 5
    for row in rows:
        assert list(row) == ["study", "row", "unit", "printed", "ours", "low", "high", "ok"]
        assert row["study"] == "edge_counts"
        assert row["low"] <= row["ours"] <= row["high"]
        assert row["ok"] is True
    assert {row["row"]: row["printed"] for row in rows}["7x7x6"] == 1385


def test_a_study_as_a_table(command):
    rows = table(printed_by(command, "study", "edge_counts"))
    assert ("7x7x6", "edges", "1385", "1385", "yes") in rows


def test_a_missed_study_ends_with_1(command, monkeypatch):
    monkeypatch.setitem(yawara.studies.edge_counts.PRINTED, (7, 7, 6), 1386)
    code, printed, _ = command("study", "edge_counts")
    assert code == 1
    assert ("7x7x6", "edges", "1386", "1385", "MISSED") in table(printed)


def test_an_unknown_study_gets_the_nearest(command):
    code, printed, message = command("study", "edge_count")
    assert (code, printed) == (2, "")
    assert "study: 'edge_count' is not known; did you mean 'edge_counts'?" in message


# --- bench


@pytest.fixture
def short_bench(monkeypatch):
    monkeypatch.setattr(yawara.bench, "SECONDS_PER_FIGURE", 0.01)


def test_the_bench_as_json(command, short_bench):
    rows = [json.loads(line) for line in printed_by(command, "bench", "--quick", "--json").splitlines()]
    keys = ["case", "points", "links", "integrator", "variant", "threads", "us_per_step", "ns_per_link"]
    assert [list(row) for row in rows] == [keys] * 8
    configurations = [(row["case"], row["integrator"], row["threads"]) for row in rows]
    assert configurations == [
        (case, integrator, threads)
        for case in ("6x4x6-26n", "15x15x16-truss")
        for threads in (1, 2)
        for integrator in ("euler", "rk4")
    ]
    assert {(row["points"], row["links"]) for row in rows} == {(144, 1208), (3600, 19531)}
    for row in rows:
        assert row["us_per_step"] > 0.0
        assert row["ns_per_link"] == pytest.approx(1e3 * row["us_per_step"] / row["links"], abs=1e-3)


def test_the_bench_in_words(command, short_bench, monkeypatch):
    one = yawara.bench.Case("6x4x6-26n", (6, 4, 6), False, ("semi_implicit_euler",), (1,))
    monkeypatch.setattr(yawara.bench, "standard_cases", lambda *, quick: [one])
    words = printed_by(command, "bench").split()
    assert words[:2] == ["6x4x6-26n", "1208"]
    assert "us/step" in words
    assert "ns/link" in words
