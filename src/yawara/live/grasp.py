"""A hand that has taken hold of a body or of a tool: a spring and a damper from what it holds to where the hand is.

    F = K (y - sum w x) + C (y' - sum w x'),    force on point i = w_i F

with y [m] where the hand is. Of a body it holds a patch of surface, of a tool the tool's own point. A hand never sets a position:
contact stops the tool, and what the hand feels is this force, not the impulse of a single step, which grows as 1/h in a landing.

The force is that of the beginning of a tick and acts for all of it, as that of any sampled coupling does. With the mass that it moves,
m = 1 / sum(w^2 / mass), K <= 0.1 m / tick^2 leaves it far from the limit of stability.
"""

from dataclasses import dataclass

import numpy as np

from yawara.core.model import BodyRange, Model
from yawara.core.state import State
from yawara.kernels.kinds import Floats, Indices
from yawara.observe.measure import outer_points

PATCH = 1.6  # radius of the patch in the grip, over the mean edge of the surface
STIFFEST = 0.1  # K tick^2 / m
TOOL_DAMPING = 0.7  # of the critical one: a tool follows the hand within some ticks, without swinging
LIFTS = 10.0  # how many times its own weight a body's grip can pull
STRETCH = 0.15  # of the body's size: how far the spring is stretched when it lifts the body's weight


@dataclass
class Grasp:
    """What is held, and how."""

    points: Indices
    weights: Floats  # sum 1
    stiffness: float  # K [N/m]
    damping: float  # C [N s/m]
    largest: float  # [N]
    force: Floats  # [N], (3,), that the hand gives now

    def centre(self, state: State) -> Floats:
        """[m], (3,): the middle of what is held."""
        return np.asarray(self.weights @ state.position[self.points])

    def velocity(self, state: State) -> Floats:
        """[m/s], (3,): of the middle."""
        return np.asarray(self.weights @ state.velocity[self.points])

    def pull(self, state: State, place: Floats, velocity: Floats) -> Floats:
        """The force [N] for the next tick of a hand that is there [m] and moves so [m/s]."""
        force = self.stiffness * (place - self.centre(state)) + self.damping * (velocity - self.velocity(state))
        size = float(np.linalg.norm(force))
        self.force = force * min(1.0, self.largest / size) if size > 0.0 else force
        return self.force

    def ahead(self, state: State, place: Floats, velocity: Floats, tick: float) -> tuple[Floats, float]:
        """Force f0 [N] and stiffness S [N/m]: f0 - S (x - place) is what the hand will feel in the next tick if it is at x then.

        What it holds stays where it is until then. `velocity` [m/s] is that with which the hand would come to `place` [m].
        """
        # f = K (p - x) + C (p' - x'),    x' = velocity + (x - place) / tick
        force = self.stiffness * (self.centre(state) - place) + self.damping * (self.velocity(state) - velocity)
        return force, self.stiffness + self.damping / tick


def hold_tool(point: int, mass: float, tick: float) -> Grasp:
    """A tool with this mass [kg], as firmly as ticks [s] allow."""
    stiffness = STIFFEST * mass / tick**2
    damping = 2.0 * TOOL_DAMPING * float(np.sqrt(stiffness * mass))
    return Grasp(np.array([point], np.uint32), np.ones(1), stiffness, damping, np.inf, np.zeros(3))


def take_hold(model: Model, body: BodyRange, state: State, place: Floats, tick: float, gravity: float) -> Grasp:
    """Of the body's surface around a place [m]."""
    surface = outer_points(body)
    distance = np.linalg.norm(state.position[surface] - place, axis=1)
    radius = max(PATCH * _mean_edge(body, model), float(distance.min()) * 1.5)
    near = distance < radius
    points = surface[near].astype(np.uint32)
    weights = (1.0 - distance[near] / radius) ** 2
    weights /= weights.sum()
    mass = model.point.mass
    patch = 1.0 / float(np.sum(weights**2 / np.maximum(mass[points], 1e-300)))
    whole = float(mass[body.points].sum())
    size = float(np.ptp(model.rest_position[body.points], axis=0).max())
    weight = whole * max(gravity, 1.0)
    stiffness = min(weight / (STRETCH * size), STIFFEST * patch / tick**2)
    return Grasp(points, weights, stiffness, float(np.sqrt(stiffness * patch)), LIFTS * weight, np.zeros(3))


def _mean_edge(body: BodyRange, model: Model) -> float:
    """[m], at rest."""
    ends = body.triangles[:, :2] if len(body.triangles) else body.links
    return float(np.linalg.norm(model.rest_position[ends[:, 0]] - model.rest_position[ends[:, 1]], axis=1).mean())
