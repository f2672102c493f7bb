"""Places in a tool's row of numbers.

A tool's own coordinates begin at its point; its rotation turns them into the world's as long as its angle is 0.
"""

SIZE = 0  # [m], 4 numbers by kind
ROTATION = 4  # 9 numbers, row by row
AXIS = 13  # unit vector in its own coordinates about which it turns
SLIDE = 16  # [m/s], velocity of its surface in its own coordinates, as of a belt
FRICTION = 19
THIN = 20  # [m], half of its least thickness: what goes deeper may come out on the other side
BOUND = 21  # [m], radius of a ball about its point that holds it all
INVERSE_INERTIA = 22  # [1/(kg m^2)], of a tool that turns freely; else 0
GRID_FIRST, GRID_COUNT, GRID_ORIGIN, GRID_SPACING = 23, 24, 27, 30  # samples: where they begin, 3 counts, 3 coordinates [m], [m]
FORM = 31
