"""The laws and networks as tables for the terminal."""

from rich import box
from rich.markup import escape
from rich.table import Table

from yawara.laws import LAWS
from yawara.laws.base import Law
from yawara.laws.network import Network, bounces, damps_vibration, describe, leaves_residue, minimal_networks, parse


def law_table() -> Table:
    """Every law: parameters with units, network, and what the papers' rules say of it."""
    table = _table("law", "parameters")
    for name, law in LAWS.items():
        table.add_row(name, escape(_parameters(law)), *_properties(law(**law.example).network() if law.example else None))
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


def _properties(network: Network | None) -> tuple[str, str, str, str]:
    if network is None:
        return ("none", *("-",) * 3)
    rules = (leaves_residue, bounces, damps_vibration)
    residue, bounce, damp = ("yes" if rule(network) else "no" for rule in rules)
    return describe(network), residue, bounce, damp


def _parameters(law: type[Law]) -> str:
    return ", ".join(f"{name} [{unit}]" if (unit := law.unit_of(name)) else name for name in law.model_fields if name != "type")
