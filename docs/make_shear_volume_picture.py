"""Draws the press of the study `shear_volume`: python docs/make_shear_volume_picture.py

Three bodies side by side, at rest, pressed and at the end, to docs/images/shear-volume.svg.
"""

import numpy as np
from make_pictures import COLOURS, ROOT, UPRIGHT, WIDTH

from yawara.report.camera import bounds_of
from yawara.report.picture import picture
from yawara.report.shape import Shape
from yawara.simulate import simulate
from yawara.studies.shear_volume import SETS, press

MOMENTS, HEIGHT = (0.0, 10.0, 30.0), 120  # [s], [px]
FORM = "deviatoric"


class Seen:
    """Shapes at the moments."""

    def __init__(self):
        self.found = []

    def observe(self, frame):
        if any(abs(frame.time - moment) < 1e-9 for moment in MOMENTS):
            body = frame.model.bodies[0]
            points = frame.state.position[body.points] @ UPRIGHT.T
            self.found.append(Shape(points, body.triangles.astype(int), COLOURS[0], rest=frame.model.rest_position[body.points]))


def main() -> None:
    rows = []
    for name in SETS:
        seen = Seen()
        simulate(press(FORM, name), observers=[seen])
        rows.append((name, seen.found))
    bounds = bounds_of(*(np.asarray(shape.position) for _, shapes in rows for shape in shapes))
    drawings = [
        picture([shapes[n]], width=WIDTH / 3, height=HEIGHT, view=(-90.0, 4.0), bounds=bounds, caption=f"{name}, {moment:g} s")
        for n, moment in enumerate(MOMENTS)
        for name, shapes in rows
    ]
    placed = [
        f"<svg x='{WIDTH / 3 * (k % 3)}' y='{HEIGHT * (k // 3)}' width='{WIDTH / 3}' height='{HEIGHT}'>{one}</svg>"
        for k, one in enumerate(drawings)
    ]
    whole = f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{len(MOMENTS) * HEIGHT}'>{''.join(placed)}</svg>"
    (ROOT / "docs" / "images" / "shear-volume.svg").write_text(whole + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
