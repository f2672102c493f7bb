"""The head of the page: what was found, in words, and what to be careful about."""

import math

from yawara.calibrate.fit import Estimate, Fit
from yawara.calibrate.report.tables import method_of
from yawara.calibrate.report.words import SURE, counted, interval_text, known, plus_minus, value_text, with_unit
from yawara.report.notes import note, warnings
from yawara.report.svg import Markup, element, join

CAREFUL = "Before you use these values"
AS_NOISE = 1.1  # scatter over noise up to which nobody would call it more


def subtitle(fit: Fit) -> str:
    """What was searched, how, and what it took."""
    searched, kept = len(fit.free_names), len(fit.estimates) - len(fit.free_names)
    held = sum(one.held_out for one in fit.problem.experiments)
    words = f"{counted(searched, 'parameter')} searched"
    words += f" and {kept} kept" if kept else ""
    words += f", {counted(fit.problem.residual_count, 'reading')} of {counted(len(fit.problem.fitted), 'experiment')}"
    words += f", {held} more held out" if held else ""
    ended = "it converged" if fit.stopped == "converged" else f"it ended with its {fit.stopped}"
    return (
        f"{words}. Search by {method_of(fit)}: {counted(fit.evaluations, 'evaluation')} in {known(fit.seconds, 3)} s, "
        f"{known(fit.rate, 3)} per second; {ended}."
    )


def answer(fit: Fit, *, synthetic: bool) -> Markup:
    found = [element("li", _sentence(one)) for one in fit.estimates.values()]
    big = element("ul", *found, style="font-size:1.08rem;line-height:1.75;padding-left:1.2rem;max-width:none")
    return join(_synthetic() if synthetic else Markup(), big, element("p", _goodness(fit)), warnings(fit.warnings, CAREFUL))


def _sentence(one: Estimate) -> Markup:
    """One parameter."""
    number = with_unit(f"{one.name} = {value_text(one)}{'' if one.kept else plus_minus(one)}", one.unit)
    if one.kept:
        return join(element("b", number), f", not searched: {one.kept}")
    interval = one.interval
    if interval is None:
        return join(element("b", number), "; how sure this is, is not known")
    words = f", with {SURE} confidence from {with_unit(interval_text(interval), one.unit)}"
    if interval.open_low or interval.open_high:
        words += ": the data do not end it within its bounds"
    return join(element("b", number), words)


def _goodness(fit: Fit) -> str:
    """How far the cost came down, and whether noise explains what is left of it."""
    words = f"The cost is {known(fit.outcome.cost)}"
    if fit.start_outcome.failed:
        words += f". The start could not be run: {fit.start_outcome.failure or 'no finite answer'}."
    else:
        words += f"; at the start it was {known(fit.start_outcome.cost)}."
    if not math.isfinite(fit.scatter):
        return words
    much = "no more than about their noise" if fit.scatter < AS_NOISE else f"{known(fit.scatter, 3)} times as much as their noise"
    return f"{words} With these values the measurements scatter {much} around the simulation."


def _synthetic() -> Markup:
    return note(
        "The data are synthetic: simulated, with noise added. They show what the method can do, not what a material is like."
    )
