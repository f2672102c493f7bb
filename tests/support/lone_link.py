"""One link of a law by itself, without mass and without a body: moved as it is told, its internal variables integrated finely.

It asks the law's own kernels for tension, rates and stored energy, and nothing else of the package.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize_scalar

from plain import call
from yawara.kernels.records import Bound
from yawara.laws.block import Block, law_kernels


class LoneLink:
    def __init__(self, law, rest, weight=1.0):
        """`rest` [m]; `weight` such elements side by side."""
        self.law, self.rest = law, rest
        columns = law.link_columns(np.array([rest]), np.array([weight]))
        self.coefficient = np.concatenate([np.asarray(column, float) for column in columns.values()])
        self.internal, self.length2, self.stretching, self.factor = np.zeros(law.parts), *np.zeros((3, 1))
        self.rates = np.zeros(law.parts)
        numbers = 0, 0, 1, 1, law.parts, 0.0, 0.0, 0.0, 0.0
        self.bound = Bound(
            Block(
                self.coefficient,
                self.internal,
                self.length2,
                self.stretching,
                self.factor,
                self.rates,
                *np.zeros((2, 1)),
                *numbers,
            )
        )
        self.tension, self.energy, _ = (kernel.address for kernel in law_kernels(law.family))

    def respond(self, d, ldot, q):
        """Tension [N] and rates of the internal variables [m/s] at the extension d [m]."""
        length = self.rest + d
        self.internal[:], self.length2[0], self.stretching[0] = q, length**2, length * ldot
        call(self.tension, self.bound.address)
        return float(self.factor[0]) * length, self.rates.copy()

    def stored(self, d, q):
        """[J]"""
        self.respond(d, 0.0, q)
        call(self.energy, self.bound.address)
        return self.bound.get("stored")

    def course(self, motion, corner, times):
        """Tension [N] and internal variables [m] at `times` [s]; motion(t) is extension [m] and rate [m/s], smooth but at the corner.

        At the corner itself it is what was just before it.
        """
        found, q, begin = [], np.zeros(self.law.parts), 0.0
        for stop in sorted({*times, corner}):
            before = 0.5 * (begin + stop) < corner
            if self.law.parts:
                ran = solve_ivp(lambda t, y, early=before: self.respond(*motion(t, early), y)[1], (begin, stop), q, "RK45",
                                rtol=1e-9, atol=1e-12 * self.rest, max_step=(stop - begin) / 20)  # fmt: skip
                q = ran.y[:, -1]
            if stop in times:
                found.append((self.respond(*motion(stop, before), q)[0], q.copy()))
            begin = stop
        return found

    def free_extension(self, q):
        """[m], at which springs hold the least energy while internal variables stay: what is left when all load is taken away at once."""
        reach = 2.0 * float(np.abs(q).sum()) + 1e-3 * self.rest if len(q) else 1e-3 * self.rest
        least = minimize_scalar(lambda d: self.stored(d, q), bounds=(max(-reach, -0.99 * self.rest), reach), method="bounded",
                                options={"xatol": 1e-12 * self.rest})  # fmt: skip
        return float(least.x)
