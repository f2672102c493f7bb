"""Follows the highest mode of every body while it deforms, by the tangent of its present state.

Links turn and tighten, laws stiffen: a stretched lattice has its links side by side, and vibrates up to twice as fast as at rest. So the
step that was stable at rest need not stay so. A power iteration goes along with the run, a little at a time, starting each time from the
mode it has found so far; how much quicker than at rest that mode is divides the stable step. Mode and pace are part of the state, so that
a resumed run takes the same steps.

Springs and dampers are told apart where it matters: with k and c of the highest mode, semi-implicit Euler is stable as long as
dt^2 k + 2 dt c <= 4. The tangent of an implicit step of h/2 is (h/2) k + c: both together at a step of h are (2/h) times that. The step is
the one that is taken now, as with smaller steps dampers count for more, and another mode may be the one that matters.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from yawara.core.state import State
from yawara.kernels.kinds import Floats
from yawara.methods.operator import Operator
from yawara.methods.stability import MARGIN, largest_eigenvalues

ITERATIONS, CLOSELY = 2, 20  # per look
SOFTER = 0.95  # of what it was: the mode that was the highest has softened, and another one may be
AT_REST = 10  # begins near the highest mode; what it lacks (up to 2 %) makes steps smaller by half of that, as if the body had tightened
NOTABLE = 1.02  # pace above which springs and dampers are told apart
FRESH = 0.05  # share of noise that is mixed in, so that a mode that becomes the highest later is found


@dataclass
class Watch:
    operator: Operator
    step: float  # [s], stable at rest
    mode: Floats  # (point_count, 4): near the highest modes at rest

    @cached_property
    def at_rest(self) -> Floats:
        """(body_count,) [1/s^2]: k + 2 c / step of each body's highest mode."""
        state = State.at_rest(self.operator.model, self.mode)
        self.operator.linearise(state, 0.5 * self.step)
        start = self.operator.unit(self.mode.reshape(-1)) + FRESH * self.operator.unit(self.operator.noise(0))
        value, _ = largest_eigenvalues(self.operator, start, AT_REST)
        return 2.0 / self.step * value

    def look(self, state: State, stiffenings: Floats | float = 1.0, *, closely: bool = False) -> None:
        """Go on with the iteration at the present state and update `state.mode`, `state.pace` and `state.stiffening`.

        `closely` if it has changed a lot. `stiffenings` (term_count,) are those of the last evaluation: that of a term which does not say
        how stiff it is now is taken from there. An element that was stiff for a moment, within a step that was too large for it, does not
        count: it would be let through the next time.
        """
        operator, at_rest = self.operator, self.at_rest
        pace_before = float(state.pace[0])
        now = self.step / pace_before
        operator.linearise(state, 0.5 * now)
        noted = operator.stiffenings
        state.stiffening[0] = np.where(noted > 0.0, noted, stiffenings).max(initial=1.0)
        u, growth = operator.iterate(state.mode, CLOSELY if closely else ITERATIONS, operator.noise(state.step_count), FRESH)
        joint = MARGIN * 2.0 / now * growth
        if not closely and pace_before > NOTABLE and (joint < SOFTER * pace_before**2 * at_rest).all():
            u, growth = operator.iterate(u, CLOSELY)
            joint = MARGIN * 2.0 / now * growth
        state.mode[...] = operator.unit(u).reshape(-1, 4)
        with np.errstate(divide="ignore", invalid="ignore"):
            pace = float(
                np.nanmax(np.where(at_rest > 0.0, joint / at_rest, 1.0))
            )  # as if all were dampers: at least what is needed
        if pace > NOTABLE:
            pace = self._pace(state, joint)
        state.pace[0] = pace if 1.0 < pace < np.inf else 1.0  # a state that is no longer finite is the loop's to notice

    def _pace(self, state: State, joint: Floats) -> float:
        """How much smaller steps must be: p with k + 2 c p / h = p^2 (k0 + 2 c0 / h); `joint` has the p of the present step."""
        operator = self.operator
        operator.linearise(state, 0.0)
        unit = operator.unit(state.mode.reshape(-1))
        damped, _ = operator.iterate(unit)
        with np.errstate(divide="ignore", invalid="ignore"):
            most = joint / self.at_rest / state.pace[0]
            damping = np.clip(2.0 / self.step * operator.products(unit, damped) / self.at_rest, 0.0, most)
            stiffness = joint / self.at_rest - damping * state.pace[0]
            pace = 0.5 * damping + np.sqrt(0.25 * damping**2 + stiffness)
        return float(np.nanmax(np.where(self.at_rest > 0.0, pace, 1.0)))
