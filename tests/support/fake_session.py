"""A session without a solver, for the page's tests: a block that gives way under hand and finger and keeps a part of it."""

from threading import RLock

import numpy as np
import trimesh

from yawara.clock import REAL
from yawara.live.messages import (
    Change,
    Choose,
    ExportFile,
    Grab,
    LetGo,
    Move,
    Pace,
    Pull,
    Reset,
    Setting,
    Shapes,
    Skin,
    Undo,
    ValueRange,
    View,
)

POINTS = (13, 13, 8)
SIZE = np.array([0.10, 0.10, 0.05])  # [m]
KEPT = 0.4  # share of a deformation that stays
BACK = 0.15  # [s], of the rest
WIDTH = 0.018  # [m], of the hand's grip
FINGER = 0.012  # [m], radius
REST = np.array([0.0, -0.03, 0.085])  # [m], where the finger waits


def block(points=POINTS, size=SIZE):
    """The surface of a block on z = 0, with rounded edges, and its triangles facing outward."""
    nodes, quads = {}, []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for end in (0, points[axis] - 1):
            for i in range(points[u] - 1):
                for j in range(points[v] - 1):
                    corners = []
                    for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                        key = [0, 0, 0]
                        key[axis], key[u], key[v] = end, a, b
                        corners.append(nodes.setdefault(tuple(key), len(nodes)))
                    quads.append(corners if end else corners[::-1])
    cube = 2 * np.array(list(nodes), dtype=float) / (np.array(points) - 1) - 1
    inner = np.clip(cube, -0.72, 0.72)
    length = np.linalg.norm(cube - inner, axis=1, keepdims=True)
    reach = np.abs(cube - inner).max(axis=1, keepdims=True)
    rounded = inner + (cube - inner) * np.where(length > 0, reach / np.where(length > 0, length, 1), 0)
    quads = np.array(quads)
    vertices = (rounded + np.array([0, 0, 1])) * size / 2
    return vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def skin(name, mesh):
    return Skin(name, np.array(mesh.vertices), np.array(mesh.faces))


class FakeSession:
    """In this process, moved on whenever somebody looks."""

    def __init__(self, clock=REAL):
        self._clock = clock
        vertices, triangles = block()
        ball = trimesh.creation.icosphere(subdivisions=3, radius=FINGER)
        floor = trimesh.creation.box((0.6, 0.6, 0.02))
        self.shapes = Shapes(
            bodies=(Skin("dough", vertices, triangles),),
            tools=(skin("finger", ball), skin("floor", floor)),
            drawer=("finger",),
        )  # fmt: skip
        self.settings = {
            "stiffness": Setting("Stiffness", "Pa", 1e3, 1e5, 1.2e4, True, "Resistance against a quick deformation"),
            "viscosity": Setting("Viscosity", "Pa·s", 1e1, 1e5, 2e3, True, "How slowly it flows"),
            "kept": Setting("Share kept", "", 0.0, 1.0, KEPT, False, "How much of a deformation stays"),
        }
        self.presets, self.preset = ("dough", "clay", "gel"), "gel"
        self.export_kinds = ("glb", "ply", "csv", "recording")
        self.device_holds_tool = self.is_recording = False
        self.value_range, self.trouble, self.generation = ValueRange(0.0, 0.3, "1"), "", 0
        self.orders, self.calls = [], []
        self._lock, self._begin = RLock(), self._clock.now()
        self._elastic = np.zeros_like(vertices)
        self.residue = np.zeros_like(vertices)
        self._before = []
        self._grip = self._target = self._tool = None
        self._finger = REST.copy()
        self._goal = REST.copy()
        self._what, self._speed, self._now = "nothing", 1.0, self._clock.now()

    @property
    def vertices(self):
        with self._lock:
            return self.shapes.bodies[0].vertices + self._elastic + self.residue

    def latest(self):
        with self._lock:
            now = self._clock.now()
            self._advance(now - self._now)
            self._now = now
            vertices = self.vertices
            strain = np.linalg.norm(self.residue, axis=1) / SIZE[2]
            force = 0.0 if self._grip is None and self._tool is None else 400 * np.linalg.norm(self._elastic, axis=1).max()
            pace = Pace(0.998, self._speed, 1000.0, 2.0, 0.41e-3, 0.62e-3, 0.0)
            return View(
                tick=int((now - self._begin) * 1000), time=now - self._begin, wall=now, vertices=(vertices,),
                values=None if self._what == "nothing" else (strain,), tool_positions=np.array([self._finger, [0.0, 0, -0.01]]),
                tool_rotations=np.array([np.eye(3)] * 2), tool=self._tool, hand=self._goal.copy(), force=np.array([0, 0, force]),
                height=float(vertices[:, 2].max()), pace=pace,
            )  # fmt: skip

    def send(self, order):
        with self._lock:
            self.orders.append(order)
            match order:
                case Grab(place=place):
                    self._before.append(self.residue.copy())
                    distance = np.linalg.norm(self.vertices - place, axis=1)
                    self._grip = (np.array(place), np.exp(-((distance / WIDTH) ** 2)))
                case Pull(target=target):
                    self._target = np.array(target)
                case LetGo():
                    self._grip = self._target = None
                    self._keep()
                case Choose(tool=tool):
                    self._tool = tool
                    if tool is None:
                        self._goal = REST.copy()
                    else:
                        self._before.append(self.residue.copy())
                case Move(target=target):
                    self._goal = np.array(target)
                case Change(settings=settings):
                    self.calls.append(("change", dict(settings)))
                case Reset():
                    self._elastic[:], self.residue[:] = 0, 0
                case Undo() if self._before:
                    self.residue, self._elastic = self._before.pop(), np.zeros_like(self._elastic)

    def _keep(self):
        self.residue += KEPT * self._elastic
        self._elastic *= 1 - KEPT

    def _advance(self, passed):
        self._finger += (self._goal - self._finger) * min(1.0, passed / 0.05)
        self._elastic *= np.exp(-passed / BACK)
        if self._grip is not None and self._target is not None:
            place, weight = self._grip
            self._elastic = np.clip(weight[:, None] * (self._target - place), -0.05, 0.05)
        self._press()
        below = self.vertices[:, 2].clip(max=0.0)
        self.residue[:, 2] -= below

    def _press(self):
        away = self.vertices - self._finger
        distance = np.linalg.norm(away, axis=1)
        wide = 1.25 * FINGER  # vertices are far apart: the surface between them would cut through the ball
        inside = distance < wide
        push = away[inside] * (wide / np.maximum(distance[inside], 1e-6) - 1)[:, None]
        push[:, 2] = np.minimum(push[:, 2], 0) - np.linalg.norm(push, axis=1) * 0.3
        self.residue[inside] += 0.7 * push
        self._elastic[inside] += 0.3 * push

    def choose_preset(self, name):
        self.calls.append(("preset", name))
        self.preset = name
        self.generation += 1

    def set_speed(self, factor):
        self.calls.append(("speed", factor))
        self._speed = factor

    def colour_by(self, what):
        self.calls.append(("colour", what))
        self._what = what

    def record(self, on):
        self.calls.append(("record", on))
        self.is_recording = on
        return "recording" if on else "recording-1.json, 12 orders"

    def replay(self):
        self.calls.append(("replay",))
        return "replaying 12 orders"

    def export(self, kind):
        self.calls.append(("export", kind))
        mesh = trimesh.Trimesh(self.vertices, self.shapes.bodies[0].triangles, process=False)
        if kind in ("glb", "ply"):
            return ExportFile(f"dough.{kind}", mesh.export(file_type=kind))
        if kind == "csv":
            return ExportFile("curves.csv", b"time [s],force [N],height [m]\n0,0,0.05\n")
        raise ValueError("there is no recording yet; press Record first")

    def device_line(self):
        return ""
