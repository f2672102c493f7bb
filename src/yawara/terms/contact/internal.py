"""Internal variables of a contact, in rows of a few numbers.

Which tool or body it touches (0: unassigned), the time integral of its penetration [m s], and the extension of its friction spring (3) [m].
Where contacts act by impulses or multipliers, the latter two are forces [N] of the last step, along the normal and along the surface.
Nodes, edges and faces each have a few rows; nodes that bounce one more, for how far they were put back.
"""

KEY, SUM, STRETCH, VARIABLES = 0, 1, 2, 5
SLOTS_OF_NODE, SLOTS_OF_EDGE, SLOTS_OF_FACE = 3, 2, 2
