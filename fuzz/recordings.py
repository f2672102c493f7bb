"""Recorded touches, with fields, orders or bytes changed by chance."""

import json
from pathlib import Path

from numpy.random import Generator

from fuzz.mutate import changed, spoilt

ORDERS = (
    {"order": "Choose", "tool": "ball"}, {"order": "Move", "target": [0.0, 0.0, 0.05], "at_once": False},
    {"order": "Choose", "tool": "fingers"}, {"order": "Squeeze", "share": 0.5}, {"order": "Choose", "tool": None},
    {"order": "Grab", "body": "dough", "place": [0.0, 0.0, 0.06]},
    {"order": "Pull", "target": [0.0, 0.0, 0.1]}, {"order": "LetGo"}, {"order": "Reset"}, {"order": "Undo"},
    {"order": "Change", "body": "dough", "settings": {"stiffness": 1e4, "residue": 0.3}},
)  # fmt: skip


def prepare(shared: Path) -> None:
    from yawara.live.presets import preset_scene
    from yawara.live.recording import Recording

    (shared / "good.json").write_text(Recording(preset_scene("dough", (3, 3, 2)), ticks=20).text(), encoding="utf-8")


def make(rng: Generator, folder: Path, shared: Path) -> list[str]:
    data = json.loads((shared / "good.json").read_text(encoding="utf-8"))
    ticks = sorted(rng.integers(0, 20, 6).tolist())
    data["orders"] = [{"tick": tick, **ORDERS[rng.integers(len(ORDERS))]} for tick in ticks]
    if rng.random() < 0.6:
        data["orders"] = changed(data["orders"], rng, int(rng.integers(0, 3)))
    else:
        data = changed(data, rng, int(rng.integers(1, 4)))
    text = json.dumps(data).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        text = spoilt(text, rng, 2)
    path = folder / "it.touch.json"
    path.write_bytes(text)
    return ["run", str(path), "--out", str(folder / "run")]
