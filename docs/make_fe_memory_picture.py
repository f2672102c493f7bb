"""Draws the presses of the study `fe_memory`: python docs/make_fe_memory_picture.py

Two bodies just pressed, after 10 s under the bar, and long after it was lifted, coloured by stress, to docs/images/fe-memory.svg.
"""

import numpy as np
from make_pictures import GREY, ROOT, UPRIGHT, WIDTH

from yawara.methods.fields import fields_of
from yawara.report.camera import bounds_of
from yawara.report.key import Bar
from yawara.report.numbers import rounded_up
from yawara.report.picture import picture
from yawara.report.shape import Shape
from yawara.simulate import simulate
from yawara.studies import fe_memory

MOMENTS, TALL = (1.0, 11.0, 30.0), 190  # [s], [px]
BEFORE = 0.02  # [m], of the bar in front of the body
BOX = np.array([[-1, 0], [1, 0], [1, 1], [-1, 1]]) * np.array([0.2 * fe_memory.WIDTH, 0.08])  # [m], about the middle of its foot


class Seen:
    """Places and von Mises stresses at the moments."""

    def __init__(self):
        self.found = []

    def observe(self, frame):
        if any(abs(frame.time - moment) < 1e-9 for moment in MOMENTS):
            body, tool = frame.model.bodies[0], frame.state.position[-1]
            stress = fields_of(frame.model).of("stress", frame.state).values[body.points]
            self.found.append((frame.state.position[body.points].copy(), stress, tool[1], frame.model))


def bar_at(height):
    """The rigid bar, whose middle is at that height [m]; only its lower part is drawn."""
    x, y = 0.5 * fe_memory.WIDTH + BOX[:, 0], height - 0.05 + BOX[:, 1]
    return Shape(np.stack([x, np.full(4, -BEFORE), y], axis=1), [[0, 1, 2], [0, 2, 3]], GREY)


def row_of(name):
    """Pictures of one body, with one scale."""
    seen = Seen()
    simulate(fe_memory.press(name), observers=[seen])
    high = rounded_up(max(float(stress.max()) for _, stress, _, _ in seen.found))
    shapes = []
    for position, stress, height, model in seen.found:
        body = model.bodies[0]
        own = Shape(position @ UPRIGHT.T, body.triangles.astype(int), values=stress / high, rest=model.rest_position[body.points])
        shapes.append([own, bar_at(min(height, fe_memory.HEIGHT + 0.15))])
    return shapes, Bar("von Mises stress [Pa]", 0.0, high)


def main() -> None:
    rows = {name: row_of(name) for name in fe_memory.BODIES}
    bounds = bounds_of(*(np.asarray(one.position) for shapes, _ in rows.values() for pair in shapes for one in pair))
    drawings = [
        picture(pair, width=WIDTH / 3, height=TALL, view=(-90.0, 4.0), bounds=bounds, bar=bar, key=False, caption=f"{name}, {moment:g} s")
        for name, (shapes, bar) in rows.items()
        for pair, moment in zip(shapes, MOMENTS, strict=True)
    ]  # fmt: skip
    placed = [
        f"<svg x='{WIDTH / 3 * (k % 3)}' y='{TALL * (k // 3)}' width='{WIDTH / 3}' height='{TALL}'>{one}</svg>"
        for k, one in enumerate(drawings)
    ]
    whole = f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{len(rows) * TALL}'>{''.join(placed)}</svg>"
    (ROOT / "docs" / "images" / "fe-memory.svg").write_text(whole + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
