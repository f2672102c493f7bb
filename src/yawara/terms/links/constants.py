"""Numbers that the link kernels and the builder of their arrays share."""

BLOCK_LINKS = 160  # links per block: their scratch (about 6 kB) stays in the L1 cache
CACHED_SLOTS = 30_000  # more slots of one body (about 1.5 MB) do not stay in a core's cache: the next block is fetched ahead
LANES = 4  # blocks are padded to whole vectors
