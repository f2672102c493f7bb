"""Bodies, tools and the table in the browser's scene."""

from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
import viser
import viser.transforms

from yawara.clock import REAL
from yawara.live.messages import Shapes, ValueRange, View
from yawara.view import colours, table
from yawara.view.camera import FIELD, SIGHT, distance_to_see
from yawara.view.coloured import Coloured
from yawara.view.scale import scale_of

OnDrag = Callable[[str, bool, Any], Coroutine[Any, Any, None]]  # name, whether it is a tool, viser's event

IN_SIGHT = 10.0  # of a body's size: what is further away waits in the drawer
SHADOW_PERIOD = 0.3  # [s]
SAME_SHADOW = 0.01  # units: bodies that moved less have the same one


class Bodies:
    """What there is to see. All of it is drawn once; then vertices and poses follow the views."""

    def __init__(self, server: viser.ViserServer, shapes: Shapes, on_drag: OnDrag, *, plain: bool) -> None:
        self._server, self._on_drag, self._plain = server, on_drag, plain
        self._coloured: list[Coloured] = []
        self._shadow_time = 0.0
        self._bare_table = table.bare_table()
        self.draw(shapes)

    def draw(self, shapes: Shapes) -> None:
        """From the beginning, with other shapes."""
        scene = self._server.scene
        for name in ("/body", "/tool", "/coloured", "/table"):
            scene.remove_by_name(name)
        self._coloured = []
        self.shapes, self.scale = shapes, scale_of(shapes)
        self._meshes = [self._body(index) for index in range(len(shapes.bodies))]
        self._tools: list[viser.MeshHandle | None] | None = None  # not before a view tells where they are
        self._shaded: Any = None  # the vertices that the shadow was made for
        self._table: viser.ImageHandle | None = None  # only where there is something to lie on
        self._aim()

    def show(self, view: View, value_range: ValueRange) -> None:
        """Vertices and poses of this moment, all in one message; one of other shapes, on their way out or in, is left out."""
        if [len(vertices) for vertices in view.vertices] != [len(body.vertices) for body in self.shapes.bodies]:
            return
        if len(view.tool_positions) != len(self.shapes.tools):
            return
        if self._tools is None:
            self._tools = self._draw_tools(view)
        places = [self.scale.draw(vertices) for vertices in view.vertices]
        with self._server.atomic():
            for mesh, vertices in zip(self._meshes, places, strict=True):
                mesh.vertices = vertices.astype(np.float32)
            for index, tool in enumerate(self._tools):
                if tool is not None:
                    tool.position = self.scale.draw(view.tool_positions[index])
                    tool.wxyz = viser.transforms.SO3.from_matrix(view.tool_rotations[index]).wxyz
        self._show_tools(view, self._tools)
        self._show_colours(view, places, value_range)
        self._show_shadow(places)

    def _body(self, index: int) -> viser.MeshHandle:
        skin = self.shapes.bodies[index]
        mesh = self._server.scene.add_mesh_simple(
            f"/body/{index}",
            self.scale.draw(skin.vertices),
            skin.triangles,
            color=colours.BODIES[index % len(colours.BODIES)],
            cast_shadow=not self._plain,
            receive_shadow=not self._plain,
        )
        self._listen(mesh, skin.name, is_tool=False)
        return mesh

    def _draw_tools(self, view: View) -> list[viser.MeshHandle | None]:
        """One mesh for each, but none for what stands there as a table: the table is drawn where it is."""
        tools: list[viser.MeshHandle | None] = []
        for index, skin in enumerate(self.shapes.tools):
            placed = skin.vertices @ view.tool_rotations[index].T + view.tool_positions[index]
            if self.shapes.entry_of(skin.name) is None and table.is_table(placed, self.shapes.bodies):
                self._draw_table(float(self.scale.draw(placed)[:, 2].max()))
                tools.append(None)
            else:
                tools.append(self._tool(index))
        return tools

    def _tool(self, index: int) -> viser.MeshHandle:
        skin = self.shapes.tools[index]
        movable = self.shapes.entry_of(skin.name) is not None
        mesh = self._server.scene.add_mesh_simple(
            f"/tool/{index}",
            skin.vertices * self.scale.units_per_metre,
            skin.triangles,
            color=colours.TOOL if movable else colours.STANDING,
            flat_shading=len(skin.triangles) < 100,  # few triangles: edges are meant
            cast_shadow=not self._plain,
            receive_shadow=not self._plain,
        )
        if movable:
            self._listen(mesh, skin.name, is_tool=True)
        return mesh

    def _listen(self, mesh: viser.MeshHandle, name: str, *, is_tool: bool) -> None:
        async def on_drag(event: Any) -> None:
            await self._on_drag(name, is_tool, event)

        mesh.on_drag("left")(on_drag)
        mesh.on_drag("left", modifier="shift")(on_drag)

    def _draw_table(self, height: float) -> None:
        """In units of the drawing."""
        self._table_height = height
        self._shaded, self._shadow_time = None, 0.0
        self._table = self._server.scene.add_image(
            "/table",
            self._bare_table.astype(np.uint8),
            2 * table.HALF,
            2 * table.HALF,
            jpeg_quality=92,
            position=(0.0, 0.0, height - 0.004),  # a hair below, so that bodies that lie on it do not flicker
            wxyz=(0.0, 1.0, 0.0, 0.0),  # images face down unless turned about x
            cast_shadow=False,
            receive_shadow=False,
        )
        self._show_shadow([self.scale.draw(body.vertices) for body in self.shapes.bodies])

    def _aim(self) -> None:
        """A camera that sees the bodies large, with room above for tools."""
        if not self.shapes.bodies:
            return
        places = self.scale.draw(np.concatenate([body.vertices for body in self.shapes.bodies]))
        middle = np.array([0.0, 0.0, 0.6 * float(places[:, 2].max())])
        camera = self._server.initial_camera
        camera.fov, camera.near, camera.far = FIELD, 0.05, 60.0
        camera.look_at = middle
        camera.position = middle + SIGHT * distance_to_see(places - middle)

    def _show_tools(self, view: View, tools: list[viser.MeshHandle | None]) -> None:
        middle, size = view.vertices[0].mean(axis=0), float(np.ptp(view.vertices[0], axis=0).max())
        for skin, tool, place in zip(self.shapes.tools, tools, view.tool_positions, strict=True):
            if tool is not None and self.shapes.entry_of(skin.name) is not None:
                in_hand = skin.name in self.shapes.parts_of(view.tool)
                colour = colours.TOOL_IN_HAND if in_hand else colours.TOOL
                if tool.color != colour:
                    tool.color = colour
                near = skin.name not in self.shapes.hidden and bool(np.linalg.norm(place - middle) < IN_SIGHT * size)
                if tool.visible != (in_hand or near):
                    tool.visible = in_hand or near

    def _show_colours(self, view: View, places: list[Any], value_range: ValueRange) -> None:
        if view.values is None:
            self._remove_colours()
            return
        if not self._coloured:
            scene = self._server.scene
            self._coloured = [Coloured(scene, f"/coloured/{index}", skin) for index, skin in enumerate(self.shapes.bodies)]
            for mesh in self._meshes:
                mesh.opacity = 0.0  # unseen, it still feels the pointer
        for coloured, vertices, values in zip(self._coloured, places, view.values, strict=False):
            coloured.show(vertices, values, value_range.low, value_range.high)

    def _remove_colours(self) -> None:
        for coloured in self._coloured:
            coloured.remove()
        if self._coloured:
            for mesh in self._meshes:
                mesh.opacity = None
        self._coloured = []

    def _show_shadow(self, places: list[Any]) -> None:
        now = REAL.now()
        if self._table is None or not places or now - self._shadow_time < SHADOW_PERIOD:
            return
        above = np.concatenate(places) - [0.0, 0.0, self._table_height]
        if self._shaded is not None and np.abs(above - self._shaded).max() < SAME_SHADOW:
            return
        self._shadow_time, self._shaded = now, above
        first = np.cumsum([0, *(len(vertices) for vertices in places)])
        triangles = np.concatenate([body.triangles + begin for body, begin in zip(self.shapes.bodies, first[:-1], strict=True)])
        self._table.image = table.shade(self._bare_table, above, triangles)
