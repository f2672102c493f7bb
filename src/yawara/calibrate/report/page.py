"""The report of a fit: one HTML file that opens anywhere."""

from collections.abc import Sequence
from urllib.parse import quote

from yawara.calibrate.fit import Compared, Fit
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.report.answer import answer, subtitle
from yawara.calibrate.report.comparison import compared_html
from yawara.calibrate.report.convergence import convergence
from yawara.calibrate.report.matrices import matrices
from yawara.calibrate.report.shapes import PICTURES, points_per_picture
from yawara.calibrate.report.tables import parameter_table, search_table
from yawara.calibrate.report.words import SURE
from yawara.report.page import Section, page, paragraph
from yawara.report.svg import Markup, element, join

SYNTHETIC = "synthetic"  # in a title, or in the source of what was measured


def fit_page(fit: Fit, *, title: str, files: Sequence[str] = ()) -> str:
    """The whole page; `files` are names of files beside it, which it lists."""
    count = points_per_picture(_picture_count(fit))
    sections = [
        Section("Answer", answer(fit, synthetic=_is_synthetic(fit, title))),
        Section("Parameters", join(parameter_table(fit), _table_words())),
        *(_experiment(one, count) for one in fit.compared if not one.experiment.held_out),
        *_held_out([one for one in fit.compared if one.experiment.held_out], count),
        Section("What the data can tell", matrices(fit)),
        Section("How it was found", join(convergence(fit), search_table(fit))),
        Section("Files", _files(files)),
    ]
    return page(title, [section for section in sections if section.html], subtitle=subtitle(fit))


def _is_synthetic(fit: Fit, title: str) -> bool:
    sources = [str(getattr(one, "source", "")) for experiment in fit.problem.experiments for one in experiment.observations]
    return any(SYNTHETIC in words.lower() for words in (title, *sources))


def _picture_count(fit: Fit) -> int:
    clouds = [sum(isinstance(one, Cloud) for one in compared.experiment.observations) for compared in fit.compared]
    return sum(min(count, PICTURES) for count in clouds)


def _table_words() -> Markup:
    return paragraph(
        f"In its range, from bound to bound: the dot is the value, the ring the start, the stripe the {SURE} interval. Sensitivity: "
        "how many times their noise the readings change over the whole range."
    )


def _experiment(compared: Compared, count: int) -> Section:
    return Section(f"Measured and simulated: {compared.experiment.name}", compared_html(compared, count))


def _held_out(found: Sequence[Compared], count: int) -> list[Section]:
    """Experiments that were only compared: they say what the values are worth."""
    if not found:
        return []
    words = paragraph(
        "These measurements were not used to find the values. How well they are met says how far the values can be trusted."
    )
    several = len(found) > 1
    parts = [join(paragraph(one.experiment.name) if several else Markup(), compared_html(one, count)) for one in found]
    name = "" if several else f": {found[0].experiment.name}"
    return [Section(f"Not fitted{name}", join(words, *parts))]


def _files(files: Sequence[str]) -> Markup:
    return element("ul", *(element("li", element("a", name, href=quote(name))) for name in files)) if files else Markup()
