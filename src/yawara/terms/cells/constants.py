"""Numbers that packing and kernels share."""

PRESSURE, BARRIER = 1, 2  # what the cells of a block do; a block may do both
BLOCK_CELLS = 64  # a block's measures stay in the L1 cache
CORNERS_3D, CORNERS_2D = 4, 3
SMALLEST_GRADIENT2 = 1e-200  # a side without area has no normal
