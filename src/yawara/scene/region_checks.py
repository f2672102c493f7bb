"""Regions whose laws no link would follow."""

from collections.abc import Iterator

import numpy as np

from yawara.core.geometry import Geometry
from yawara.scene.bodies.region import Depth, Region
from yawara.scene.parts import OWN, owners
from yawara.scene.scene import Scene


def empty_regions(scene: Scene, geometries: dict[str, Geometry]) -> Iterator[tuple[str, str]]:
    """(place, what) of each."""
    for name, geometry in geometries.items():
        regions = list(scene.body[name].region.items())
        owner, _ = owners(scene.body[name], geometry)
        for n in set(range(len(regions))) - set(owner.tolist()):
            alone, _ = owners(scene.body[name].model_copy(update={"region": dict(regions[n : n + 1])}), geometry)
            later = [regions[m][0] for m in np.unique(owner[alone != OWN])]
            yield (
                f"body.{name}.region.{regions[n][0]}.links",
                _taken_by(later) if later else _nothing_there(regions[n][1], geometry),
            )


def _taken_by(later: list[str]) -> str:
    names = " and ".join(later)
    return f"must leave it a link (got none: all are taken by {names}, which come later); write it after them, or leave it out"


def _nothing_there(region: Region, geometry: Geometry) -> str:
    if isinstance(region.links, Depth):
        return "must hold a link (got none: every link has an end on the surface); use more points, or leave the region out"
    middle = geometry.all_positions[geometry.links].mean(axis=1)
    low, high = (", ".join(f"{x:g}" for x in corner) for corner in (middle.min(axis=0), middle.max(axis=0)))
    return (
        f"must hold the middle of a link (got a box without one: they are between [{low}] and [{high}] m); "
        "widen the box, in the body's own coordinates"
    )
