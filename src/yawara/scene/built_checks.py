"""What only the built bodies can tell: that they fit in memory, that nothing vanishes in rounding, that no point is held twice."""

import os
from collections.abc import Iterator

import numpy as np

from yawara.checks import SceneError
from yawara.core.control import SAME_TIME, Control
from yawara.core.geometry import Geometry
from yawara.core.model import Model
from yawara.laws import Law
from yawara.meshes.errors import MeshError
from yawara.methods import SCHEMES
from yawara.scene.bodies.body import Body
from yawara.scene.probes import ResidualStrainProbe, StrainProbe, ThicknessProbe
from yawara.scene.scene import LARGEST_STEP_COUNT, Scene
from yawara.scene.tools.mesh import MeshTool
from yawara.scene.tools.motion import Free, Pushed
from yawara.tools.contact import Method

MEMORY_SHARE = 0.8  # of the machine's memory that one scene may take
SMALLEST = 1e-280  # [m^3], [kg]: smaller values cannot be divided by

UNTOLD = {
    1: ("yy", "zz", "yz", "zx", "xy"),
    2: ("zz", "yz", "zx"),
    3: (),
}  # strains along which a body of each dimension has no links

Problems = Iterator[tuple[str, str]]


def unreadable_meshes(scene: Scene) -> Problems:
    """Files that are missing, broken beyond repair, or in another unit."""
    for name, body in scene.body.items():
        if hasattr(body, "file"):
            try:
                body.geometry()
            except MeshError as error:
                yield f"body.{name}.file", str(error)
    for name, tool in scene.tool.items():
        if isinstance(tool, MeshTool):
            try:
                tool.surface()
            except MeshError as error:
                yield f"tool.{name}.file", str(error)
                continue
            if not tool.thin > 0.25 * tool.grid.spacing:
                yield f"tool.{name}.cells", f"must tell inside from outside (got {tool.cells}, of which none is inside); raise it"


def impossible_materials(scene: Scene, geometries: dict[str, Geometry]) -> Problems:
    """What a body's elements cannot be; fine cells tied to coarse ones by links that have no springs."""
    for place, body, geometry in _bodies_and_regions(scene, geometries):
        for field, what in body.family.problems(body, geometry):
            yield f"{place}.{field}", what
        if len(geometry.tied) and body.family.joins and not stiffest(body.link_law) > 0.0:
            yield (
                f"{place}.law",
                "must have a spring (got dampers only), as a finer region is tied to a coarser one; use another law, or one size",
            )


def _bodies_and_regions(scene: Scene, geometries: dict[str, Geometry]) -> Iterator[tuple[str, Body, Geometry]]:
    """(place, body, geometry) of each body, and of each region as if all of its body were like it."""
    for name, geometry in geometries.items():
        body = scene.body[name]
        yield f"body.{name}", body, geometry
        for region_name, region in body.region.items():
            yield f"body.{name}.region.{region_name}", body.of_region(region), geometry


def stiffest(law: Law) -> float:
    """[N/m], of a link of weight 1; 0 if it has no spring."""
    stiffness, _ = law.family.instant(law.link_columns(np.ones(1), np.ones(1)))
    return float(np.max(stiffness))


def check_memory(scene: Scene) -> None:
    """Before anything is built."""
    needed = {name: body.memory_needed() for name, body in scene.body.items()}
    available = _memory_of_machine() * MEMORY_SHARE
    if sum(needed.values()) > available:
        name = max(needed, key=lambda item: needed[item])
        points, links = scene.body[name].size()
        field, remedy = (
            ("counts", "lower the counts") if hasattr(scene.body[name], "counts") else ("file", "use fewer, larger cells")
        )
        what = (
            f"must fit in {available / 1e9:.3g} GB of memory (got {points:.3g} points and {links:.3g} links, which need about "
            f"{needed[name] / 1e9:.3g} GB); {remedy}"
        )
        raise SceneError([(f"body.{name}.{field}", what)])


def _memory_of_machine() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return 16e9


def vanishing_values(scene: Scene, geometries: dict[str, Geometry]) -> Problems:
    """Volumes and link lengths that are lost in rounding."""
    for name, geometry in geometries.items():
        body = scene.body[name]
        if not geometry.share.min() > SMALLEST:
            spacing = getattr(body, "spacing", 0.0)
            yield f"body.{name}.spacing", f"must be larger (got {spacing:g} m), or the volume vanishes; values are in metres"
            continue
        start, end = np.swapaxes((geometry.all_positions + body.origin)[geometry.links], 0, 1)
        if not (np.linalg.norm(end - start, axis=1) > 0.5 * geometry.rest_lengths).all():
            far = max(body.origin, key=abs)
            yield (
                f"body.{name}.origin",
                f"must be nearer (got {far:g} m), or the spacing is lost in rounding; move it closer to 0",
            )


def vanishing_masses(scene: Scene, geometries: dict[str, Geometry]) -> Problems:
    """Masses that are lost in rounding."""
    for name, geometry in geometries.items():
        body = scene.body[name]
        if geometry.share.min() > SMALLEST and not body.point_mass(geometry).min() > SMALLEST:
            field, unit, value = "density", "kg/m^3", body.density
            if body.mass is not None:
                field, unit, value = "mass", "kg", body.mass
            elif value is None and body.material is not None:
                field, value = "material.density", body.material.density
            yield (
                f"body.{name}.{field}",
                f"must be larger (got {value:g} {unit}), or a point's mass vanishes; values are in {unit}",
            )


def double_blocks(scene: Scene, model: Model) -> Problems:
    """Terms and methods whose blocks in the state would have the same names."""
    names = [one.name for one in model.terms] + [one.name for one in model.methods]
    for table, given in (("term", scene.term), ("method", scene.method)):
        for name in given:
            if names.count(name) > 1:
                yield (
                    f"{table}.{name}",
                    f"name must not be '{name}', which another kind of force has (got it twice); choose another",
                )


def late_actions(scene: Scene) -> Iterator[str]:
    """Sentences about tables that begin when the run is over: allowed, since runs are shortened for a quick look, but told."""
    starts = [(f"drive.{index}", drive.times[0]) for index, drive in enumerate(scene.drive)]
    starts += [(f"force.{index}", force.times[0]) for index, force in enumerate(scene.force)]
    starts += [(f"push.{index}", push.times[0]) for index, push in enumerate(scene.push)]
    for place, start in starts:
        if start >= scene.time.end:
            yield f"{place} never acts: it begins at {start:g} s, the run ends at {scene.time.end:g} s."


def impossible_probes(scene: Scene, geometries: dict[str, Geometry]) -> Problems:
    """A volume of a flat body, an area of a chain, a thickness where it has none."""
    for name, probe in scene.probe.items():
        needed = {"volume": 3, "area": 2, "thickness": 2}.get(probe.type, 1)
        shape, dimension = scene.body[probe.body].shape, geometries[probe.body].dimension
        if dimension < needed:
            yield (
                f"probe.{name}.type",
                f"{probe.type} must be of a body that has one (got a {shape}); use distance or displacement",
            )
        elif isinstance(probe, ThicknessProbe) and dimension == 2 and "z" in (probe.along, probe.axis):
            field, left = (
                ("axis", "y" if probe.along == "x" else "x") if probe.axis == "z" else ("along", "xy".replace(probe.axis, ""))
            )
            yield f"probe.{name}.{field}", f"must be x or y (got 'z'), as a {shape} is flat; write \"{left}\""
        elif isinstance(probe, StrainProbe | ResidualStrainProbe) and probe.component in UNTOLD[dimension]:
            what, told = ("flat", "xx, yy or xy") if dimension == 2 else ("a row of points", "xx")
            yield (
                f"probe.{name}.component",
                f"must be a strain that links can tell (got '{probe.component}' of a {shape}, which is {what}); "
                f"use {told}, or largest",
            )


def double_holds(scene: Scene, control: Control) -> Problems:
    """Two drives on the same axis of the same point at the same time; two fixes agree."""
    fixed, same_time = len(scene.fix), SAME_TIME * scene.time.frame_time
    for n, one in enumerate(control.drives):
        for two in control.drives[max(n + 1, fixed) :]:
            begin, end = max(one.begin, two.begin), min(one.end, two.end)
            together = end - begin > same_time
            if together and (one.axes & two.axes).any() and (shared := np.intersect1d(one.points, two.points)).size:
                what = (
                    f"both hold {shared.size} of the same points along the same axis (from {begin:g} s until {end:g} s); "
                    "release one of them earlier, or take the points out of one"
                )
                yield f"{one.place}, {two.place}", what


def impossible_contacts(scene: Scene, geometries: dict[str, Geometry]) -> Problems:
    """Bounces of what has no mass of its own, of tools that a force moves, in implicit steps."""
    if scene.contact is None or scene.contact.method is not Method.BOUNCE:
        return
    for name, geometry in geometries.items():
        if geometry.dimension == 3 and len(geometry.triangles) and geometry.triangles.max() >= len(geometry.position):
            yield (
                f"body.{name}.shape",
                f"must have points with mass on its surface to bounce (got {scene.body[name].shape}, whose surface goes along); "
                "use another contact.method",
            )
    for name, tool in scene.tool.items():
        if isinstance(tool.motion, Pushed) or isinstance(tool.turn, Free):
            yield f"tool.{name}.motion", "must be a path or by hand where bodies bounce (got a force); use another contact.method"
    if SCHEMES[scene.time.integrator].is_implicit:
        yield (
            "time.integrator",
            f"must be explicit where bodies bounce (got {scene.time.integrator}); use rk4, or another contact.method",
        )


def unusable_steps(scene: Scene, stable_step: float) -> Problems:
    """A scheme without a stable step, or far too many of them."""
    time = scene.time
    if stable_step == 0.0:
        yield (
            "time.integrator",
            f"{time.integrator} has no stable step for these bodies (some vibration is not damped enough); "
            "use semi_implicit_euler or rk4, or give the law more viscosity",
        )
    elif time.end / min(time.step or np.inf, stable_step) > LARGEST_STEP_COUNT:
        yield (
            "time.end",
            f"must leave fewer than {LARGEST_STEP_COUNT:g} steps of {stable_step:.3g} s, the largest stable one (got {time.end:g} s); "
            "end earlier",
        )
