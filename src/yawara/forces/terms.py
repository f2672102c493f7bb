"""All force terms of a model in one place: links here and there by themselves, because they are the hot path, the rest together."""

from numba import uint64 as U

from yawara.forces.cells.constants import CORNERS_2D, CORNERS_3D
from yawara.forces.cells.term import cell_forces, cell_scratch
from yawara.forces.enclosed import measure_faces, surface_forces
from yawara.forces.followers import hand_on
from yawara.jit import kernel


@kernel
def has_more(arrays):
    """Whether the model has other force terms than links, or followers that hand forces on."""
    cells = arrays.tetrahedron.block_kind.size + arrays.triangle.block_kind.size
    return cells + arrays.surface.rest.size + arrays.follower.working[0] > 0


@kernel
def more_scratch():
    return cell_scratch()


@kernel
def measure_surfaces(me, arrays, shares, points, partial):
    """The thread's part of what bodies enclose; all threads must have done it before `more_forces`."""
    surfaces = U(arrays.surface.rest.size)
    measure_faces(arrays.surface, U(shares.face[me]), U(shares.face[me + 1]), points, partial, U(2) * U(me) * surfaces)


@kernel
def more_forces(me, threads, arrays, shares, points, forces, own, memory, memory_start, memory_total, partial, buffers,
                stage, step, weight, account, ahead):  # fmt: skip
    """The forces [N] of the thread's cells and faces, and what followers hand on; stored energy [J], dissipated power [W],

    the power that goes into pressures, and the power that guards take.
    """
    stored, power, given, guarded = cell_forces(
        arrays.tetrahedron, U(CORNERS_3D), U(shares.tetrahedron[me]), U(shares.tetrahedron[me + 1]), points, forces, own, memory,
        memory_start, memory_total, buffers, stage, step, weight, account, ahead)  # fmt: skip
    flat_stored, flat_power, flat_given, flat_guarded = cell_forces(
        arrays.triangle, U(CORNERS_2D), U(shares.triangle[me]), U(shares.triangle[me + 1]), points, forces, own, memory,
        memory_start, memory_total, buffers, stage, step, weight, account, ahead)  # fmt: skip
    stored, power, given, guarded = stored + flat_stored, power + flat_power, given + flat_given, guarded + flat_guarded
    if arrays.surface.rest.size > 0:
        held, lost, taken = surface_forces(
            arrays.surface, U(shares.face[me]), U(shares.face[me + 1]), points, forces, own, partial, threads
        )
        if me == 0:  # every thread knows the whole pressure
            stored, power, given = stored + held, power + lost, given + taken
    hand_on(arrays.follower, forces, own)
    return stored, power, given, guarded
