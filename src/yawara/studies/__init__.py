"""Published results, recomputed: one file each, with the setup, our number and the printed one."""

from collections.abc import Callable
from types import ModuleType

from rich import box
from rich.table import Table

from yawara.studies import (
    chain,
    continuum_press,
    dough_models,
    edge_counts,
    extraction,
    fe_memory,
    generalized_voigt,
    incompressible,
    integrators,
    moduli,
    networks,
    polyhedra,
    published_sets,
    recovery,
    shear_volume,
    stiff,
    table_1_1,
    topology,
    volume,
)
from yawara.studies.row import StudyRow


class _Study:
    """A study module behind its name."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.title: str = module.TITLE


STUDIES: dict[str, _Study] = {
    module.NAME: _Study(module)
    for module in (
        chain,
        generalized_voigt,
        extraction,
        networks,
        edge_counts,
        topology,
        polyhedra,
        volume,
        shear_volume,
        fe_memory,
        incompressible,
        continuum_press,
        moduli,
        integrators,
        published_sets,
        stiff,
        table_1_1,
        recovery,
        dough_models,
    )
}


def run_study(name: str, *, progress: Callable[[StudyRow], None] | None = None) -> list[StudyRow]:
    """All rows of a study; `progress` gets each as it is known."""
    rows = []
    for row in STUDIES[name].module.rows():
        rows.append(row)
        if progress:
            progress(row)
    return rows


def study_table(name: str, rows: list[StudyRow]) -> Table:
    """For the terminal."""
    table = Table(title=STUDIES[name].title, box=box.SIMPLE_HEAD)
    for heading, side in (("row", "left"), ("unit", "left"), ("printed", "right"), ("ours", "right"), ("ok", "left")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    for row in rows:
        verdict = {True: "yes", False: "MISSED", None: "-"}[row.ok]
        table.add_row(row.row, row.unit, "-" if row.printed is None else f"{row.printed:g}", f"{row.ours:.6g}", verdict)
    return table
