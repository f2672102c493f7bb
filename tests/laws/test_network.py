"""What is inferred of networks: tables 1 and 2 of Kimura et al. 2003, sec. 3.1, the laws, the search, and the notation."""

from itertools import product

import pytest

from yawara.laws import (
    ForceDependentDamper,
    GeneralizedMaxwell,
    GeneralizedVoigt,
    InternalFriction,
    Law,
    LimitedThreeElement,
    Maxwell,
    ThreeElement,
    Voigt,
)
from yawara.laws.network import (
    Damper,
    Network,
    Parallel,
    Series,
    Spring,
    all_networks,
    bounces,
    connect,
    damps_vibration,
    describe,
    leaves_residue,
    minimal_networks,
    parse,
)

S, D = Spring(), Damper()


def properties(network: Network) -> tuple[bool, bool, bool]:
    return leaves_residue(network), bounces(network), damps_vibration(network)


def test_leaves() -> None:
    assert properties(S) == (False, True, False)
    assert properties(D) == (True, False, True)


@pytest.mark.parametrize(
    ("kind", "a", "b", "residual"),  # a damper is residual, a spring is not
    [
        (Series, D, D, True), (Series, D, S, True), (Series, S, D, True), (Series, S, S, False),
        (Parallel, D, D, True), (Parallel, D, S, False), (Parallel, S, D, False), (Parallel, S, S, False),
    ],
)  # fmt: skip
def test_table_1(kind: type[Series] | type[Parallel], a: Network, b: Network, residual: bool) -> None:
    assert leaves_residue(kind((a, b))) == residual


@pytest.mark.parametrize(
    ("kind", "a", "b", "bouncing"),  # a spring bounces, a damper does not
    [
        (Series, S, S, True), (Series, S, D, True), (Series, D, S, True), (Series, D, D, False),
        (Parallel, S, S, True), (Parallel, S, D, True), (Parallel, D, S, True), (Parallel, D, D, False),
    ],
)  # fmt: skip
def test_table_2(kind: type[Series] | type[Parallel], a: Network, b: Network, bouncing: bool) -> None:
    assert bounces(kind((a, b))) == bouncing


def test_all_parts_of_a_series_need_a_damper() -> None:
    assert damps_vibration(parse("(s | d) - (s | d) - d"))
    assert not damps_vibration(parse("(s | d) - s"))
    assert damps_vibration(parse("(s - d) | s"))  # one part, and it has a damper


@pytest.mark.parametrize(
    ("law", "notation", "expected"),  # residue, bounces, damps
    [
        (Voigt(k=1, c=1), "spring | damper", (False, True, True)),
        (Voigt(k=1, c=0), "spring", (False, True, False)),
        (Voigt(k=0, c=1), "damper", (True, False, True)),
        (Maxwell(k=1, c=1), "spring - damper", (True, True, False)),
        (ThreeElement(k1=1, c1=1, c2=1), "(spring | damper) - damper", (True, True, True)),
        (ThreeElement(k1=0, c1=1, c2=1), "damper - damper", (True, False, True)),
        (GeneralizedVoigt(k=(1, 1), c=(1, 2)), "(spring | damper) - (spring | damper)", (False, True, True)),
        (GeneralizedVoigt(k=(1, 1, 0), c=(0, 2, 1)), "spring - (spring | damper) - damper", (True, True, False)),
        (GeneralizedVoigt(k=(1,), c=(2,)), "spring | damper", (False, True, True)),
        (GeneralizedMaxwell(k=(1,), c=(1,)), "spring - damper", (True, True, False)),
        (GeneralizedMaxwell(k=(1, 1), c=(1, 2)), "(spring - damper) | (spring - damper)", (True, True, True)),
        (GeneralizedMaxwell(k=(1,), c=(1,), k_inf=1), "(spring - damper) | spring", (False, True, True)),
        (GeneralizedMaxwell(k=(1,), c=(1,), c_inf=1), "(spring - damper) | damper", (True, True, True)),
        (GeneralizedMaxwell(k=(1,), c=(1,), k_inf=1, c_inf=1), "(spring - damper) | spring | damper", (False, True, True)),
        (ForceDependentDamper(k1=1, c1=1, c_max=2, c_min=1, f1=1, f2=2), "(spring | damper) - damper", (True, True, True)),
        (InternalFriction(k=1, c1=1, c2=1, friction=1), "(spring | damper) - damper", (True, True, True)),
        (LimitedThreeElement(k1=1, c1=1, c2=1), "(spring | damper) - damper", (True, True, True)),
    ],
)
def test_laws(law: Law, notation: str, expected: tuple[bool, bool, bool]) -> None:
    assert describe(law.network()) == notation
    assert properties(law.network()) == expected


def test_exactly_two_minimal_networks() -> None:
    assert minimal_networks() == (parse("(s | d) - d"), parse("(s - d) | d"))
    assert minimal_networks(max_leaves=3) == minimal_networks(max_leaves=4)
    assert minimal_networks(max_leaves=2) == ()


def unordered(network: Network) -> object:
    if isinstance(network, (Series, Parallel)):
        return type(network).__name__, tuple(sorted(map(repr, map(unordered, network.children))))
    return type(network).__name__


def built_in_pairs(leaf_count: int) -> set[Network]:
    """Every network as a binary tree, flattened: many times over, and in every order."""
    if leaf_count == 1:
        return {S, D}
    return {
        connect(kind, a, b)
        for left in range(1, leaf_count)
        for a, b in product(built_in_pairs(left), built_in_pairs(leaf_count - left))
        for kind in (Series, Parallel)
    }


@pytest.mark.parametrize("leaf_count", [1, 2, 3, 4])
def test_enumeration_meets_brute_force(leaf_count: int) -> None:
    found = [unordered(network) for network in all_networks(leaf_count)]
    assert len(set(found)) == len(found)
    assert set(found) == {unordered(network) for network in built_in_pairs(leaf_count)}


@pytest.mark.parametrize("leaf_count", [1, 2, 3, 4])
def test_what_is_described_can_be_parsed(leaf_count: int) -> None:
    for network in all_networks(leaf_count):
        assert parse(describe(network)) == network


def test_notation() -> None:
    three = Series((Parallel((S, D)), D))
    assert parse("(spring | damper) - damper") == parse(" ( S|d )-Damper") == parse("((s) | d) - (d)") == three
    assert describe(three) == "(spring | damper) - damper"
    assert parse("s - (s - d)") == parse("s - s - d")  # a series in a series is one series


@pytest.mark.parametrize(
    ("text", "column", "remedy"),
    [
        ("", 1, "write spring, damper"),
        ("spring | ", 10, "write spring, damper"),
        ("spring | mass", 10, "write spring, damper"),
        ("() - s", 2, "write spring, damper"),
        ("s d", 3, "connect with"),
        ("(s | d", 7, "close the parenthesis"),
        ("s | d)", 6, "close only what was opened"),
        ("s | d - d", 7, "put parentheses"),
    ],
)
def test_bad_text_is_answered_with_place_and_remedy(text: str, column: int, remedy: str) -> None:
    with pytest.raises(ValueError, match=f"column {column}: .*; .*{remedy}") as error:
        parse(text)
    assert f"'{text}'" in str(error.value)


def test_a_network_of_nothing() -> None:
    with pytest.raises(ValueError, match=r"at least one element .* give a Spring"):
        connect(Series)
