"""Makes the picture of a falling body of links and of one of elements: python docs/make_polyhedra_picture.py"""

import re
from pathlib import Path

import numpy as np

from yawara.report.camera import bounds_of
from yawara.report.colour import PALETTE
from yawara.report.picture import picture
from yawara.report.shape import Shape
from yawara.studies.polyhedra import TILTS, falling, run, tilted

TARGET = Path(__file__).parent / "images" / "polyhedra.svg"
MOMENTS = 0.45, 0.5, 0.8, 3.0  # [s]; the first touch is at 0.45 s
WIDTH, HEIGHT = 180, 200  # [px], of each
VIEW = -60.0, 14.0  # [degrees]


class Seen:
    def __init__(self):
        self.positions = []

    def observe(self, frame):
        self.positions.append(frame.state.position[:64].copy())


def moments(*, cells):
    compiled, seen = falling(1e3, cells=cells), Seen()
    time = run(compiled, tilted(compiled, TILTS[0]), observers=[seen]).history["time"]
    rest, triangles = compiled.model.rest_position[:64], compiled.model.bodies[0].triangles.astype(int)
    colour = PALETTE[0] if cells else PALETTE[1]
    shown = [seen.positions[int(np.argmin(np.abs(time - at)))] for at in MOMENTS]
    return [Shape(one - [1.0, 1.0, 0.0] * one.mean(axis=0), triangles, colour, rest=rest) for one in shown]


rows = [moments(cells=False), moments(cells=True)]
bounds = bounds_of(*(shape.points for row in rows for shape in row))
bounds[0, 2] = 0.0
drawn = []
for j, (name, row) in enumerate(zip(("links", "elements"), rows, strict=True)):
    for i, (shape, at) in enumerate(zip(row, MOMENTS, strict=True)):
        one = picture([shape], width=WIDTH, height=HEIGHT, view=VIEW, bounds=bounds, caption=f"{name}, {at:g} s")
        svg = re.search(r"<svg.*?</svg>", str(one), re.DOTALL).group(0)
        drawn.append(f'<g transform="translate({i * WIDTH},{j * HEIGHT})">{svg}</g>')
size = f'width="{WIDTH * len(MOMENTS)}" height="{HEIGHT * len(rows)}"'
page = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect {size} fill="#fff"/>{"".join(drawn)}</svg>'
TARGET.write_text(page, encoding="utf-8")
print(TARGET, len(page))
