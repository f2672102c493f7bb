"""Random small models with tools: energies add up, or the run says that they do not.

    python -m fuzz.balances --seed 1 --count 300 [--method impulse] [--explicit | --implicit]

Shapes, laws, stiffness over six decades, friction, contact methods, tools and their motions, schemes and steps are drawn at random. A run
is bad if its balance is off by more than 1 % without a word, or by more than 10 % with a status that says that all is well.
"""

import argparse
import sys
import time
import warnings

import numpy as np

from yawara.checks import SceneError
from yawara.laws import ForceDependentDamper, GeneralizedMaxwell, GeneralizedVoigt, InternalFriction, Maxwell, ThreeElement, Voigt
from yawara.materials import Material
from yawara.observe.energies import balance_error
from yawara.plan import plan_steps
from yawara.scene.actions import Fix
from yawara.scene.bodies import Chain, Lattice, Sheet, Truss
from yawara.scene.compile import compile_scene
from yawara.scene.effects import InversionBarrier, Volume
from yawara.scene.scene import Output, Scene, Time
from yawara.scene.tools import Box, Conveyor, Cylinder, Floor, Plate, Sphere
from yawara.scene.tools.motion import Driven, Path, Pushed
from yawara.simulate import simulate
from yawara.status import StepStatus
from yawara.tools.contact import Contact

SPACING = 0.01  # [m]
MOST_STEPS = 40_000  # longer runs prove nothing more
SAID, FAILED = "do not add up", 0.1


def random_law(random, k):
    """Any law, with times around those of the body's vibrations."""
    c = k * 10.0 ** random.uniform(-4, -1)  # [N s/m]
    match random.integers(7):
        case 0:
            return Voigt(k=k, c=c)
        case 1:
            return ThreeElement(k1=k, c1=c, c2=c * 10.0 ** random.uniform(0.5, 3))
        case 2:
            return Maxwell(k=k, c=c * 100.0)
        case 3:
            return GeneralizedVoigt(k=(k, k, 0.0), c=(c, 10.0 * c, 100.0 * c))
        case 4:
            return GeneralizedMaxwell(k=(k, k), c=(3.0 * c, 30.0 * c), k_inf=k, c_inf=c)
        case 5:
            return ForceDependentDamper(k1=k, c1=c, c_max=300.0 * c, c_min=30.0 * c, f1=1e-4 * k, f2=1e-3 * k)
        case _:
            return InternalFriction(k=k, c1=c, c2=c * 10.0 ** random.uniform(-1, 1), friction=1e-4 * k)


def random_body(random):
    law = random_law(random, 10.0 ** random.uniform(-1, 5))  # [N/m]
    common = {"spacing": SPACING, "density": 10.0 ** random.uniform(2.5, 3.5), "law": law}
    if random.random() < 0.25:
        return random_material_body(random)
    match random.integers(4):
        case 0:
            return Chain(counts=[int(random.integers(2, 8))], origin=(0.0, 0.0, 0.002), **common)
        case 1:
            return Sheet(counts=random.integers(2, 5, 2).tolist(), origin=(0.0, 0.0, 0.002), **common)
        case 2:
            return Lattice(counts=random.integers(2, 5, 3).tolist(), origin=(0.0, 0.0, 0.002), **common)
        case _:
            return Truss(counts=random.integers(2, 5, 3).tolist(), origin=(0.0, 0.0, 0.002), **common)


def random_material_body(random):
    """With pressures in its cells, and often an inversion barrier and a cavity pressure."""
    modulus = 10.0 ** random.uniform(2.5, 5.5)
    material = Material(
        youngs_modulus=modulus, poisson=float(random.uniform(0.26, 0.45)), density=1000.0, retardation_time=10.0 ** random.uniform(-4, -2),
        relaxation_time=float(random.uniform(0.05, 1.0)),
    )  # fmt: skip
    effects = {"inversion_barrier": InversionBarrier()} if random.random() < 0.5 else {}
    effects |= {"volume": Volume(cavity=10.0 * modulus)} if random.random() < 0.3 else {}
    return Truss(
        counts=random.integers(3, 5, 3).tolist(), spacing=SPACING, origin=(0.0, 0.0, 0.002), material=material, **effects
    )


def random_tools(random, top):
    """A floor, often rough or tilted a little, and often something that comes from above."""
    tilt = 0.2 * random.standard_normal(2) if random.random() < 0.2 else np.zeros(2)
    found = {"floor": Floor(normal=(*tilt, 1.0), origin=(0.0, 0.0, -0.02 * float(np.abs(tilt).sum())), friction=friction(random))}
    if random.random() < 0.15:
        found = {"belt": Conveyor(size=(0.5, 0.5, 0.02), speed=0.05, origin=(0.0, 0.0, 0.0), friction=friction(random))}
    if random.random() < 0.6:
        down = float(random.uniform(0.1, 0.6)) * top
        motion = Path(
            times=[0.0, 0.1, 0.2, 0.3], displacement=[[0, 0, 0], [0, 0, -down], [0.01, 0, -down], [0.01, 0, 0]],
            interpolation=str(random.choice(["linear", "smooth"])),
        )  # fmt: skip
        mass = {}
        if random.random() < 0.3:
            mass, motion = {"mass": 0.01}, Pushed(force=[[0.0, 0.0, -0.05]])
        found["tool"] = random_shape(random, top + 0.003, motion, mass)
    return found


def random_shape(random, bottom, motion, mass):
    rough, middle = {"friction": friction(random), "motion": motion, **mass}, (0.01, 0.01)
    match random.integers(4):
        case 0:
            return Plate(size=(0.2, 0.2, 0.02), origin=(*middle, bottom), **rough)
        case 1:
            return Sphere(radius=0.01, origin=(*middle, bottom + 0.01), **rough)
        case 2:
            return Box(size=(0.015, 0.015, 0.03), origin=(*middle, bottom + 0.015), **rough)
        case _:
            turn = {} if mass else {"turn": Driven(speed=float(random.uniform(-5, 5)))}
            return Cylinder(radius=0.01, length=0.1, origin=(*middle, bottom + 0.01), **turn, **rough)


def friction(random):
    return float(random.choice([0.0, 0.3, 0.9]))


def random_scene(random, given):
    body = random_body(random)
    top = 0.002 + (body.counts[-1] - 1) * SPACING if len(body.counts) == 3 else 0.002
    integrator = str(random.choice(["semi_implicit_euler", "rk4", "implicit_euler"], p=[0.5, 0.25, 0.25]))
    step = {} if random.random() < 0.6 and integrator != "implicit_euler" else {"step": 10.0 ** random.uniform(-4, -2.5)}
    method = str(random.choice(["impulse", "time_integrated", "penalty", "bounce"], p=[0.6, 0.2, 0.1, 0.1]))
    if integrator == "implicit_euler" and (method == "bounce" or given.explicit):
        integrator = "rk4"
    method = given.method or method
    return Scene(
        gravity=(0.0, 0.0, -9.81), time=Time(end=0.3, frame=0.01, integrator=integrator, **step), body={"a": body},
        fix=[Fix(body="a", points="left")] if random.random() < 0.2 else [], tool=random_tools(random, top),
        contact=Contact(method=method), output=Output(report=False),
    )  # fmt: skip


def judge(scene):
    """What came of it: a word, and the balance error."""
    result = simulate(scene, strict=False)
    error = balance_error(result.history)
    if result.failure:
        return "stopped", error
    if error > FAILED and result.status is StepStatus.DONE:
        return "BAD", error
    if error > 0.01:
        return ("told" if any(SAID in doubt for doubt in result.doubts) else "BAD"), error
    return "good", error


def with_implicit_steps(scene, random):
    """The same with steps from 0.3 to 30 ms, and contacts that are met by multipliers."""
    time = scene.time.model_copy(update={"integrator": "implicit_euler", "step": 10.0 ** random.uniform(-3.5, -1.5)})
    return scene.model_copy(update={"time": time, "contact": Contact(method="impulse")})


def possible_scene(random, given):
    """The first that is not refused and does not take too long."""
    while True:
        scene = random_scene(random, given)
        scene = with_implicit_steps(scene, random) if given.implicit else scene
        try:
            if scene.time.end / plan_steps(compile_scene(scene)).largest_step <= MOST_STEPS:
                return scene
        except SceneError:
            continue


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--method", help="of contact; by chance if left out")
    parser.add_argument("--explicit", action="store_true", help="no implicit schemes")
    parser.add_argument("--implicit", action="store_true", help="implicit steps and contacts without a stiffness, all of them")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args(arguments)
    counts, begin = {}, time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(given.count):
            scene = possible_scene(np.random.default_rng([given.seed, number]), given)
            verdict, error = judge(scene)
            counts[verdict] = counts.get(verdict, 0) + 1
            if given.verbose or verdict == "BAD":
                body = scene.body["a"]
                made_of = body.law.type if body.law else "material"
                print(
                    number, verdict, f"{error:.3g}", body.shape, made_of, scene.time.integrator, scene.time.step,
                    scene.contact.method, {n: (t.shape, t.friction, t.motion and t.motion.type) for n, t in scene.tool.items()}, flush=True,
                )  # fmt: skip
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    print(f"{given.count} models, seed {given.seed}: {told}; {time.monotonic() - begin:.0f} s")
    return 1 if counts.get("BAD") else 0


if __name__ == "__main__":
    sys.exit(main())
