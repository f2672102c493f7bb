"""Orders as plain data, for files; on the way back every field is checked, as those of scenes are."""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any, get_args

from yawara.live.messages import Order, Vector

ORDERS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Order)}
FARTHEST = 1e6  # [m]: no hand reaches further
REMEDY = "take another recording"


def order_to_plain(order: Order) -> dict[str, Any]:
    """For JSON."""
    return {"order": type(order).__name__, **asdict(order)}


def order_from_plain(plain: Mapping[str, Any]) -> Order:
    """The way back; ValueError if it is none."""
    kind = ORDERS.get(plain["order"]) if isinstance(plain.get("order"), str) else None
    if kind is None:
        raise ValueError(f"order must be one of {', '.join(ORDERS)} (got {_short(plain.get('order'))}); {REMEDY}")
    values = {name: value for name, value in plain.items() if name != "order"}
    known = [one.name for one in fields(kind)]
    needed = {one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING}
    if set(values) - set(known) or needed - set(values):
        raise ValueError(f"{kind.__name__} must have {known or 'nothing else'} (got {_short(sorted(values))}); {REMEDY}")
    order: Order = kind(**{name: CHECKS[name](value, name) for name, value in values.items()})
    return order


def vector(value: Any, name: str) -> Vector:
    """Three numbers within reach [m]; ValueError if they are not."""
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError(f"{name} must be three numbers [m] (got {_short(value)}); write for example [0, 0, 0.1]")
    x, y, z = (number(one, name, "m") for one in value)
    if max(abs(x), abs(y), abs(z)) > FARTHEST:
        raise ValueError(f"{name} must be within {FARTHEST:g} m (got {_short(value)}); {REMEDY}")
    return x, y, z


def number(value: Any, name: str, unit: str = "1") -> float:
    try:
        found = math.nan if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise ValueError(f"{name} must be finite numbers [{unit}] (got {_short(value)}); {REMEDY}")
    return found


def _share(value: Any, name: str) -> float:
    return number(value, name)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a name (got {_short(value)}); {REMEDY}")
    return value


def _text_or_none(value: Any, name: str) -> str | None:
    return None if value is None else _text(value, name)


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false (got {_short(value)}); {REMEDY}")
    return value


def _settings(value: Any, name: str) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be a table of numbers (got {_short(value)}); {REMEDY}")
    return {_text(key, name): number(one, f"{name}.{key}") for key, one in value.items()}


CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "body": _text, "place": vector, "target": vector, "tool": _text_or_none, "at_once": _flag, "share": _share, "settings": _settings,
}  # fmt: skip


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
