"""A scene that hands act upon while time runs, tick by tick.

What it does follows from the scene, and from the orders and the ticks before which they came: nothing else, no clock and no chance. So a
recording of the orders gives the same bits again, from the beginning or from any tick whose `Start` was kept.
"""

from collections import deque
from copy import deepcopy
from typing import assert_never

import numpy as np

from yawara.core.state import State
from yawara.frame import Frame
from yawara.journey import Journey
from yawara.kernels.kinds import Floats
from yawara.live.drawer import hand_tools, touchable
from yawara.live.grasp import Grasp, hold_tool, take_hold
from yawara.live.guide import Guide
from yawara.live.material import with_settings
from yawara.live.messages import Change, Choose, Grab, LetGo, Move, Order, Pull, Reset, Squeeze, Undo
from yawara.live.start import Start
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.refill import refill
from yawara.scene.scene import Scene

TICK = 1e-3  # [s]
CALM = 200  # ticks without a touch after which a touch is a new one
UNDOS = 20
READY = 0.25  # of the bodies' size: how far above them a tool waits for the hand
APART = 0.35  # of the bodies' width: half of the way between two fingers
TRIES = 3  # faults in a row that are answered by stopping all motion, before the bodies are made new


class Live:
    """The bodies, the tools and the hand."""

    def __init__(self, scene: Scene, tick: float = TICK, start: Start | None = None) -> None:
        """From the scene's beginning, or from a `start` that another one of the same scene kept."""
        self.tick_time, self.ticks = tick, 0
        self.scene = touchable(scene, tick)
        self.drawer = hand_tools(self.scene)
        self._tool_numbers = {name: number for number, name in enumerate(self.scene.tool)}
        self.message = ""
        self.tool: str | None = None  # entry of the drawer in the hand
        self.grasp: Grasp | None = None
        self._held_at, self._squeeze = Guide(np.zeros(3)), 0.0
        self._guides = {name: Guide(np.array(self.scene.tool[name].origin)) for names in self.drawer.values() for name in names}
        self.journey = Journey(compile_scene(self.scene))
        self._holds = {
            name: hold_tool(self._point_of(name), self.compiled.control.hand(name).mass, tick) for name in self._guides
        }
        self._undo = deque[State](maxlen=UNDOS)
        self._calm, self._since_touch, self._faults = self.journey.state.copy(), CALM, 0
        bodies = self.compiled.model.bodies
        places = self.compiled.model.rest_position[: bodies[-1].point_end]
        self._size = float(np.ptp(places, axis=0).max())
        self._let_others_wait()
        if start:
            self._go_on_from(start)

    @property
    def compiled(self) -> Compiled:
        return self.journey.compiled

    @property
    def state(self) -> State:
        return self.journey.state

    def close(self) -> None:
        self.journey.close()

    def carry_out(self, order: Order) -> None:
        """Before the next tick. Orders that make no sense now are left undone, and `message` says why."""
        self.message = ""
        match order:
            case Grab():
                self._grab(order)
            case Pull():
                self._held_at.aim(np.array(order.target))
            case LetGo():
                self._let_go()
            case Choose():
                self._choose(order.tool)
            case Move():
                for name, offset in self._in_hand():
                    self._guides[name].aim(np.array(order.target) + offset, at_once=order.at_once)
            case Squeeze():
                self._squeeze_fingers(order.share)
            case Change():
                self._change(order)
            case Reset():
                self._restore(self.compiled.state)
                self._undo.clear()
            case Undo():
                if self._undo:
                    self._restore(self._undo.pop())
                else:
                    self.message = "nothing left to undo"
            case _:
                assert_never(order)

    def tick(self) -> Frame | None:
        """One tick; None if it went wrong and everything was stopped or made new, of which `message` tells."""
        end = (self.ticks + 1) * self.tick_time
        for name, _ in self._in_hand():
            hand = self.compiled.control.hand(name)
            force = self._pull(self._holds[name], self._guides[name])
            hand.push(force - hand.mass * np.array(self.scene.gravity))  # a hand carries its tool
        if self.grasp:
            self.compiled.control.grip.force = self._pull(self.grasp, self._held_at)
        frame = self.journey.next_frame(end)
        self.ticks += 1
        if frame is None:
            self._stop_everything(end)
            return None
        self._remember(frame)
        return frame

    def _pull(self, grasp: Grasp, guide: Guide) -> Floats:
        """[N], (3,): the hand's force on what it holds in the next tick."""
        guide.follow(self.tick_time)
        return grasp.pull(self.state, guide.position, guide.velocity)

    def first_frame(self) -> Frame:
        """Everything where it is, before the next tick."""
        frame = self.journey.first_frame((self.ticks + 1) * self.tick_time)
        self._begin_paths()  # to look ahead is to promise that hands wait, which they need not
        return frame

    def hand_force(self, frame: Frame) -> Floats:
        """[N], (3,): what the hand feels of the body that it holds, or that its tool touches."""
        if self.tool is None:
            return -self.grasp.force if self.grasp else np.zeros(3)
        if not self.touches(frame):
            return np.zeros(3)
        return -np.sum([self._holds[name].force for name, _ in self._in_hand()], axis=0)

    def touches(self, frame: Frame) -> bool:
        """Whether the tool in the hand has touched a body in the last tick."""
        return any(frame.tool_loads[self._tool_numbers[name], :3].any() for name, _ in self._in_hand())

    def hand_model(self) -> tuple[Floats, Floats, Floats]:
        """Place x0 [m], force f0 [N] and stiffness S [N/m], (3, 3): f0 + S (x0 - x) is what the hand will feel in the next tick at x."""
        place, force, stiffness, in_hand = np.zeros(3), np.zeros(3), 0.0, self._in_hand()
        for name, _ in in_hand:
            guide = self._guides[name]
            ahead = guide.position + self.tick_time * guide.velocity
            felt, slope = self._holds[name].ahead(self.state, ahead, guide.velocity, self.tick_time)
            place, force, stiffness = place + ahead / len(in_hand), force + felt, stiffness + slope
        return place, force, stiffness * np.eye(3)

    # ---- the hand

    def _in_hand(self) -> list[tuple[str, Floats]]:
        """The tools in the hand, and where each is beside the hand [m]."""
        if self.tool is None:
            return []
        names = self.drawer[self.tool]
        apart = APART * self._size * (1.0 - self._squeeze)
        sides = np.linspace(-1.0, 1.0, len(names)) if len(names) > 1 else [0.0]
        return [(name, np.array([side * apart, 0.0, 0.0])) for name, side in zip(names, sides, strict=True)]

    def _squeeze_fingers(self, share: float) -> None:
        middle = self.hand_place()
        self._squeeze = min(max(share, 0.0), 1.0)
        for name, offset in self._in_hand():
            self._guides[name].aim(middle + offset)

    def hand_place(self) -> Floats:
        """[m], (3,): where the hand wants to be."""
        if self.grasp:
            return self._held_at.target
        targets = [self._guides[name].target - offset for name, offset in self._in_hand()]
        return np.mean(targets, axis=0) if targets else np.zeros(3)

    def hand_now(self) -> Floats:
        """[m], (3,): where the tool or the grip is."""
        if self.tool is None:
            return self.grasp.centre(self.state) if self.grasp else np.zeros(3)
        return np.asarray(np.mean([self._holds[name].centre(self.state) for name, _ in self._in_hand()], axis=0))

    def _grab(self, order: Grab) -> None:
        bodies = {body.name: body for body in self.compiled.model.bodies}
        if order.body not in bodies:
            self.message = f"there is no body '{order.body}' to take hold of"
            return
        self._note_touch()
        gravity = float(np.linalg.norm(self.scene.gravity))
        self.grasp = take_hold(
            self.compiled.model, bodies[order.body], self.state, np.array(order.place), self.tick_time, gravity
        )
        self.compiled.control.grip.hold(self.grasp.points, self.grasp.weights)
        self._held_at.place(self.grasp.centre(self.state))

    def _let_go(self) -> None:
        self.grasp = None
        self.compiled.control.grip.let_go()

    def _choose(self, tool: str | None) -> None:
        if tool is not None and tool not in self.drawer:
            self.message = f"there is no tool '{tool}' in the drawer; there are {', '.join(self.drawer) or 'none'}"
            return
        self._let_go()
        for name, _ in self._in_hand():
            self._put(name, np.array(self.scene.tool[name].origin))
        self.tool, self._squeeze = tool, 0.0
        self._let_others_wait()
        ready = self._ready_place()
        for name, offset in self._in_hand():
            self._put(name, ready + offset + np.array([0.0, 0.0, self.scene.tool[name].bound]))

    def _let_others_wait(self) -> None:
        """Tools that are not in the hand touch nothing."""
        in_hand = {name for name, _ in self._in_hand()}
        for name in self._guides:
            self.compiled.control.hand(name).waits = name not in in_hand

    def _ready_place(self) -> Floats:
        """Above the bodies, wherever they are now."""
        places = self.state.position[: self.compiled.model.bodies[-1].point_end]
        middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
        return np.array([middle[0], middle[1], places[:, 2].max() + READY * self._size])

    def _put(self, name: str, place: Floats) -> None:
        """The tool is there, without having come there."""
        self._guides[name].place(place)
        self.compiled.control.hand(name).place(place - np.array(self.scene.tool[name].origin), self.state.time)
        number = self._point_of(name)
        self.state.position[number], self.state.velocity[number] = place, 0.0

    def _point_of(self, name: str) -> int:
        return self.compiled.model.point_count - len(self.scene.tool) + self._tool_numbers[name]

    # ---- going on

    def start(self) -> Start:
        """All that is remembered now. Nothing is disturbed; the paths of hands begin here, as they do where this is taken up."""
        self._begin_paths()
        kept = deepcopy((self.tool, self._squeeze, self._held_at, self._guides, self.grasp, self._since_touch, self._faults))
        undo = tuple(state.copy() for state in self._undo)
        return Start(self.ticks, self.state.copy(), *kept, self._calm.copy(), undo)

    def _go_on_from(self, start: Start) -> None:
        self.ticks = self.journey.index = start.tick
        self.state.assign(start.state)
        self.state.time = start.tick * self.tick_time
        kept = (start.tool, start.squeeze, start.held_at, start.guides, start.grasp, start.since_touch, start.faults)
        self.tool, self._squeeze, self._held_at, guides, self.grasp, self._since_touch, self._faults = deepcopy(kept)
        self._guides = dict(guides)
        self._calm.assign(start.calm)
        self._undo.extend(state.copy() for state in start.undo)
        self._begin_paths()
        self._let_others_wait()
        if self.grasp:
            self.compiled.control.grip.hold(self.grasp.points, self.grasp.weights)

    def _begin_paths(self) -> None:
        """Tools that a hand moves are where they are; how they came there is forgotten."""
        for name, guide in self._guides.items():
            self.compiled.control.hand(name).place(guide.position - np.array(self.scene.tool[name].origin), self.state.time)

    # ---- going back

    def take_up(self, state: State) -> None:
        """Begin with bodies as they are in a state of another run of this scene."""
        self._restore(state)

    def _remember(self, frame: Frame) -> None:
        """For undo: the last state before a touch began."""
        self._faults = 0 if self.ticks % CALM == 0 else self._faults
        touched = self.grasp is not None or self.touches(frame)
        if touched:
            if self._since_touch >= CALM:
                self._note_touch()
            self._since_touch = 0
        else:
            self._since_touch += 1
            if self._since_touch >= CALM and self._since_touch % CALM == 0:
                self._calm.assign(self.state)

    def _note_touch(self) -> None:
        if self._since_touch >= CALM:
            self._undo.append(self._calm.copy())
        self._since_touch = 0

    def _restore(self, past: State) -> None:
        """The bodies as they were; time goes on, and the tool waits above them."""
        now, tools = self.state.time, self.state.points[self.compiled.model.bodies[-1].point_end :].copy()
        steps = self.state.step_count
        self._let_go()
        self.state.assign(past)
        self.state.points[self.compiled.model.bodies[-1].point_end :] = tools
        self.state.time, self.state.step_count = now, steps
        self._choose(self.tool)
        self._calm.assign(self.state)
        self._since_touch = CALM

    def _stop_everything(self, end: float) -> None:
        """A tick that cannot be: everything stands still where it was; if that does not help, the bodies are made new."""
        failure = self.journey.failure
        self._faults += 1
        self.state.time = end
        if self._faults <= TRIES:
            self.state.velocity[:] = 0.0
            self._choose(self.tool)
            self.message = f"too much for the body: all motion was stopped ({failure.status.value if failure else 'fault'})"
        else:
            self._restore(self.compiled.state)
            self._faults = 0
            self.message = "too much for the body: it was made new"
        self._again(self.compiled)

    # ---- material

    def _change(self, order: Change) -> None:
        try:
            scene = with_settings(self.scene, order.body, order.settings)
            compiled = refill(self.compiled, scene)
            if compiled is None:
                compiled = compile_scene(scene)
        except ValueError as error:
            self.message = str(error)
            return
        self.scene = scene
        if compiled.model is self.compiled.model:
            self.journey.go_on_with(compiled)
        else:
            self._again(compiled)

    def _again(self, compiled: Compiled) -> None:
        """Go on from the same state, with the same things in the hand, in a new model."""
        old, state = self.journey, _carried_over(self.journey.state, compiled.state)
        self.journey = Journey(compiled, (old.index, state))
        old.close()
        self._begin_paths()
        self._let_others_wait()
        if self.grasp:
            compiled.control.grip.hold(self.grasp.points, self.grasp.weights)


def _carried_over(old: State, fresh: State) -> State:
    """The state of a new model: as it was, but for what is of another size there."""
    found = fresh.copy()
    found.time, found.step_count = old.time, old.step_count
    for name, block in old.blocks.items():
        if name in found.blocks and found.blocks[name].shape == block.shape:
            found.blocks[name][...] = block
    return found
