"""What the kernels see."""

from typing import NamedTuple

from yawara.kernels.kinds import Floats, Indices, Natural

ITERATIONS, SYSTEMS, MOST, MISSED, OFF, COUNTS = 0, 1, 2, 3, 4, 5  # places in `counts`


class Arrays(NamedTuple):
    """Simplices, constraints over them, and the matrix A of the constraints' gradients, entry by entry in rows of constraints."""

    # the pattern
    corner: Indices  # points, (4 * element_count,); a triangle repeats its last
    thickness: Floats  # [m], (element_count,), of triangles; 0 of tetrahedra
    member_first: Indices  # first member of each constraint, (constraint_count + 1,)
    member: Indices  # elements
    place: Indices  # entries of A, (4 * member_count,): those of a member's corners
    row: Indices  # first entry of each constraint, (constraint_count + 1,)
    entry_point: Indices  # (entry_count,)
    column: Indices  # first of each point in `column_entry`, (point_count + 1,)
    column_entry: Indices  # entries by points
    entry_row: Indices  # (entry_count,): constraint
    # numbers
    rest: Floats  # [m^3], (constraint_count,): V0; of flat bodies area times thickness
    rate: Floats  # [1/s], (constraint_count,): w; 0 if it follows from the step
    per_step: float  # what w dt then is
    foresees: int  # whether velocities may be changed in a step by what no force tells, such as impulses of contact
    # the thread's own
    first_element: Natural
    last_element: Natural
    first: Natural  # constraints
    last: Natural
    # as they are in this stage
    content: Floats  # [m^3], (element_count,)
    content_rate: Floats  # [m^3/s]
    turning: Floats  # [m^3/s^2]: second derivative of the content that velocities alone bring
    gradient: Floats  # [m^2], (12 * element_count,)
    A: Floats  # [m^2], (3 * entry_count,)
    volume_rate: Floats  # [m^3/s], (constraint_count,): R'
    off: Floats  # (constraint_count,): R / V0
    wanted: Floats  # [m^3/s^2], (constraint_count,): C
    acceleration: Floats  # [m/s^2], (4 * point_count,); while pressures are looked for, what z gives
    mobility: Floats  # [1/kg], (4 * point_count,): 0 where points are held
    # conjugate residuals
    residual: Floats  # [m^3/s^2], (constraint_count,)
    z: Floats  # [Pa]: the residual over the diagonal
    direction: Floats  # [Pa]
    product: Floats  # [m^3/s^2]: what the direction gives
    inverse: Floats  # [Pa s^2/m^3], of the diagonal; 0 where all points are held
    sums: Floats
    counts: Floats  # of a call: iterations, systems, most iterations of one, systems that were not solved, largest R / V0 in such
    # implicit steps
    slope: Floats  # [Pa s/m^3], (constraint_count,): tangent; empty in explicit ones
    bears: Floats  # [Pa s], (constraint_count,): minus the pressure times the step
    # internal variables
    pressure: Floats  # [Pa], (constraint_count,): lambda
    unforeseen: Floats  # [m^3/s^2] and [m^3/s], (2 * constraint_count,), see constraints.py
    tally: Floats
