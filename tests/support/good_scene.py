"""A small scene without fault, and the same with something changed."""

import copy

GOOD = {
    "format": 1,
    "name": "small",
    "time": {"end": 0.02, "frame": 0.005},
    "body": {
        "dough": {
            "shape": "truss",
            "counts": [3, 3, 3],
            "spacing": 0.01,
            "density": 1200.0,
            "law": {"type": "three_element", "k1": 300.0, "c1": 6.0, "c2": 900.0},
        }
    },
    "fix": [{"body": "dough", "points": "bottom"}],
    "drive": [
        {
            "name": "press",
            "body": "dough",
            "points": "top",
            "times": [0.0, 0.01],
            "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, -0.002]],
            "release": 0.015,
        }
    ],
}
GONE = object()  # stands for: leave the key out


def changed(changes):
    """The good scene with some values replaced, added or left out, as plain data."""
    data = copy.deepcopy(GOOD)
    for path, value in changes.items():
        *parents, last = [int(name) if name.isdigit() else name for name in path.split(".")]
        table = data
        for name in parents:
            table = table[name]
        if value is GONE:
            del table[last]
        else:
            table[last] = copy.deepcopy(value)
    return data
