"""The rooms of force terms: the one list. Each is a folder that knows itself; nobody else knows it by name.

Rooms of other packages are found by the entry-point group `yawara.terms`, or are added by `register`.
"""

from collections.abc import Callable, Sequence

import numpy as np

from yawara.core.options import installed
from yawara.core.piece import Request
from yawara.core.term import ForceTerm
from yawara.terms.cavity.term import CavityPressure
from yawara.terms.cells.build import build as build_cells
from yawara.terms.cells.groups import names as cell_names
from yawara.terms.contact.build import build as build_contact
from yawara.terms.continuum.family import Continuum
from yawara.terms.continuum.term import ContinuumTerm
from yawara.terms.embedded.term import Embedded
from yawara.terms.incompressible.term import ConstantVolume
from yawara.terms.linear_elements.term import build as build_linear_elements
from yawara.terms.linear_elements.term import names as linear_element_names
from yawara.terms.links.build import build as build_links
from yawara.terms.links.family import LinkFamily
from yawara.terms.links.groups import names as link_names
from yawara.terms.options import TermOptions
from yawara.terms.polyhedra.term import PolyhedraTerm
from yawara.terms.shear_volume.build import build as build_shear_volume
from yawara.terms.shear_volume.build import names as shear_volume_names

# What a body is made of if it says nothing: with a law, or where there are no cells, links; with a material, elements of a continuum,
# which are as quick, have its moduli on any mesh, bend as they should and come back from any state (docs/bodies.md has the figures).
LINKS, OF_MATERIAL = LinkFamily(), Continuum()

Build = Callable[[Request], Sequence[ForceTerm]]  # from a scene to the room's terms in it; none if there is nothing for it to do

_rooms: list[Build] = [
    build_links,
    build_cells,
    PolyhedraTerm.build,
    build_shear_volume,
    build_linear_elements,
    ContinuumTerm.build,
    CavityPressure.build,
    ConstantVolume.build,
    build_contact,
    Embedded.build,
]


# Names of the terms that these would build, for less than building them. The others have the same ones, whatever the numbers are.
_names: dict[Build, Callable[[Request], Sequence[str]]] = {
    build_links: link_names,
    build_shear_volume: shear_volume_names,
    build_linear_elements: linear_element_names,
    build_cells: cell_names,
    PolyhedraTerm.build: PolyhedraTerm.names_of,
    ContinuumTerm.build: ContinuumTerm.names_of,
    CavityPressure.build: CavityPressure.names_of,
    ConstantVolume.build: ConstantVolume.names_of,
    build_contact: lambda request: (),
    Embedded.build: lambda request: (),
}


def register(build: Build) -> None:
    """Add a room; its terms take part in every scene that is compiled from now on."""
    if build not in _rooms:
        _rooms.append(build)


def names_by_numbers(request: Request) -> set[str]:
    """Of all terms in a scene whose being there depends on its numbers."""
    found = set[str]()
    for build in (*_rooms, *installed(TermOptions.group)):
        if build in _names:
            found.update(_names[build](request))
        else:
            found.update(term.name for term in build(request) if term.depends_on_numbers)
    return found


def build_terms(request: Request) -> tuple[ForceTerm, ...]:
    """All terms of a scene, in the order in which they act."""
    terms = [term for build in (*_rooms, *installed(TermOptions.group)) for term in build(request)]
    if any(term.hands_on for term in terms):
        none = np.zeros(0, np.uint32)
        reached = np.unique(np.concatenate([none, *(term.whole_reach(request.point_count) for term in terms)]))
        for term in terms:
            term.take_reached(reached)
    return tuple(sorted(terms, key=lambda term: term.order))
