"""Meshes: surfaces and cells read from files and repaired, interiors filled with cells, what joins one mesh to another.

Pure functions on arrays, in SI units. What cannot be repaired is refused with `MeshError`; what was repaired is told in `notices`.
"""
