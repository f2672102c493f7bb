"""An extraction as tables for the terminal."""

from rich import box
from rich.table import Table

from yawara.calibrate.extract.criterion import aicc, bic
from yawara.calibrate.extract.outcome import Extraction


def parameter_table(extraction: Extraction) -> Table:
    """Values with units and intervals."""
    title = extraction.fit.law.title + (", not chosen" if extraction.refusal else "")
    table = _table(title, "parameter", "value", "95 % from", "to", "unit")
    fit = extraction.fit
    for name, value, (low, high), unit in zip(
        fit.family.names, fit.values.tolist(), fit.intervals.tolist(), extraction.parameter_units, strict=True
    ):
        table.add_row(name, f"{value:.6g}", f"{low:.4g}", f"{high:.4g}", unit)
    for i, time in enumerate(fit.part_times.tolist()):
        table.add_row(f"c/k, part {i + 1}", f"{time:.6g}", "", "", "s")
    for quantity in extraction.quantities:
        off = fit.rms(extraction.curves, quantity)
        table.add_row(f"rms of {extraction.word(quantity)}", f"{off:.4g}", "", "", extraction.unit(quantity))
    return table


def choice_table(extraction: Extraction) -> Table:
    """All laws that were tried."""
    table = _table(
        "laws that were tried", "law", *(f"rms {extraction.word(q)}" for q in extraction.quantities), "AICc", "BIC", ""
    )
    for fit in extraction.choice.fits:
        off = [f"{fit.rms(extraction.curves, q):.4g}" for q in extraction.quantities]
        table.add_row(fit.family.label, *off, f"{aicc(fit):.1f}", f"{bic(fit):.1f}", extraction.verdict(fit))
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("parameter", "law", "unit", "") else "right")
    return table
