"""Short names for plots: body.dough.law.k1 is k1, if nothing else is."""

from collections.abc import Sequence


def short_names(paths: Sequence[str]) -> list[str]:
    """The shortest ends of paths that tell them apart; they do not begin with a number."""
    return [_short(path, [other for other in paths if other != path]) for path in paths]


def _short(path: str, others: Sequence[str]) -> str:
    parts = path.split(".")
    for begin in range(len(parts) - 1, -1, -1):
        end = ".".join(parts[begin:])
        if not parts[begin].isdigit() and not any(other == end or other.endswith(f".{end}") for other in others):
            return end
    return path
