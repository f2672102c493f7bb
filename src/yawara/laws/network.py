"""Networks of springs and dampers, what can be inferred of them without computing, and the search for the smallest that do all.

The rules are those of Kimura et al. 2003, "Constructing Rheologically Deformable Virtual Objects", sec. 3.1, tables 1 and 2.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, groupby, product
from typing import NoReturn, TypeAlias


@dataclass(frozen=True)
class Spring:
    """An elastic element."""


@dataclass(frozen=True)
class Damper:
    """A viscous element, with a constant viscosity or not."""


@dataclass(frozen=True)
class Series:
    """Networks that bear the same force; their extensions add."""

    children: tuple["Network", ...]


@dataclass(frozen=True)
class Parallel:
    """Networks that have the same extension; their forces add."""

    children: tuple["Network", ...]


Network: TypeAlias = Spring | Damper | Series | Parallel


def connect(kind: type[Series] | type[Parallel], *networks: Network) -> Network:
    """One network out of several; nested connections of the same kind are made one, a single network stays as it is."""
    children: list[Network] = []
    for network in networks:
        children.extend(network.children if isinstance(network, kind) else (network,))
    if not children:
        raise ValueError("a network must have at least one element (got none); give a Spring or a Damper")
    return children[0] if len(children) == 1 else kind(tuple(children))


def voigt_part(k: float, c: float) -> Network:
    """Spring and damper side by side, each only if its coefficient [N/m, N s/m] is not zero."""
    return connect(Parallel, *([Spring()] if k > 0 else []), *([Damper()] if c > 0 else []))


# ---- inference


def leaves_residue(network: Network) -> bool:
    """Whether deformation remains after the load has gone."""
    if isinstance(network, Series):  # table 1 (a): residual unless no part is
        return any(map(leaves_residue, network.children))
    if isinstance(network, Parallel):  # table 1 (b): residual only if all are
        return all(map(leaves_residue, network.children))
    return isinstance(network, Damper)


def bounces(network: Network) -> bool:
    """Whether deformation goes back, at least in part, after the load has gone."""
    if isinstance(network, (Series, Parallel)):  # table 2 (a), (b): bouncing if anything in it bounces
        return any(map(bounces, network.children))
    return isinstance(network, Spring)


def damps_vibration(network: Network) -> bool:
    """Whether vibrations decrease: each part of the series that the network is must have a viscous element."""
    parts = network.children if isinstance(network, Series) else (network,)
    return all(map(_has_damper, parts))


def _has_damper(network: Network) -> bool:
    if isinstance(network, (Series, Parallel)):
        return any(map(_has_damper, network.children))
    return isinstance(network, Damper)


# ---- search


@cache
def all_networks(leaf_count: int) -> tuple[Network, ...]:
    """Every network of so many leaves, once: order does not matter, and a series in a series is one series."""
    if leaf_count == 1:
        return (Spring(), Damper())
    return tuple(
        kind(tuple(child for group in groups for child in group))
        for kind in (Series, Parallel)
        for sizes in _partitions(leaf_count, leaf_count - 1)
        for groups in product(*(_choices(kind, size, len(list(same))) for size, same in groupby(sizes)))
    )


def _choices(kind: type[Network], size: int, count: int) -> list[tuple[Network, ...]]:
    children = [child for child in all_networks(size) if not isinstance(child, kind)]
    return list(combinations_with_replacement(children, count))


def _partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Ways to write `total` as a sum, largest number first."""
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in _partitions(total - first, first):
            yield (first, *rest)


def minimal_networks(max_leaves: int = 4) -> tuple[Network, ...]:
    """The networks with the fewest leaves that leave residue, bounce and damp vibration; none if `max_leaves` is too few."""
    for leaf_count in range(1, max_leaves + 1):
        found = [net for net in all_networks(leaf_count) if leaves_residue(net) and bounces(net) and damps_vibration(net)]
        if found:
            return tuple(found)
    return ()


# ---- notation: "(spring | damper) - damper", | parallel, - series

_NAMES: dict[str, Network] = {"spring": Spring(), "s": Spring(), "damper": Damper(), "d": Damper()}
_SIGNS: dict[str, type[Series] | type[Parallel]] = {"-": Series, "|": Parallel}


def describe(network: Network) -> str:
    """The network as text that `parse` reads."""
    if isinstance(network, (Series, Parallel)):
        inner = [
            f"({describe(child)})" if isinstance(child, (Series, Parallel)) else describe(child) for child in network.children
        ]
        return (" - " if isinstance(network, Series) else " | ").join(inner)
    return "spring" if isinstance(network, Spring) else "damper"


def parse(text: str) -> Network:
    """The network that a text describes; where | and - meet, parentheses must say which binds first."""
    reader = _Reader(text)
    network = reader.connection()
    if reader.word:
        reader.refuse(f"'{reader.word}' where the network has ended", "connect with | or -, and close only what was opened")
    return network


class _Reader:
    """Word by word through a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words = re.finditer(r"\w+|\S", text)
        self.advance()

    def advance(self) -> None:
        match = next(self._words, None)
        self.word = match[0] if match else ""
        self.column = match.start() + 1 if match else len(self.text) + 1

    def refuse(self, problem: str, remedy: str) -> NoReturn:
        raise ValueError(f"network '{self.text}', column {self.column}: {problem}; {remedy}")

    def connection(self) -> Network:
        networks, sign = [self.member()], self.word
        while self.word in _SIGNS:
            if self.word != sign:
                self.refuse(f"'{self.word}' after '{sign}' leaves open which binds first", "put parentheses around one of them")
            self.advance()
            networks.append(self.member())
        return connect(_SIGNS.get(sign, Series), *networks)

    def member(self) -> Network:
        word = self.word.lower()
        if word == "(":
            self.advance()
            network = self.connection()
            if self.word != ")":
                self.refuse(f"{self._here()} where ')' is due", "connect with | or -, or close the parenthesis")
        elif word in _NAMES:
            network = _NAMES[word]
        else:
            self.refuse(f"{self._here()} where an element is due", "write spring, damper, s, d or a group in parentheses")
        self.advance()
        return network

    def _here(self) -> str:
        return f"'{self.word}'" if self.word else "the text ends"
