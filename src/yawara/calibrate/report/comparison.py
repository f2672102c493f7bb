"""One experiment beside its run: shapes, curves, markers, volumes."""

from yawara.calibrate.fit import Compared
from yawara.calibrate.observation.base import Comparison
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.observation.markers import Marker
from yawara.calibrate.report.curves import curve_figure, marker_figure
from yawara.calibrate.report.residuals import residual_figure
from yawara.calibrate.report.shapes import Captured, shape_pictures
from yawara.calibrate.report.tables import Triple, cloud_table, course_table, volume_table
from yawara.calibrate.report.words import MM, joined, known
from yawara.report.page import figure_row, paragraph
from yawara.report.svg import Markup, join

KINDS = {"cloud": "captured points", "curve": "curves", "marker": "markers", "volume": "volumes"}


def compared_html(compared: Compared, points_per_picture: int) -> Markup:
    """Everything that was measured in the experiment, with the start beside the answer."""
    triples = _triples(compared)
    clouds = [Captured(one, after) for one, after, _ in triples if isinstance(one, Cloud)]
    courses, histograms = _courses(triples), _histograms(triples)
    return join(
        _start_words(compared), cloud_table(triples), _cloud_words(clouds),
        shape_pictures(clouds, points_per_picture) if clouds else Markup(), course_table(triples), volume_table(triples),
        figure_row(courses) if courses else Markup(), figure_row(histograms) if histograms else Markup(),
    )  # fmt: skip


def _start_words(compared: Compared) -> Markup:
    if compared.before is not None:
        return paragraph("Beside each number, under start, is what it was with the values that the search began with.")
    return paragraph("With the start values this experiment could not be run, so that only the answer is shown.")


def _triples(compared: Compared) -> list[Triple]:
    observations = compared.experiment.observations
    before: list[Comparison | None] = [*compared.before] if compared.before else [None] * len(observations)
    return list(zip(observations, compared.comparisons, before, strict=True))


def _cloud_words(clouds: list[Captured]) -> Markup:
    if not clouds:
        return Markup()
    ignored = joined(list(dict.fromkeys(f"{known(MM * one.cloud.ignore, 3)} mm" for one in clouds)))
    beyond = joined(list(dict.fromkeys(f"{known(MM * one.cloud.beyond, 3)} mm" for one in clouds)))
    return paragraph(
        f"S is the sum of the distances of all captured points from the simulated surface, those below {ignored} left out, and N the "
        f"number of points. Far points are more than {beyond} away."
    )


def _courses(triples: list[Triple]) -> list[Markup]:
    found = []
    for one, after, before in triples:
        if isinstance(one, Curve):
            found.append(curve_figure(one, after, before))
        elif isinstance(one, Marker):
            found.append(marker_figure(one, after, before))
    return found


def _histograms(triples: list[Triple]) -> list[Markup]:
    found = []
    for kind, word in KINDS.items():
        residuals = [after.residual for one, after, _ in triples if one.kind == kind]
        found.append(residual_figure(f"Errors of {word}", residuals))
    return [one for one in found if one]
