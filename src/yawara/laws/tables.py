"""The laws and networks as tables for the terminal."""

from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from yawara.laws import LAWS
from yawara.laws.base import Law
from yawara.laws.network import Network, bounces, damps_vibration, describe, leaves_residue, minimal_networks, parse

EXAMPLES: dict[str, dict[str, Any]] = {
    "voigt": {"k": 1, "c": 1},
    "maxwell": {"k": 1, "c": 1},
    "three_element": {"k1": 1, "c1": 1, "c2": 1},
    "generalized_voigt": {"k": (1, 1), "c": (1, 1)},
    "generalized_maxwell": {"k": (1, 1), "c": (1, 1)},
    "force_dependent_damper": {"k1": 1, "c1": 1, "c_max": 2, "c_min": 1, "f1": 1, "f2": 2},
    "internal_friction": {"k": 1, "c1": 1, "c2": 1, "friction": 1},
    "limited_three_element": {"k1": 1, "c1": 1, "c2": 1},
}


def law_table() -> Table:
    """Every law: parameters with units, network, and what the papers' rules say of it."""
    table = _table("law", "parameters")
    for name, law in LAWS.items():
        table.add_row(name, escape(_parameters(law)), *_properties(law(**EXAMPLES[name]).network()))
    return table


def network_table(text: str) -> Table:
    """One network, as written."""
    table = _table()
    table.add_row(*_properties(parse(text)))
    return table


def minimal_table() -> Table:
    """The smallest networks that leave a residue, bounce and damp their vibration."""
    table = _table()
    for network in minimal_networks():
        table.add_row(*_properties(network))
    return table


def _table(*first: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in (*first, "network", "residue", "bounces", "damps"):
        table.add_column(heading, no_wrap=heading in first[:1])
    return table


def _properties(network: Network) -> tuple[str, str, str, str]:
    rules = (leaves_residue, bounces, damps_vibration)
    residue, bounce, damp = ("yes" if rule(network) else "no" for rule in rules)
    return describe(network), residue, bounce, damp


def _parameters(law: type[Law]) -> str:
    return ", ".join(f"{name} [{unit}]" if (unit := law.unit_of(name)) else name for name in law.model_fields if name != "type")
