"""The law of contacts, where it is not given: from the step that the bodies themselves allow."""

from collections.abc import Sequence

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.terms.contact.arrays import Surface
from yawara.tools.contact import Contact, Method

REACH = 0.25  # of the mean length of a surface's edges
FEW = 1.5  # contacts on one point that need no softer ones
HOLD = 0.05  # of the mean length of edges: how far beyond its zone a contact may go on that has a load to lose
RATE2 = 0.6  # stiffness of a contact, over mass / step^2
DAMPING_RATIO = 0.3  # a particle under its weight settles soonest at 0.5, which costs a quarter of the step
INTEGRAL_RATIO = 0.3  # of the largest stable one; a particle under its weight settles soonest at 0.2 to 0.4
SUPPORTS = 4  # places on which a body rests, at least: what its mass over a contact can be
ZONE_OF_WEIGHT = 0.5  # of the depth to which a point's weight would press a spring; a particle that drops settles with 0.3 to 0.7
ZONE_OF_EDGE, LARGEST_ZONE = 1e-4, 1e-3  # of the mean length of edges: without gravity, and at most


def load_ratio(surface: Surface, body_mass: Sequence[float]) -> float:
    """The mass that rests on one contact of a body, over that of a node; the largest of all bodies."""
    largest = 1.0
    for body, mass in enumerate(body_mass):
        inverse = surface.inverse_mass[surface.node_body == body]
        largest = max(largest, mass / min(SUPPORTS, len(inverse)) * _median(inverse))
    return largest


def _median(values: Floats) -> float:
    """In a fifth of the time that numpy.median takes: sliders wait for it."""
    ordered, count = np.sort(values), len(values)
    return 0.5 * float(ordered[(count - 1) // 2] + ordered[count // 2])


def set_law(surface: Surface, chosen: Contact, step: float, gravity: float, load: float, crowd: float) -> None:
    """Fill in the law: what is not given follows from the step [s] that the bodies themselves allow.

    K = 0.6 m / step^2, less where contacts come in a `crowd`, leaves most of that step: the highest mode of a body at its limit
    has 4 m / step^2. I stays below C K / m, where m is what rests on a contact, `load` times a node.
    """
    rate2 = RATE2 / (max(1.0, crowd / FEW) * step**2)
    edge = float(surface.reach.max(initial=0.0)) / REACH
    zone = min(ZONE_OF_WEIGHT * gravity / rate2, LARGEST_ZONE * edge) if gravity > 0.0 else ZONE_OF_EDGE * edge
    integrated, free = chosen.method is Method.TIME_INTEGRATED, chosen.method is Method.IMPULSE
    if chosen.stiffness is not None and gravity > 0.0:
        zone = min(ZONE_OF_WEIGHT * gravity / (chosen.stiffness * _median(surface.inverse_mass)), LARGEST_ZONE * edge)
    surface.law[:] = (
        rate2,
        chosen.stiffness or 0.0,
        DAMPING_RATIO,
        -1.0 if chosen.damping is None else chosen.damping,
        INTEGRAL_RATIO / load,
        (-1.0 if chosen.integral is None else chosen.integral) if integrated else 0.0,
        (zone if chosen.zone is None else chosen.zone) if integrated else 0.0,
        chosen.friction,
        HOLD * edge if integrated or free else 0.0,
        1.0 if free else 0.0,
    )
