"""Draws the press of the study `continuum_press`: python docs/make_continuum_press_picture.py

Bodies at the end, three materials side by side, one row for each family of elements, to docs/images/continuum-press.svg.
"""

import numpy as np
from make_pictures import COLOURS, ROOT, UPRIGHT, WIDTH

from yawara.report.camera import bounds_of
from yawara.report.picture import picture
from yawara.report.shape import Shape
from yawara.simulate import simulate
from yawara.studies.continuum_press import press_of
from yawara.studies.shear_volume import SETS, press

HEIGHT = 90  # [px]
ROWS = {  # families, as they are called in the picture
    "continuum, squares": "squares",
    "continuum, nodal triangles": "nodal",
    "small strain": "small strain",
    "links": "links",
    "shear and volume": "shear, volume",
}


def shape_of(family, name, colour):
    """At the end, with the outline that it had at the start."""
    result = simulate(press("deviatoric", name) if family == "shear and volume" else press_of(family, name))
    body = result.compiled.model.bodies[0]
    points = result.state.position[body.points] @ UPRIGHT.T
    return Shape(points, body.triangles.astype(int), colour, rest=result.compiled.model.rest_position[body.points])


def main() -> None:
    shapes = {(row, name): shape_of(row, name, COLOURS[n]) for row in ROWS for n, name in enumerate(SETS)}
    bounds = bounds_of(*(np.asarray(shape.position) for shape in shapes.values()))
    placed = []
    for k, ((row, name), shape) in enumerate(shapes.items()):
        one = picture([shape], width=WIDTH / 3, height=HEIGHT, view=(-90.0, 4.0), bounds=bounds, caption=f"{ROWS[row]}: {name}")
        x, y = WIDTH / 3 * (k % 3), HEIGHT * (k // 3)
        placed.append(f"<svg x='{x}' y='{y}' width='{WIDTH / 3}' height='{HEIGHT}'>{one}</svg>")
    whole = f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{len(ROWS) * HEIGHT}'>{''.join(placed)}</svg>"
    (ROOT / "docs" / "images" / "continuum-press.svg").write_text(whole + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
