"""Which law is chosen: the true one over all protocols, with and without noise, or the simplest that the rows can tell from it; and what
speaks against a law."""

from dataclasses import replace

import numpy as np
import pytest

from yawara.calibrate.extract.choice import best_of, choose
from yawara.calibrate.extract.course import Course, ramp_and_hold, step
from yawara.calibrate.extract.criterion import aicc
from yawara.calibrate.extract.curve import Curve, Quantity, observe
from yawara.calibrate.extract.families import candidates, family, series
from yawara.calibrate.extract.fit import fit, normal_inverse
from yawara.calibrate.extract.objections import MISSED, missed_share, misses, objections, unbounded
from yawara.calibrate.extract.response import displacement_under, force_under, recovery_after
from yawara.laws import GeneralizedVoigt, Maxwell, ThreeElement, Voigt

TIMES = np.linspace(0.0, 60.0, 241)
LOADED = Course(np.array([0.0, 0.0, 30.0, 30.0]), np.array([0.0, 3.0, 3.0, 0.0]))
BEFORE = Course(np.array([-60.0, -60.0, 0.0, 0.0]), np.array([0.0, 3.0, 3.0, 0.0]))


def pressed(law, course):
    return Curve("press", Quantity.DISPLACEMENT, course, (observe(Quantity.FORCE, TIMES, force_under(law, course, TIMES)),))


def loaded(law, course):
    observed = observe(Quantity.DISPLACEMENT, TIMES, displacement_under(law, course, TIMES))
    return Curve("load", Quantity.FORCE, course, (observed,))


def released(law):
    course, held = ramp_and_hold(0.02, 1.0, 30.0), TIMES <= 30.0
    force = observe(Quantity.FORCE, TIMES[held], force_under(law, course, TIMES[held]))
    free = observe(Quantity.DISPLACEMENT, TIMES[~held], recovery_after(law, course, 30.0, TIMES[~held]))
    return Curve("release", Quantity.DISPLACEMENT, course, (force, free), 30.0)


PROTOCOLS = {
    "quick ramp": lambda law: pressed(law, ramp_and_hold(0.02, 1.0, 60.0)),
    "slow ramp": lambda law: pressed(law, ramp_and_hold(0.02, 10.0, 60.0)),
    "creep": lambda law: loaded(law, step(3.0, 0.0, 60.0)),
    "creep and recovery": lambda law: loaded(law, LOADED),
    "recovery": lambda law: loaded(law, BEFORE),
    "press and release": released,
}
TRUTHS = {
    "three elements": (ThreeElement(k1=40.0, c1=80.0, c2=900.0), "three_element", (40.0, 80.0, 900.0)),
    "three elements, slow": (ThreeElement(k1=400.0, c1=400.0, c2=1500.0), "three_element", (400.0, 400.0, 1500.0)),
    "three elements, stiff": (ThreeElement(k1=1000.0, c1=100.0, c2=3e4), "three_element", (1000.0, 100.0, 3e4)),
    "voigt": (Voigt(k=40.0, c=80.0), "voigt", (40.0, 80.0)),
    "maxwell": (Maxwell(k=40.0, c=200.0), "maxwell", (40.0, 200.0)),
    "spring in series": (GeneralizedVoigt(k=(40.0, 90.0), c=(200.0, 0.0)), "1 Voigt + spring", (40.0, 200.0, 90.0)),
    "spring and damper in series": (
        GeneralizedVoigt(k=(40.0, 90.0, 0.0), c=(200.0, 0.0, 3000.0)),
        "1 Voigt + spring + damper",
        (40.0, 200.0, 90.0, 3000.0),
    ),
    "two parts": (GeneralizedVoigt(k=(10.0, 20.0), c=(30.0, 300.0)), "2 Voigt", (10.0, 30.0, 20.0, 300.0)),
    "two parts and a damper": (
        GeneralizedVoigt(k=(10.0, 20.0, 0.0), c=(30.0, 300.0, 2000.0)),
        "2 Voigt + damper",
        (10.0, 30.0, 20.0, 300.0, 2000.0),
    ),
}
ISSUE = ThreeElement(k1=400.0, c1=3.0, c2=1500.0)  # c1/k1 = 7.5 ms, far less than the rows are apart


def with_noise(curve, share, seed=1):
    """Of the span of each quantity."""
    random = np.random.default_rng(seed)
    noisy = [
        observe(item.quantity, item.times, item.values + share * item.span * random.standard_normal(len(item.values)))
        for item in curve.observed
    ]
    return replace(curve, observed=tuple(noisy))


# every law with every protocol, each law with noise in every other one, each protocol with noise in every other law
CASES = [(t, p, 0.002 * ((i + j) % 2)) for i, t in enumerate(TRUTHS) for j, p in enumerate(PROTOCOLS)]


@pytest.mark.parametrize(("truth", "protocol", "noise"), CASES)
def test_the_true_law_is_chosen(truth, protocol, noise):
    law, label, true = TRUTHS[truth]
    curve = PROTOCOLS[protocol](law)
    choice = choose([with_noise(curve, noise) if noise else curve], candidates("auto"))
    assert choice.sound
    assert choice.chosen.family.label == label
    # within four standard deviations: beyond them once in 16 000 by chance
    assert (np.abs(np.log(choice.chosen.values / true)) <= 4.0 * choice.chosen.deviation + 1e-4).all()


@pytest.mark.parametrize(
    ("protocol", "label"),
    [("quick ramp", "three_element"), ("slow ramp", "three_element"), ("press and release", "three_element"),
     ("creep", "maxwell"), ("creep and recovery", "maxwell"), ("recovery", "maxwell")],
)  # fmt: skip
def test_a_part_that_is_quicker_than_the_rows_is_found_where_they_can_tell(protocol, label):
    """Under a ramp its damper adds 15 % to the first force; after a step all is over before the first row, and a Maxwell law says all."""
    choice = choose([PROTOCOLS[protocol](ISSUE)], candidates("auto"))
    assert choice.chosen.family.label == label
    assert choice.chosen.values[0] == pytest.approx(400.0, rel=1e-3)
    assert choice.chosen.values[-1] == pytest.approx(1500.0, rel=1e-3)


def test_a_step_of_displacement_is_answered_by_laws_with_a_spring_in_series():
    """The others' force would be infinite: they are left out, and refused if they are asked for."""
    law, course = TRUTHS["spring in series"][0], step(0.02, 0.0, 60.0)
    curve = Curve(
        "step", Quantity.DISPLACEMENT, course, (observe(Quantity.FORCE, TIMES[1:], force_under(law, course, TIMES[1:])),)
    )
    choice = choose([curve], candidates("auto"))
    assert choice.chosen.family.label == "1 Voigt + spring"
    assert all(item.family.spring for item in choice.fits)
    with pytest.raises(ValueError, match="a damper answers a step with an infinite force"):
        choose([curve], candidates("voigt"))


# --- what there is to choose from


def test_all_series_of_parts_spring_and_damper_by_their_number_of_parameters():
    levels = candidates("auto")
    assert [[item.label for item in level] for level in levels[:3]] == [
        ["maxwell", "voigt"], ["1 Voigt + spring", "three_element"], ["1 Voigt + spring + damper", "2 Voigt"],
    ]  # fmt: skip
    assert [len(level[0].names) for level in levels] == list(range(2, 13))


def test_parts_and_own_elements_narrow_it_down():
    assert [[item.label for item in level] for level in candidates("auto", parts=1, own="damper")] == [["three_element"]]
    assert [level[0].label for level in candidates("auto", own="spring")][:2] == ["1 Voigt + spring", "2 Voigt + spring"]
    assert series(2, "none") == family("generalized_voigt", parts=2)


# --- what speaks against a law


def test_a_law_that_misses():
    curve = PROTOCOLS["quick ramp"](ISSUE)
    found = fit([curve], family("voigt"))
    assert "the law misses the force of press by far" in misses(found, [curve])[0]
    assert choose([curve], candidates("voigt")).chosen is None


def test_noise_is_no_miss():
    """Noise of a fifth of the span: rms is large, and all of it is noise."""
    curve = with_noise(PROTOCOLS["creep"](TRUTHS["voigt"][0]), 0.2)
    choice = choose([curve], candidates("voigt"))
    assert choice.chosen is not None
    assert missed_share(curve.observed[0], choice.best.residuals[0][0]) > 2 * MISSED


def test_a_small_miss_is_told_but_no_objection():
    """Maxwell for three elements whose damper adds a little: 1 % of how much the force varies."""
    curve = PROTOCOLS["quick ramp"](ThreeElement(k1=400.0, c1=3.0, c2=1500.0))
    choice = choose([curve], candidates("maxwell"))
    assert choice.chosen is not None
    assert choice.best.echo > 0.3


def test_a_parameter_without_bounds():
    curve = PROTOCOLS["quick ramp"](ISSUE)
    found = fit([curve], family("generalized_voigt", parts=2))
    assert "the data do not bound k2: from nothing to infinity" in unbounded(found)[0]
    assert not misses(found, [curve])
    assert objections(found, [curve])


def test_a_parameter_that_changes_next_to_nothing_is_hardly_known():
    """By hand: the second changes a hundred millionth of what the first does, so its variance is 1e16 times as large. A pseudoinverse
    leaves out its direction, and would have it exactly known."""
    inverse, unseen = normal_inverse(np.array([[1.0, 0.0], [0.0, 1e-8], [0.0, 0.0]]))
    assert np.diag(inverse) == pytest.approx([1.0, 1e16])
    assert not unseen.any()


def test_parameters_that_change_the_same_are_not_known_alone():
    inverse, unseen = normal_inverse(np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 3.0]]))
    assert unseen.tolist() == [True, True, False]
    assert inverse[2, 2] == pytest.approx(1 / 9)


@pytest.mark.parametrize(("falls_by", "is_chosen"), [(3.0, False), (5.0, True)])
def test_more_parameters_must_pay(falls_by, is_chosen):
    """A criterion that falls by less than 4 is no reason for one more parameter."""
    curve = PROTOCOLS["creep"](TRUTHS["voigt"][0])
    simple = fit([curve], family("voigt"))
    finer = replace(simple, values=np.append(simple.values, 1.0), likelihood=simple.likelihood)
    finer = replace(finer, likelihood=simple.likelihood - (aicc(finer) - aicc(simple)) - falls_by)
    assert (best_of([simple, finer], [curve], aicc) is finer) == is_chosen
