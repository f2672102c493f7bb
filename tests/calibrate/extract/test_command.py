"""`yawara extract`: what it prints and writes, and how it answers bad data; nothing is written then."""

import json
import tomllib

import numpy as np
import pytest
from pydantic import TypeAdapter

from yawara.calibrate.extract.course import ramp_and_hold
from yawara.calibrate.extract.response import force_under, recovery_after
from yawara.laws import AnyLaw, GeneralizedMaxwell, GeneralizedVoigt, ThreeElement
from yawara.materials import Material
from yawara.studies.generalized_voigt import compress

TABLE_5_3 = GeneralizedVoigt(k=(10.0, 20.0), c=(30.0, 300.0))
PRESS = ("--protocol", "press-release", "--time", "time", "--force", "force", "--displacement", "compression")


def press_table(law=TABLE_5_3, *, rows_per_second=2, sign=1.0):
    """The report's protocol: time [s], force [N], compression [mm]."""
    course, times = ramp_and_hold(0.045, 6.0, 96.5), np.arange(0, 180 * rows_per_second + 1) / rows_per_second
    held = times <= 96.5
    force, x = np.where(held, force_under(law, course, times), 0.0), course.at(times)
    x[~held] = recovery_after(law, course, 96.5, times[~held])
    return np.stack([times, force, sign * 1e3 * x], axis=1)


@pytest.fixture
def csv(tmp_path):
    def write(table, *, name="curve.csv", header="time (s),force (N),compression (mm)"):
        path = tmp_path / name
        path.write_text(
            "\n".join([header, *(",".join(f"{v:.12g}" for v in row) for row in np.asarray(table))]) + "\n", encoding="utf-8"
        )
        return path

    return write


def refused(command, tmp_path, *arguments):
    out = tmp_path / "out"
    code, printed, message = command("extract", *arguments, "--out", out)
    assert (code, printed) == (2, "")
    assert not out.exists()
    return message


# --- what it gives


def test_press_and_release(command, csv, tmp_path):
    out = tmp_path / "out"
    code, printed, message = command("extract", csv(press_table()), *PRESS, "--elements", "2", "--out", out)
    assert (code, message) == (0, "")
    assert "let go at 96.5 s" in printed
    assert {path.name for path in out.iterdir()} == {"law.toml", "extraction.json", "report.html"}
    numbers = json.loads((out / "extraction.json").read_text(encoding="utf-8"))
    assert [item["value"] for item in numbers["parameters"]] == pytest.approx([10.0, 30.0, 20.0, 300.0], rel=1e-6)
    assert [item["unit"] for item in numbers["parameters"]] == ["N/m", "N s/m", "N/m", "N s/m"]
    assert all(item["low_95"] <= item["value"] <= item["high_95"] for item in numbers["parameters"])
    assert numbers["times_s"] == pytest.approx([3.0, 15.0], rel=1e-6)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 6
    assert "nan" not in page.lower().replace("nanum", "")


def test_the_law_s_file_makes_a_body_that_answers_as_the_specimen(command, csv, tmp_path):
    out = tmp_path / "out"
    command("extract", csv(press_table()), *PRESS, "--elements", "2", "--out", out)
    law = TypeAdapter(AnyLaw).validate_python(tomllib.loads((out / "law.toml").read_text(encoding="utf-8"))["law"])
    history = compress(law, depth=0.045, ramp=6.1, release=96.5, end=96.5)
    assert -history["press.force_x"][-1] == pytest.approx(0.300016, abs=1e-5)  # Hirai 2005, Table 5.3, computed apart


def test_the_number_of_elements_is_chosen(command, csv):
    code, printed, _ = command("extract", csv(press_table()), *PRESS)
    assert code == 0
    assert "chosen" in next(line for line in printed.splitlines() if line.split()[:2] == ["2", "Voigt"])


def test_a_sign_that_is_turned_is_turned_back(command, csv):
    code, printed, _ = command("extract", csv(press_table(sign=-1.0)), *PRESS, "--elements", "2")
    assert code == 0
    assert "the displacement has the other sign than what moves it" in printed


def test_moduli_from_stress_and_strain(command, csv, tmp_path):
    """Creep of a three-element material of 1e4 Pa, 300 Pa s, 5e4 Pa s under 200 Pa, as strain in percent."""
    times, out = np.geomspace(0.001, 5.0, 100), tmp_path / "out"
    strain = 100 * ThreeElement(k1=1e4, c1=300.0, c2=5e4).creep(times, 200.0)
    path = csv(np.stack([times, strain], axis=1), header="t [s],strain [%]")
    arguments = (
        "--protocol",
        "creep",
        "--model",
        "three_element",
        "--strain",
        "strain",
        "--load",
        "0.2:kPa",
        "--density",
        "1.2:g/cm^3",
    )
    code, _, message = command("extract", path, *arguments, "--section", "4:cm^2", "--length", "20:mm", "--out", out)
    assert (code, message) == (0, "")
    table = tomllib.loads((out / "material.toml").read_text(encoding="utf-8"))["material"]
    material = Material(**table)
    assert (material.youngs, material.viscosity, material.flow_viscosity) == pytest.approx((1e4, 300.0, 5e4), rel=1e-5)
    assert material.density == pytest.approx(1200.0)
    law = tomllib.loads((out / "law.toml").read_text(encoding="utf-8"))["law"]
    assert law["k1"] == pytest.approx(1e4 * 4e-4 / 0.02, rel=1e-5)  # E A/L


def test_a_step_relaxation_in_reptate_s_form(command, tmp_path):
    """One Maxwell mode of 1 Pa and 1 s, as in RepTate's own example: names parted by blanks, numbers by tabs, strain in the first line."""
    times = np.geomspace(1e-3, 20.0, 60)
    path = tmp_path / "maxwell.gt"
    path.write_text("gamma=1; \nt sxy\n" + "".join(f"{t:.9g}\t{np.exp(-t):.9g}\n" for t in times), encoding="utf-8")
    arguments = ("--protocol", "relaxation", "--model", "maxwell", "--time", "t:s", "--stress", "sxy:Pa", "--stretch", "1")
    code, printed, _ = command("extract", path, *arguments)
    assert code == 0
    rows = {line.split()[0]: line.split()[1] for line in printed.splitlines() if len(line.split()) > 3}
    assert (float(rows["k"]), float(rows["c"])) == pytest.approx((1.0, 1.0), rel=1e-5)


def test_recovery_after_a_load(command, csv):
    law, times = ThreeElement(k1=40.0, c1=80.0, c2=900.0), np.geomspace(0.01, 100.0, 80)
    path = csv(np.stack([times, law.recovery(times, 3.0, 60.0)], axis=1), header="t (s),x (m)")
    arguments = (
        "--protocol",
        "recovery",
        "--model",
        "three_element",
        "--displacement",
        "x",
        "--load",
        "3:N",
        "--load-time",
        "1:min",
    )
    code, printed, _ = command("extract", path, *arguments)
    assert code == 0
    assert [f"{value:g}" for value in (40, 80, 900)] == [line.split()[1] for line in printed.splitlines() if line.split()[:1] and
                                                         line.split()[0] in ("k1", "c1", "c2")]  # fmt: skip


def test_several_curves_at_once(command, csv):
    law, times = GeneralizedMaxwell(k=(40.0,), c=(20.0,), k_inf=15.0), np.linspace(0.0, 20.0, 100)
    paths = []
    for ramp in (0.5, 4.0):
        course = ramp_and_hold(0.02, ramp, 20.0)
        table = np.stack([times, force_under(law, course, times), 1e3 * course.at(times)], axis=1)
        paths.append(csv(table, name=f"ramp_{ramp}.csv"))
    code, printed, _ = command("extract", *paths, "--protocol", "relaxation", "--model", "generalized_maxwell", "--elements", "1",
                               "--force", "force", "--displacement", "compression", "--from", "5:s")  # fmt: skip
    assert code == 0
    assert "ramp_0.5.csv: fitted from 5 s on" in printed


# --- the law that is chosen, and the one that is not


def three_element_table(*, noise=0.0):
    """A press of 10 mm in 1 s that is held: time [s], force [N], compression [mm]."""
    course, times = ramp_and_hold(0.01, 1.0, 20.0), np.arange(0, 401) / 20
    force = force_under(ThreeElement(k1=400.0, c1=3.0, c2=1500.0), course, times)
    return np.stack([times, force + noise * np.random.default_rng(0).standard_normal(len(times)), 1e3 * course.at(times)], axis=1)


RELAX = ("--protocol", "relaxation", "--time", "time", "--force", "force", "--displacement", "compression")


@pytest.mark.parametrize("noise", [0.0, 0.003])
def test_a_press_and_hold_of_three_elements_is_found_without_being_asked_for(command, csv, tmp_path, noise):
    out = tmp_path / "out"
    code, _, message = command("extract", csv(three_element_table(noise=noise)), *RELAX, "--out", out)
    assert (code, message) == (0, "")
    law = tomllib.loads((out / "law.toml").read_text(encoding="utf-8"))["law"]
    assert law["type"] == "three_element"
    assert (law["k1"], law["c1"], law["c2"]) == pytest.approx((400.0, 3.0, 1500.0), rel=1e-4 if not noise else 0.1)


def not_chosen(command, out, *arguments):
    """What it says, and the numbers it writes."""
    code, printed, message = command("extract", *arguments, "--out", out)
    assert code == 3
    assert "not chosen" in printed
    assert "no law is chosen" in message
    assert {path.name for path in out.iterdir()} == {"extraction.json", "report.html"}
    numbers = json.loads((out / "extraction.json").read_text(encoding="utf-8"))
    assert numbers["chosen"] is False
    assert numbers["objections"]
    assert not any(tried["chosen"] for tried in numbers["tried"])
    assert "No law chosen" in (out / "report.html").read_text(encoding="utf-8")
    return message


def test_a_law_that_misses_the_data_by_far_is_shown_but_not_written(command, csv, tmp_path):
    message = not_chosen(command, tmp_path / "out", csv(three_element_table()), *RELAX, "--model", "voigt")
    assert "the law misses the force of curve.csv by far: 94 % of how much it varies" in message


def test_a_law_that_the_data_do_not_bound_is_shown_but_not_written(command, csv, tmp_path):
    """Two Voigt parts for three elements: the spring of the second has to vanish."""
    arguments = (*RELAX, "--model", "generalized_voigt", "--elements", "2")
    message = not_chosen(command, tmp_path / "out", csv(three_element_table()), *arguments)
    assert "the data do not bound k2" in message


def test_the_law_of_an_earlier_extraction_does_not_stay_beside_one_that_chose_none(command, csv, tmp_path):
    out, path = tmp_path / "out", csv(three_element_table())
    assert command("extract", path, *RELAX, "--section", "4:cm^2", "--length", "20:mm", "--out", out)[0] == 0
    assert (out / "material.toml").exists()
    not_chosen(command, out, path, *RELAX, "--model", "voigt")


def test_what_somebody_else_wrote_stays(command, csv, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "law.toml").write_text("# mine", encoding="utf-8")
    assert command("extract", csv(three_element_table()), *RELAX, "--model", "voigt", "--out", out)[0] == 3
    assert (out / "law.toml").read_text(encoding="utf-8") == "# mine"


# --- bad data


def noise_alone(table):
    return 1e-3 * np.random.default_rng(0).standard_normal((len(table), 1))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda t: t[:0], "has no rows of two or more numbers"),
        (lambda t: t[::-1], "must increase"),
        (lambda t: np.repeat(t, 2, axis=0), "must not have the same time twice"),
        (lambda t: np.where(t == t[7, 1], np.nan, t), "must be a finite number (got nan)"),
        (lambda t: t * [1.0, 1e300, 1.0], "must be within 1e+30 N (got"),
        (lambda t: t * [1.0, 1.0, 0.0], "displacement: must not be 0 in all rows"),
        (lambda t: t * [1.0, 0.0, 1.0], "displacement: must not be 0 in all rows"),
        (
            lambda t: np.where([0, 0, 1], 1e-3 * np.random.default_rng(0).standard_normal((len(t), 1)), t),
            "must move by more than its noise",
        ),
        (lambda t: t[t[:, 0] < 90.0], "must come back after the press"),
        (lambda t: t[[0, 12, 100, 193, 194, 195, 196]], "must be more than parameters"),
    ],
    ids=[
        "empty",
        "unsorted",
        "duplicated",
        "nan",
        "overflow",
        "no displacement",
        "no force",
        "noise alone",
        "never let go",
        "few rows",
    ],
)
def test_bad_rows_are_refused(command, csv, tmp_path, spoil, words):
    assert words in refused(command, tmp_path, csv(spoil(press_table())), *PRESS, "--elements", "4")


def test_duplicated_times_can_be_averaged(command, csv):
    code, _, message = command("extract", csv(np.repeat(press_table(), 2, axis=0)), *PRESS, "--elements", "2", "--average")
    assert (code, message) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--force", "fource"), "did you mean 'force (N)'?"),
        (("--force", "force:kN"), "which is 1000 times as much"),
        (("--force", "force:mm"), "'mm' is a unit of m, not of N"),
        (("--displacement", "compression:furlong"), "'furlong' is not a known unit"),
        (("--protocol", "press_release"), "did you mean 'press-release'?"),
        (("--model", "voight"), "did you mean 'voigt'?"),
        (("--model", "limited_three_element"), "cannot be fitted"),
        (("--elements", "many"), "must be auto or a number from 1 to 10"),
        (("--with", "sprong"), "did you mean 'spring'?"),
        (("--criterion", "aci"), "'aci' is not known"),
        (("--release", "500"), "must leave 3 rows or more on both sides"),
        (("--release", "soon"), "must be a number with a unit (got 'soon')"),
        (("--length", "-3:mm"), "must be > 0 m"),
        (("--length", "1e300:mm"), "must be <= 1e+30 m"),
        (("--stress", "force:Pa"), "cannot be mixed with --force"),
    ],
)  # fmt: skip
def test_bad_options_are_refused(command, csv, tmp_path, arguments, words):
    assert words in refused(command, tmp_path, csv(press_table()), *PRESS, *arguments)


def test_what_a_protocol_needs(command, csv, tmp_path):
    path = csv(press_table())
    assert "force: is needed for this protocol" in refused(command, tmp_path, path, "--protocol", "relaxation")
    assert "--load, --load-time: are needed" in refused(command, tmp_path, path, "--protocol", "recovery", "--displacement", "3")
    message = refused(
        command, tmp_path, path, "--protocol", "relaxation", "--force", "2", "--stretch", "45:mm", "--model", "voigt"
    )
    assert "a damper answers a step with an infinite force" in message


def test_units_that_are_off_by_a_thousand_are_warned_of(command, csv):
    """mm in a column that is said to hold metres, in a file without units: 45 m."""
    path = csv(press_table(), header="time,force,compression")
    arguments = ("--protocol", "press-release", "--time", "time:s", "--force", "force:N", "--displacement", "compression:m")
    code, printed, _ = command("extract", path, *arguments, "--elements", "2", "--length", "60:mm")
    assert code == 0
    assert "displacement spans 45 m, more than 1: are these mm?" in printed
    assert "the displacement (45 m) is larger than the specimen (0.06 m): check both units" in printed
