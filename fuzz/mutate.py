"""Changes by chance: of plain data, of text, of bytes. The same random generator always makes the same ones."""

import copy
import math
from typing import Any

from numpy.random import Generator

Data = Any

HOSTILE: tuple[Any, ...] = (
    0, -1, 1, 2, 3.5, -0.0, 1e-300, 1e-12, 1e6, 1e12, 1e29, 1e103, 1e300, -1e300, math.nan, math.inf, -math.inf, 2**31, 2**63 - 1, -(2**63),
    10**400, True, False, "", "x", "10 mm", "nan", "1e999", "../../etc/passwd", "dough", "top", "truss", "voigt", "ä\u0000b", "A" * 5000,
    [], {}, [0], [1.0, 2.0], [0.0, 0.0, 0.0], [math.nan] * 3, [1e300, 0.0, 0.0], [[0.0, 0.0, 0.0]], [[]], [{}], {"x": 1}, {"": {}},
    {"type": "voigt"}, [[[[[[[[1]]]]]]]],
)  # fmt: skip


def places(data: Data) -> list[tuple[Any, Any]]:
    """Every (container, key) in plain data."""
    found: list[tuple[Any, Any]] = []
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        found.append((data, key))
        found += places(value)
    return found


def changed(data: Data, rng: Generator, count: int) -> Data:
    """A copy of plain data with so many changes."""
    data = copy.deepcopy(data)
    for _ in range(count):
        found = places(data)
        if found:
            _change(found, *found[rng.integers(len(found))], rng)
    return data


def _change(found: list[tuple[Any, Any]], container: Any, key: Any, rng: Generator) -> None:
    match rng.integers(8):
        case 0 | 1:
            container[key] = copy.deepcopy(HOSTILE[rng.integers(len(HOSTILE))])
        case 2 | 3 if _is_modest(container[key]):
            scaled = float(container[key]) * 10.0 ** rng.uniform(-15.0, 15.0) * rng.choice([1.0, 1.0, -1.0])
            container[key] = round(scaled) if isinstance(container[key], int) else scaled
        case 4:
            del container[key]
        case 5:
            other, place = found[rng.integers(len(found))]
            container[key] = copy.deepcopy(other[place]) if _is_there(other, place) else None
        case 6 if isinstance(container, dict):
            container[f"{key}x"] = container.pop(key)
        case 7 if isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        case _:
            container[key] = [container[key]]


def _is_modest(value: Any) -> bool:
    """A number that can be scaled."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e100


def _is_there(container: Any, key: Any) -> bool:
    return key in container if isinstance(container, dict) else key < len(container)


def without_none(data: Data) -> Data:
    """TOML knows no nothing."""
    if isinstance(data, dict):
        return {str(key): without_none(value) for key, value in data.items() if value is not None}
    return [without_none(value) for value in data if value is not None] if isinstance(data, list) else data


def spoilt(data: bytes, rng: Generator, count: int = 1) -> bytes:
    """Bytes with so many changes: some turned, cut off, doubled, taken out, put in."""
    for _ in range(count):
        begin, end = sorted(rng.integers(0, len(data) + 1, 2).tolist())
        end = min(end, begin + int(rng.choice([1, 4, 40, 4000])))
        match rng.integers(6):
            case 0:
                data = data[:begin]
            case 1:
                data = data[:begin] + data[end:]
            case 2:
                data = data[:end] + data[begin:end] * int(rng.integers(1, 5)) + data[end:]
            case 3:
                data = data[:begin] + rng.bytes(end - begin) + data[end:]
            case 4:
                data = data[:begin] + WORDS[rng.integers(len(WORDS))] + data[end:]
            case _:
                data = (
                    data[:begin]
                    + bytes(byte ^ (1 << int(rng.integers(8))) for byte in data[begin : begin + 1])
                    + data[begin + 1 :]
                )
    return data


WORDS = (
    b"", b"nan", b"inf", b"-1", b"1e300", b"1e999", b"999999999999", b"\0", b"\xff\xfe", b"(", b"[" * 3000, b"{", b"<", b'"', b"\n", b",,,",
    b";", b"4294967295", b"$Nodes", b"end_header", b"PK\x03\x04", b"\x93NUMPY", b"YAW1",
)  # fmt: skip
