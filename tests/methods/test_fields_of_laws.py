"""Probes and colours of stress, strain and residual strain in bodies that are stretched evenly: for every law that is registered, against
a link of that law by itself and its closed forms; for materials, against closed forms of the continuum."""

import gc
import weakref

import numpy as np
import pytest

from lone_link import LoneLink
from yawara import Chain, Drive, Lattice, Material, Scene, Time, Truss, compile_scene, simulate
from yawara.laws import LAWS, GeneralizedMaxwell, GeneralizedVoigt, Law
from yawara.live.messages import COLOURINGS
from yawara.live.skins import Colouring
from yawara.materials.residual import residual_share
from yawara.methods.evaluation import evaluator_of
from yawara.methods.fields import fields_of
from yawara.methods.strain_fit import NEIGHBOURS
from yawara.observe.measure import outer_points

RAMP, TIMES = 1.0, (0.5, 1.0, 1.5, 2.0)  # [s]: stretched until then, and held; when it is looked at
SHAPES = {"chain": (Chain, (4,)), "lattice": (Lattice, (3, 3, 3)), "truss": (Truss, (3, 3, 3))}
KNOWN = {name: law for name, law in LAWS.items() if law.__module__.startswith("yawara.")}  # other tests may bring some of theirs
TABLE = {"type": "table", "strain": [-0.5, 0.0, 0.1, 0.5], "tension": [-0.5, 0.0, 0.1, 2.0]}
CASES = {name: law(**law.example) for name, law in KNOWN.items()} | {
    "spring first": GeneralizedVoigt(k=(1.0, 2.0, 0.0), c=(1.0, 0.0, 3.0)),
    "spring and damper beside arms": GeneralizedMaxwell(k=(1.0, 2.0), c=(1.0, 0.5), k_inf=0.5, c_inf=0.2),
    "polynomial beside an arm": KNOWN["nonlinear_parallel"](
        spring={"type": "polynomial", "k": 1.0, "a": [0.5, 2.0]}, arms_k=[1.0], arms_c=[1.0]
    ),
    "table beside an arm": KNOWN["nonlinear_parallel"](spring=TABLE, c=0.1, arms_k=[1.0], arms_c=[1.0]),
    "table in series": KNOWN["nonlinear_series"](spring=TABLE, c=0.1, parts_k=[0.0, 1.0], parts_c=[1.0, 1.0]),
}
CLOSED = [name for name, law in CASES.items() if type(law).relaxation is not Law.relaxation]
NAMES = ("stress", "strain", "residual_strain")
SIX = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "yz": (1, 2), "zx": (2, 0), "xy": (0, 1)}
each_law = pytest.mark.parametrize("name", CASES)
each_shape = pytest.mark.parametrize("shape", SHAPES)


def stretched(shape, spacing, strain, **body):
    """A run in which every point is moved along the axis of the stretch, in proportion to its place, and held across it."""
    kind, counts = SHAPES[shape]
    own = kind(counts=counts, spacing=spacing, **body)
    place, axis = own.geometry().position, 0 if shape == "chain" else 2
    drives = []
    for layer in np.unique(place[:, axis].round(12)):
        way = np.zeros(3)
        way[axis] = strain * layer
        points = np.flatnonzero(np.abs(place[:, axis] - layer) < 1e-9).tolist()
        drives.append(Drive(body="b", points=points, times=[0.0, RAMP], displacement=[(0, 0, 0), tuple(way)]))
    untold = [component for component in SIX if shape == "chain" and component != "xx"]
    probes = {
        f"{name}_{component}": {"type": name, "body": "b", "points": "all", "component": component}
        for name in NAMES
        for component in SIX
        if name == "stress" or component not in untold
    }
    probes |= {f"{name}_size": {"type": name, "body": "b", "points": "all"} for name in NAMES}
    time = Time(end=TIMES[-1], frame=TIMES[0], step=2e-3, integrator="rk4")
    return simulate(Scene(time=time, body={"b": own}, drive=drives, probe=probes, output={"energies": False}))


def probed(history, name, row):
    """(3, 3), from the probes of all components; zero where there is none."""
    found = np.zeros((3, 3))
    for component, (i, j) in SIX.items():
        if f"{name}_{component}" in history.names:
            found[i, j] = found[j, i] = history[f"{name}_{component}"][row]
    return found


class Links:
    """The links of a body, each as if it were alone; equal ones are done once."""

    def __init__(self, result, law, weight, strain):
        model = result.compiled.model
        self.points, self.volume = model.bodies[0].links.astype(int), model.volume
        self.way = model.rest_position[self.points[:, 1]] - model.rest_position[self.points[:, 0]]
        self.rest = np.linalg.norm(self.way, axis=1)
        self.axis, self.strain = 0 if model.bodies[0].dimension == 1 else 2, strain
        self.law, self.weight = law, np.broadcast_to(weight, len(self.rest))
        self.courses = {}

    def ways(self, time):
        """(link_count, 3) [m], at this time."""
        now = self.way.copy()
        now[:, self.axis] *= 1.0 + self.strain * min(time / RAMP, 1.0)
        return now

    def found(self, row):
        """Tension [N], and extension without load [m], of each link."""
        return np.array([self._of(n)[row] for n in range(len(self.rest))]).T

    def _of(self, n):
        key = tuple(np.round([self.rest[n], abs(self.way[n, self.axis]), self.weight[n]], 12))
        if key not in self.courses:
            rest, along, weight = key
            across2, lone = max(rest**2 - along**2, 0.0), LoneLink(self.law, rest, weight)

            def motion(t, early):
                stretch = 1.0 + self.strain * min(t / RAMP, 1.0)
                length = np.sqrt(across2 + (along * stretch) ** 2)
                return length - rest, along**2 * stretch * self.strain / RAMP / length if early else 0.0

            self.courses[key] = [(f, lone.free_extension(q)) for f, q in lone.course(motion, RAMP, TIMES)]
        return self.courses[key]

    def stress(self, row):
        """Mean over the volume: sum f l n n / V."""
        way = self.ways(TIMES[row])
        return np.einsum("n,ni,nj->ij", self.found(row)[0] / np.linalg.norm(way, axis=1), way, way) / self.volume.sum()

    def fitted(self, strain):
        """(point_count, 3, 3), from strains of the links: least squares over those of each point and, less, of its neighbours."""
        tensors = []
        n = self.way / self.rest[:, None]
        row = np.stack([(1 if i == j else 2) * n[:, i] * n[:, j] for i, j in SIX.values()], axis=1)
        for point in range(len(self.volume)):
            mine = (self.points == point).any(axis=1)
            near = self.points[mine].ravel()
            weight = mine.astype(float)
            for other in near[near != point]:
                weight += NEIGHBOURS * (self.points == other).any(axis=1)
            root = np.sqrt(weight)
            six = np.linalg.lstsq(root[:, None] * row, root * strain, rcond=1e-6)[0]
            tensor = np.zeros((3, 3))
            for value, (i, j) in zip(six, SIX.values(), strict=True):
                tensor[i, j] = tensor[j, i] = value
            tensors.append(tensor)
        return np.array(tensors)

    def mean(self, tensors):
        return np.average(tensors, axis=0, weights=self.volume)


# RK4 of 500 steps per second is exact to 1e-9 but where a damper sticks, stops or changes its law in the middle of a step: there a step
# of the rate's change is lost, 2e-3 s of about 1 s
CLOSE = 2e-3


@each_shape
@each_law
def test_a_body_of_a_law_bears_and_keeps_what_its_links_do_alone(name, shape):
    """Of the size of metres and newtons, so that the examples' dampers soften, slip and stop."""
    law = CASES[name]
    result = stretched(shape, 10.0, 0.3, law=law, mass=1.0)
    links = Links(result, law, 1.0, 0.3)
    for row in range(len(TIMES)):
        expected = links.stress(row)
        np.testing.assert_allclose(probed(result.history, "stress", row + 1), expected, atol=CLOSE * np.abs(expected).max())
        lengths = np.linalg.norm(links.ways(TIMES[row]), axis=1)
        expected = links.fitted(lengths / links.rest - 1.0)
        np.testing.assert_allclose(probed(result.history, "strain", row + 1), links.mean(expected), atol=1e-9)
        expected = links.fitted(links.found(row)[1] / links.rest)
        np.testing.assert_allclose(probed(result.history, "residual_strain", row + 1), links.mean(expected), atol=0.3 * CLOSE)
    sizes = np.abs(np.linalg.eigvalsh(expected)).max(axis=1)
    shown = Colouring(result.compiled.model).values("residual strain", result.state)[0]
    points = outer_points(result.compiled.model.bodies[0])
    beads = len(shown) // len(points)
    np.testing.assert_allclose(shown, np.repeat(sizes[points], beads), atol=0.3 * CLOSE)
    flows = law.parts > 0 and np.abs(law.link_columns(np.ones(1), np.ones(1)).get("phi", np.ones(1))).max() > 0.0
    assert (sizes.max() > 0.05) == flows, "the test shows nothing if nothing stays"


@pytest.mark.parametrize("name", CLOSED)
def test_a_chain_of_a_law_relaxes_as_its_closed_form_says(name):
    law = CASES[name]
    spacing = 1.0 if name == "limited_three_element" else 10.0  # closed forms of its own are those of 1 m
    expected = law.relaxation(np.array(TIMES), 0.3 * spacing, RAMP)
    result = stretched("chain", spacing, 0.3, law=law, mass=1.0)
    body, history = result.compiled.model.bodies[0], result.history
    # Kirchhoff's stress: f l over the volume at rest
    area = body.share.sum() / body.rest_size
    stress = expected * (1.0 + 0.3 * np.minimum(np.array(TIMES) / RAMP, 1.0)) / area
    np.testing.assert_allclose(history["stress_xx"][1:], stress, rtol=CLOSE)
    np.testing.assert_allclose(history["stress_size"][1:], np.abs(stress), rtol=CLOSE)  # von Mises' of a bar
    shown = Colouring(result.compiled.model).values("stress", result.state)[0]
    np.testing.assert_allclose(shown, abs(stress[-1]), rtol=CLOSE)


MATERIALS = {
    "does not flow": Material(density=1000.0, youngs_modulus=1e4, poisson=0.25, retardation_time=0.02),
    "flows": Material(density=1000.0, youngs_modulus=1e4, poisson=0.25, retardation_time=0.02, relaxation_time=0.8),
    "flows and keeps its volume": Material(
        density=1000.0, youngs_modulus=1e4, poisson=0.4, retardation_time=0.02, relaxation_time=0.8
    ),
}


@each_shape
@pytest.mark.parametrize("material", MATERIALS)
def test_a_body_of_a_material_has_the_stress_of_a_continuum(material, shape):
    """sigma = (lambda tr eps + 2 mu eps) G(t)/mu, with the relaxation G of the material's law; residual strain by its closed share."""
    strain, material = 1e-5, MATERIALS[material]
    result = stretched(shape, 0.01, strain, material=material, elements="links")
    history, law = result.history, material.law()
    relaxed = law.relaxation(np.array(TIMES), strain, RAMP) / material.shear  # of the strain
    axis, across = ("xx", "yy") if shape == "chain" else ("zz", "xx")
    lame = 0.0 if shape == "chain" else material.lame
    modulus = material.youngs if shape == "chain" else lame + 2.0 * material.shear
    np.testing.assert_allclose(history[f"stress_{axis}"][1:], modulus * relaxed, rtol=1e-4)
    np.testing.assert_allclose(history[f"stress_{across}"][1:], lame * relaxed, rtol=1e-4, atol=1e-12)
    von_mises = (modulus - lame) * relaxed  # of a uniaxial strain, and of a bar
    np.testing.assert_allclose(history["stress_size"][1:], von_mises, rtol=1e-4)
    share = 0.0 if np.isinf(material.relaxation) else residual_share(material.retardation, material.relaxation, RAMP, 1.0)
    np.testing.assert_allclose(history[f"residual_strain_{axis}"][-1], share * strain, rtol=1e-4, atol=1e-15)
    np.testing.assert_allclose(history[f"strain_{axis}"][1:], strain * np.minimum(np.array(TIMES) / RAMP, 1.0), rtol=1e-4)
    colouring = Colouring(result.compiled.model)
    expected = {
        "stress": von_mises[-1],
        "pressure": -(modulus + 2.0 * lame) * relaxed[-1] / 3.0,
        "strain": strain,
        "residual strain": share * strain,
    }
    assert {*expected, "nothing"} == {*COLOURINGS}, "a new colouring needs a closed form here"
    for name, value in expected.items():
        np.testing.assert_allclose(colouring.values(name, result.state)[0], value, rtol=1e-4, atol=1e-15, err_msg=name)


def test_fields_are_made_once_for_a_model_and_go_with_it():
    body = Chain(counts=(3,), spacing=0.1, law=LAWS["voigt"](k=1.0, c=1.0), mass=1.0)
    model = compile_scene(Scene(time=Time(end=1.0), body={"b": body})).model
    assert fields_of(model) is fields_of(model)
    assert evaluator_of(model) is evaluator_of(model)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
