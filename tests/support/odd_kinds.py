"""Kinds of input for the fuzzers' driver itself: one case is well behaved, the others crash, hang, or break the rules."""

import os
import time

from fuzz.kinds import Kind

WELL, CRASHES, HANGS, SPEAKS = range(4)


def nothing(shared):
    """All cases are made from nothing."""


def make(rng, folder, shared):
    match int(folder.name.removeprefix("case ")):
        case 1:
            os._exit(9)
        case 2:
            time.sleep(3600)
    (folder / "scene.toml").write_text("x = [", encoding="utf-8")
    return ["run", str(folder / "scene.toml"), "--out", str(folder / "run")]


ODD = Kind("odd", nothing, make, 4)
