"""What tools felt step by step, as observers read it."""

import numpy as np

import yawara as yw

BLOCK = yw.Truss(counts=(3, 3, 3), spacing=0.01, density=1000.0, origin=(0, 0, 0.0), law=yw.Voigt(k=800.0, c=1.0))
TIME = yw.Time(end=0.03, frame=0.01)


class Seen:
    def __init__(self):
        self.frames = []

    def observe(self, frame):
        self.frames.append((frame.tool_steps.copy(), frame.tool_loads.copy()))


def seen(**scene):
    observer = Seen()
    yw.simulate(yw.Scene(gravity=(0, 0, -9.81), time=TIME, body={"b": BLOCK}, **scene), observers=[observer])
    return observer.frames


def test_the_first_frame_has_no_steps_yet():
    first, *later = seen(tool={"floor": yw.tools.Floor(friction=0.3), "far": yw.tools.Sphere(radius=0.01, origin=(1, 0, 0))})
    assert first[0].shape == (0, 2, 6)
    assert all(len(steps) > 0 and steps.shape[1:] == (2, 6) for steps, _ in later)
    assert all(np.abs(steps[:, 0, 2]).max() > 0.0 for steps, _ in later[1:])
    assert not any(steps[:, 1].any() for steps, _ in later)


def test_without_tools_there_is_nothing_to_feel():
    assert all(steps.shape[1:] == (0, 6) for steps, _ in seen())
