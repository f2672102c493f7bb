"""Presses, dents, slopes and rest beside closed forms: what tools feel is the body's own force, explicitly and implicitly."""

import numpy as np
import pytest
from scipy.optimize import brentq

from yawara import Fix, Lattice, Material, Scene, Time, Truss, simulate
from yawara.observe.energies import balance_error
from yawara.scene.tools import Floor, Plate, Sphere
from yawara.tools.contact import Contact

pytestmark = pytest.mark.filterwarnings("ignore:The implicit scheme itself")  # it takes the swinging of what is let go
SIDE, YOUNGS, G = 0.04, 2e4, 9.81  # [m], [Pa], [m/s^2]
SLOPE = np.radians(12.0)
STEPS = {"semi_implicit_euler": None, "implicit_euler": 5e-3, "quasi_static": 0.01}  # [s]

# Links of a cell deep inside: stiffness over shear modulus and spacing, how many, and a, b of the length (a lt^2 + b lz^2)^(1/2)
LATTICE = ((4 / 3, 2, 1, 0), (4 / 3, 1, 0, 1), (2 / 3, 2, 2, 0), (2 / 3, 4, 1, 1), (1 / 4, 4, 2, 1))
TRUSS = ((1, 2, 1, 0), (1, 1, 0, 1), (2, 1, 2, 0), (2, 2, 1, 1))


def cube(shape, count, **material):
    made_of = Material(**{"youngs_modulus": YOUNGS, "density": 1200.0, "retardation_time": 2e-3} | material)
    return shape(counts=[count] * 3, spacing=SIDE / (count - 1), material=made_of, elements="links")


def stresses(links, lt, lz, poisson):
    """[Pa], sideways and along the press, of links that are stretched by lt and lz, and of pressures in cells; over the area at rest.

    W = sum k/2 (l - l0)^2 / V + (lambda - mu)/2 (J - 1)^2,  P = dW/d(stretch), with the shear modulus mu and J = lt^2 lz.
    """
    mu = YOUNGS / (2.0 * (1.0 + poisson))
    lame = 2.0 * mu * poisson / (1.0 - 2.0 * poisson)
    pressure = (lame - mu) * (lt * lt * lz - 1.0)
    side, along = 2.0 * lt * lz * pressure, lt * lt * pressure
    for weight, number, a, b in links:
        f = mu * weight * number * (1.0 - np.sqrt((a + b) / (a * lt * lt + b * lz * lz)))
        side, along = side + f * a * lt, along + f * b * lz
    return side, along


def limit(links, pressed_by, poisson):
    """[N], of a cube between plates without friction: its sides are free."""
    lz = 1.0 - pressed_by
    lt = brentq(lambda stretch: stresses(links, stretch, lz, poisson)[0], 0.9, 1.5)
    return -(SIDE**2) * stresses(links, lt, lz, poisson)[1]


def pressed(shape, count, pressed_by, poisson, integrator):
    """[N], on a plate that came from rest to rest, and stays; and that on the floor."""
    way = {"type": "path", "times": [0, 0.5], "displacement": [(0, 0, 0), (0, 0, -pressed_by * SIDE)], "interpolation": "smooth"}
    plate = Plate(size=(0.2, 0.2, 0.02), origin=(SIDE / 2, SIDE / 2, SIDE), motion=way)
    scene = Scene(
        time=Time(end=0.8, frame=0.05, integrator=integrator, step=STEPS[integrator]), body={"a": cube(shape, count, poisson=poisson)},
        tool={"floor": Floor(), "plate": plate}, contact=Contact(itself=False),
    )  # fmt: skip
    history = simulate(scene).history
    assert balance_error(history) < 1e-4
    return np.array([history["plate.force_z"][-1], -history["floor.force_z"][-1]])


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "quasi_static"])
@pytest.mark.parametrize("pressed_by", [0.05, 0.1, 0.2, 0.3])
def test_a_press_without_friction_has_the_links_own_force_exactly(pressed_by, integrator):
    """Every cell of a lattice by itself is in equilibrium when it is pressed evenly, so the limit holds on any mesh.

    Rest: of vibrations that the plate began e^(-0.3 s tau omega^2 / 2) is left, with omega > 300/s a billionth.
    """
    forces = pressed(Lattice, 4, pressed_by, 0.25, integrator)
    assert forces == pytest.approx(limit(LATTICE, pressed_by, 0.25), rel=1e-9)


@pytest.mark.parametrize(("shape", "links", "poisson"), [(Truss, TRUSS, 0.25), (Truss, TRUSS, 0.4), (Lattice, LATTICE, 0.4)])
def test_where_free_faces_are_soft_the_force_converges_to_the_limit(shape, links, poisson):
    """Faces are of first order in the spacing: half of it has half of the error, and what is extrapolated from both is the limit."""
    exact = limit(links, 0.1, poisson)
    coarse, fine = (pressed(shape, count, 0.1, poisson, "quasi_static")[0] / exact - 1.0 for count in (4, 7))
    assert abs(coarse) < 0.03
    assert fine / coarse == pytest.approx(0.5, abs=0.05)
    assert 2.0 * fine - coarse == pytest.approx(0.0, abs=1e-3)


def test_small_presses_are_those_of_the_material():
    """F = E A strain, whichever links: what was asked for."""
    for links in (LATTICE, TRUSS):
        for poisson in (0.25, 0.4):
            assert limit(links, 1e-5, poisson) == pytest.approx(YOUNGS * SIDE**2 * 1e-5, rel=1e-4)


@pytest.mark.parametrize("shape", [Lattice, Truss])
def test_a_ball_in_a_block_beside_hertz(shape):
    """F = 4/3 E/(1 - nu^2) (R d^3)^(1/2) (Hertz 1882), less what links soften: 1, 4.5 and 7 % at most, which is what a ball of
    four times the radius that is pressed in by a quarter has more; and 5 % either way, as that ball has, for the nodes under it."""
    radius, poisson, count, depths = 0.02, 0.25, 13, np.array([1e-3, 2e-3, 3e-3])
    times = np.array([0.0, 0.1, 0.15, 0.25, 0.3, 0.4, 0.45])
    way = {"type": "path", "times": times, "displacement": [(0, 0, -1e-3 * n) for n in (0, 1, 1, 2, 2, 3, 3)]}
    ball = Sphere(radius=radius, origin=(SIDE / 2, SIDE / 2, SIDE + radius), motion=way)
    scene = Scene(
        time=Time(end=0.45, frame=0.01), body={"a": cube(shape, count, retardation_time=5e-3)}, tool={"ball": ball},
        contact=Contact(itself=False), fix=[Fix(body="a", points="bottom")],
    )  # fmt: skip
    history = simulate(scene).history
    force = history["ball.force_z"][[15, 30, 45]]

    def hertz(depth):
        return 4 / 3 * YOUNGS / (1 - poisson**2) * np.sqrt(radius * depth**3)

    assert (force > (0.95 - np.array([0.01, 0.045, 0.07])) * hertz(depths)).all()
    assert (force < 1.05 * hertz(depths)).all()
    assert history["contact.penetration"].max() < 1e-6


def on_slope(integrator, friction, youngs, angle=SLOPE, end=1.0):
    """A soft cube on a floor that is tilted, after `end` seconds; and the force [N] of its weight along the floor's normal."""
    scene = Scene(
        gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)), time=Time(end=end, frame=0.05, integrator=integrator, step=STEPS[integrator]),
        body={"a": cube(Truss, 5, youngs_modulus=youngs, retardation_time=1e-2)}, tool={"floor": Floor(friction=friction)},
        contact=Contact(itself=False),
    )  # fmt: skip
    result = simulate(scene)
    assert result.history["contact.penetration"].max() < 1e-8  # [m]: what implicit steps may miss; explicit ones 1e-18
    return result, 1200.0 * SIDE**3 * G * np.cos(angle)


@pytest.mark.parametrize("youngs", [2e4, 8e3])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "implicit_euler"])
def test_a_soft_block_stays_on_a_slope(integrator, youngs):
    """It bears tan 12 deg = 0.21256 along the floor, and has no speed at all."""
    result, weight = on_slope(integrator, 0.3, youngs, end=2.0)
    along, down = (result.history[f"floor.force_{axis}"][-1] for axis in "xz")
    assert down == pytest.approx(-weight, rel=1e-5)
    assert abs(along / down) == pytest.approx(np.tan(SLOPE), rel=1e-5)
    assert np.abs(result.state.velocity).max() < 1e-6


@pytest.mark.parametrize("youngs", [2e4, 8e3])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "implicit_euler"])
def test_a_soft_block_slides_as_fast_as_a_rigid_one(integrator, youngs):
    """v = g (sin - mu cos) t; while it sinks into itself at the beginning, friction is less, for tens of milliseconds."""
    result, weight = on_slope(integrator, 0.1, youngs)
    model = result.compiled.model
    points = model.body("a").points
    speed = np.average(result.state.velocity[points, 0], weights=model.point.mass[points])
    along, down = (result.history[f"floor.force_{axis}"][-1] for axis in "xz")
    assert down == pytest.approx(-weight, rel=1e-5)
    assert abs(along / down) == pytest.approx(0.1, rel=1e-5)
    assert speed == pytest.approx(G * (np.sin(SLOPE) - 0.1 * np.cos(SLOPE)), rel=0.01)


@pytest.mark.parametrize("integrator", STEPS)
def test_a_block_at_rest_weighs_what_it_weighs(integrator):
    result, weight = on_slope(integrator, 0.3, YOUNGS, angle=0.0)
    assert result.history["floor.force_z"][-1] == pytest.approx(-weight, rel=1e-5)
    assert np.abs(result.state.velocity).max() < 1e-9
