"""One scene, many values: a grid or a sample of parameters, each run on its own, and one table of what came out."""
