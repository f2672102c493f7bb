"""A touch in one process and in held time: page, solver and device take their turns one after the other, tick by tick.

Nothing in here waits for anything. `Bench` stands where the machine does: it starts solvers and device loops, which do nothing
until `run` lets time pass.
"""

from collections import deque

from held_clock import HeldClock
from yawara.clock import Clock
from yawara.haptics.board import Board
from yawara.haptics.device import DeviceError, device_of
from yawara.haptics.loop import HapticLoop, Settings
from yawara.haptics.process import Ended, Ready
from yawara.haptics.simulated import SimulatedDevice
from yawara.live.line import Failed
from yawara.live.session import Session
from yawara.live.solver import Solver, why
from yawara.touch import DeviceSession

TICK = 1e-3  # [s]


class Line:
    """One end of a line, as `Words`."""

    def __init__(self, incoming, outgoing):
        self._incoming, self._outgoing = incoming, outgoing

    def send(self, word):
        self._outgoing.append(word)

    def recv(self):
        return self._incoming.popleft()

    def poll(self):
        return bool(self._incoming)


class Here:
    """What stands where a `Child` does, in this process."""

    pid = exitcode = None

    def __init__(self):
        ours, theirs = deque(), deque()
        self.line, self._words = Line(theirs, ours), Line(ours, theirs)
        self.alive, self.stuck, self.patience = True, False, []

    def say(self, word):
        self._words.send(word)

    def hear(self, patience=0.0):
        self.patience.append(patience)
        return self._words.recv() if self._words.poll() else None

    def end(self, patience):
        self.turn()  # has heard it
        self.kill()

    def kill(self):
        if self.alive:
            self.alive = False
            self.close()


class SolverHere(Here):
    def __init__(self, task, clock):
        super().__init__()
        self.task, self.solver = task, None
        try:
            self.solver = Solver(task, self.line, clock)
        except Exception as error:
            self.line.send(Failed(why(error)))

    def turn(self):
        """A tick, unless it is gone."""
        if self.alive and not self.stuck and self.solver and not self.solver.turn():
            self.kill()

    def close(self):
        if self.solver:
            self.solver.close()


class LoopHere(Here):
    """The loop of a device; the simulated one lives by the clock of the test."""

    def __init__(self, board_name, device_text, settings, clock):
        super().__init__()
        self.board, self.settings, self.forces, self._clock = Board.join(board_name), settings, [], clock
        made = device_of(device_text)
        self.device = SimulatedDevice(made.hand, clock=clock) if isinstance(made, SimulatedDevice) else made
        try:
            self.device.open()
            self.loop = HapticLoop(self.device, self.board, settings or Settings(), clock)
            self.line.send(Ready())
        except DeviceError as error:
            self.alive = False
            self.line.send(Ended(str(error)))

    def turn(self):
        if self.alive and not self.stuck:
            self.forces.append((self._clock.time, self.loop.tick(self._clock.time, TICK).copy()))

    def close(self):
        self.loop.release()
        self.forces.append((self._clock.time, self.device.force.copy()))
        self.board.close()


class Bench:
    """Where everything of a touch is, and the only one that lets time pass."""

    def __init__(self, folder):
        self.clock, self.folder, self.solvers, self.loops = HeldClock(), folder, [], []

    def session(self, scene, **options):
        return Session(scene, self.folder, clock=Passing(self), start=self.start, **options)

    def device_session(self, scene, device, **options):
        return DeviceSession(
            scene, self.folder, device, clock=Passing(self), start=self.start, start_loop=self.start_loop, **options
        )

    def start(self, task):
        self.solvers.append(SolverHere(task, self.clock))
        return self.solvers[-1]

    def start_loop(self, board_name, device_text, settings):
        self.loops.append(LoopHere(board_name, device_text, settings, self.clock))
        return self.loops[-1]

    @property
    def solver(self):
        """The newest one's process."""
        return self.solvers[-1]

    def turn(self):
        """About a millisecond."""
        before = self.clock.time
        for loop in self.loops:
            loop.turn()
        if self.solvers:
            self.solver.turn()
        if self.clock.time - before < 0.5 * TICK:  # a solver that is gone keeps no time
            self.clock.time = before + TICK

    def run(self, duration):
        """Let so many seconds pass."""
        end = self.clock.time + duration - 0.5 * TICK
        while self.clock.time < end:
            self.turn()

    def until(self, condition, what, patience=60.0):
        """What the condition gives once it holds, in held time."""
        end = self.clock.time + patience
        while not (result := condition()):
            assert self.clock.time < end, f"not within {patience:g} s of held time: {what}"
            self.run(10 * TICK)
        return result


class Passing(Clock):
    """The clock of those who wait for others: while they sleep, the others take their turns."""

    def __init__(self, bench):
        self._bench = bench

    def now(self):
        return self._bench.clock.time

    def sleep(self, duration):
        self._bench.run(duration)
