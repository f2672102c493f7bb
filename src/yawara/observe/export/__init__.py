"""Files for other programs: VTU and PVD for ParaView, PLY for mesh tools, GLB for browsers and Blender."""
