"""Bodies that are touched while time runs: a solver of its own, and what it, the page and the devices say to each other."""
