"""The page of an extraction: curves with the fitted law, what is left, parameters, the choice of the number of elements."""

from pathlib import Path

import numpy as np

from yawara.calibrate.extract.criterion import aicc, bic
from yawara.calibrate.extract.curve import Curve, Observed, Quantity
from yawara.calibrate.extract.outcome import Extraction
from yawara.kernels.kinds import Floats
from yawara.report.numbers import pretty
from yawara.report.page import Section, figure, figure_row, page, paragraph, table
from yawara.report.plot import Mark, Series, line_plot
from yawara.report.svg import Markup, element, join

FINE = 600  # times at which the fitted law is drawn
MOST_CROSSES = 130  # rows that are drawn one by one; more are a line
SIZE, ASPECT = 0.012, 1.6  # of a cross: half its width over half that of the data; higher than wide in the plot's own scale
EARLY = 0.15  # of the duration: if half the rows are earlier, time is drawn as its logarithm


def extraction_page(extraction: Extraction) -> str:
    """One HTML file that opens anywhere."""
    sections = [
        Section("The law", _words(extraction) + _parameters(extraction)),
        Section("Measured and fitted", _curves(extraction)),
        Section("Which law", _choice(extraction)),
        Section("What to know about it", _remarks(extraction)),
        Section("How the parameters hang together", _correlation(extraction)),
    ]
    names, title = ", ".join(Path(curve.name).name for curve in extraction.curves), extraction.fit.law.title
    title = f"{title[:1].upper()}{title[1:]} law, from measured curves" if not extraction.refusal else "No law chosen"
    return page(title, [part for part in sections if part.html], subtitle=names)


def _words(extraction: Extraction) -> Markup:
    fit = extraction.fit
    off = " and ".join(
        f"{pretty(fit.rms(extraction.curves, q) or 0.0, 3)} {_shown(extraction.unit(q))} in {extraction.word(q)}".replace(
            "  ", " "
        )
        for q in extraction.quantities
    )
    known = "All parameters are identified." if extraction.choice.sound else "Not all of it is identified: see below."
    if extraction.refusal:
        known = extraction.refusal[:1].upper() + extraction.refusal[1:] + "."
    return paragraph(f"The {fit.law.title} law is off the {fit.row_count} measured rows by {off} (root mean square). {known}")


def _shown(unit: str) -> str:
    return "" if unit == "1" else unit


def _parameters(extraction: Extraction) -> Markup:
    fit = extraction.fit
    rows = [
        (name, value, f"{pretty(low)} to {pretty(high)}", unit, f"{pretty(100 * deviation, 2)}" if deviation < 1 else "> 100")
        for name, value, (low, high), unit, deviation in zip(
            fit.family.names, fit.values.tolist(), fit.intervals.tolist(), extraction.parameter_units, fit.deviation.tolist(), strict=True
        )
    ]  # fmt: skip
    parts = [(f"part {i + 1}", time) for i, time in enumerate(fit.part_times.tolist())]
    times = table(("element", "time c/k [s]"), parts) if parts else Markup()
    return join(table(("parameter", "value", "95 % interval", "unit", "standard deviation [%]"), rows), times)


def _curves(extraction: Extraction) -> Markup:
    figures = []
    for curve, residuals in zip(extraction.curves, extraction.fit.residuals, strict=True):
        for observed, left in zip(curve.observed, residuals, strict=True):
            figures += [_overlay(extraction, curve, observed), _left(extraction, curve, observed, left)]
    for curve in extraction.curves:
        figures += [_logarithm(extraction, curve)] if curve.release is not None else []
        figures.append(_course(extraction, curve))
    return figure_row(figures)


def _axis(extraction: Extraction, quantity: Quantity) -> str:
    unit = extraction.unit(quantity)
    return extraction.word(quantity) + (f" [{unit}]" if unit != "1" else "")


def _time(curve: Curve, times: Floats) -> tuple[bool, Floats, str]:
    """Whether time is drawn as a logarithm, what is drawn, and the label."""
    since = times - _begin(curve)
    if np.median(since) < EARLY * since.max():
        with np.errstate(divide="ignore"):
            return True, np.where(since > 0, np.log10(np.maximum(since, 1e-300)), np.nan), "log₁₀ of the time in s"
    return False, times, "time [s]"


def _begin(curve: Curve) -> float:
    return curve.course.times[0] if curve.prescribed is Quantity.FORCE or curve.release is None else 0.0


def _overlay(extraction: Extraction, curve: Curve, observed: Observed) -> Markup:
    logarithmic, x, label = _time(curve, observed.times)
    times = _fine_times(curve, observed, logarithmic)
    fitted = curve.answer(extraction.fit.law, Observed(observed.quantity, times, np.zeros_like(times), np.ones_like(times)))
    begin = _begin(curve)
    series = [
        Series("measured", *_crosses(x, observed.values)),
        Series("fitted", np.log10(times - begin) if logarithmic else times, fitted),
    ]
    title = f"{extraction.word(observed.quantity).capitalize()}, {Path(curve.name).name}"
    return figure(line_plot(series, x_label=label, y_label=_axis(extraction, observed.quantity), title=title))


def _fine_times(curve: Curve, observed: Observed, logarithmic: bool) -> Floats:
    first, last = float(observed.times[0]), float(observed.times[-1])
    if not logarithmic:
        return np.unique(np.concatenate([np.linspace(first, last, FINE), observed.times]))
    begin = _begin(curve)
    since = observed.times - begin
    return begin + np.geomspace(float(since[since > 0][0]), last - begin, FINE)


def _crosses(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Few rows are drawn as small crosses; many as a line."""
    if len(x) > MOST_CROSSES:
        return x, y
    wide, high = (SIZE * np.nanmax(np.abs(values - np.nanmean(values))) for values in (x, y))
    across = x[:, None] + wide * np.array([-1.0, 1.0, np.nan, 0.0, 0.0, np.nan])
    up = y[:, None] + ASPECT * high * np.array([0.0, 0.0, np.nan, -1.0, 1.0, np.nan])
    return across.ravel(), up.ravel()


def _left(extraction: Extraction, curve: Curve, observed: Observed, left: Floats) -> Markup:
    _, x, label = _time(curve, observed.times)
    unit = extraction.unit(observed.quantity)
    axis = "measured less fitted" + (f" [{unit}]" if unit != "1" else "")
    rms = float(np.sqrt(np.mean(left**2)))
    title = f"What is left, {pretty(rms, 3)} {_shown(unit)}".rstrip() + " rms"
    return figure(line_plot([Series("", x, left)], x_label=label, y_label=axis, title=title))


def _logarithm(extraction: Extraction, curve: Curve) -> Markup:
    """ln|x| of the recovery: straight for one element, bent for several (report, Fig. 5.8)."""
    free = next(item for item in curve.observed if item.quantity is Quantity.DISPLACEMENT)
    with np.errstate(divide="ignore", invalid="ignore"):
        series = [
            Series("measured", free.times, _finite(np.log(np.abs(free.values)))),
            Series("fitted", free.times, _finite(np.log(np.abs(curve.answer(extraction.fit.law, free)))), dashed=True),
        ]
    label = f"ln |{extraction.word(Quantity.DISPLACEMENT)}|"
    return figure(line_plot(series, x_label="time [s]", y_label=label, title="Logarithm of the recovery"))


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _course(extraction: Extraction, curve: Curve) -> Markup:
    times, values = curve.course.times, curve.course.values
    marks = [Mark(curve.release, "let go")] if curve.release is not None else []
    if values[0]:
        times, values = np.append(times[0], times), np.append(0.0, values)
    title = f"What was done: {extraction.word(curve.prescribed)}, {Path(curve.name).name}"
    axis = _axis(extraction, curve.prescribed)
    return figure(line_plot([Series("", times, values)], x_label="time [s]", y_label=axis, title=title, marks=marks))


def _choice(extraction: Extraction) -> Markup:
    headers = ["law", "parameters"]
    headers += [
        f"rms of {extraction.word(q)}" + (f" [{u}]" if (u := extraction.unit(q)) != "1" else "") for q in extraction.quantities
    ]
    rows = []
    for fit in extraction.choice.fits:
        off = [fit.rms(extraction.curves, q) for q in extraction.quantities]
        rows.append((fit.family.label, len(fit.values), *off, _signed(aicc(fit)), _signed(bic(fit)), extraction.verdict(fit)))
    words = (
        f"Chosen is the law with the least {extraction.choice.criterion.upper().replace('AICC', 'AICc')} of those that do not miss the "
        "data by far and whose parameters the data identify. Only differences of the criteria mean something: 10 is a lot."
    )
    alone = paragraph("The law was given.") if len(extraction.choice.fits) == 1 else paragraph(words)
    return join(table((*headers, "AICc", "BIC", ""), rows), alone)


def _signed(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


def _remarks(extraction: Extraction) -> Markup:
    remarks = extraction.remarks()
    return element("ul", *(element("li", words) for words in remarks)) if remarks else Markup()


def _correlation(extraction: Extraction) -> Markup:
    names = extraction.fit.family.names
    rows = [
        (name, *(f"{value:.3f}".replace("-", "−") if np.isfinite(value) else "–" for value in row))
        for name, row in zip(names, extraction.fit.correlation, strict=True)
    ]
    note = "Correlation of the parameters' logarithms. Near 1 or −1, only a combination of the two is known."
    return join(table(("", *names), rows), paragraph(note))
