"""Numbers that the link kernels and the builder of their arrays share."""

# Law families: which kernel computes the tension of a block of links.
FLOW, SERIES, PARALLEL, FORCE_DEPENDENT, FRICTION, LIMITED, TIE = range(7)

BLOCK_LINKS = 160  # links per block: their scratch (about 6 kB) stays in the L1 cache
CACHED_SLOTS = 30_000  # more slots of one body (about 1.5 MB) do not stay in a core's cache: the next block is fetched ahead
LANES = 4  # blocks are padded to whole vectors

# Added to squared lengths [m^2]: changes nothing above 1e-142 m, and makes the force of a link of no length zero instead of NaN.
SMALLEST_LENGTH2 = 1e-300
