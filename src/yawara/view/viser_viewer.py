"""The page, drawn by viser (https://viser.studio): scene, panel and mouse in any browser, nothing to install there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import rich
import viser

from yawara.live.messages import Shapes, View
from yawara.view.access import Gate, guarded
from yawara.view.bodies import Bodies
from yawara.view.desk import Desk
from yawara.view.hand import Drag
from yawara.view.holder import Holder
from yawara.view.light import light
from yawara.view.panel import Panel
from yawara.view.scale import Scale
from yawara.view.session import Session
from yawara.view.windows import Windows


class QuietServer(viser.ViserServer):
    """A server that cannot be asked to open a tunnel to the internet: any window could do so otherwise."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        return None


class ViserViewer:
    """A `Viewer`."""

    def __init__(self, session: Session, gate: Gate, port: int, *, plain: bool, idle: float, shown: float) -> None:
        self._session, self._gate, self._closed = session, gate, False
        self._view: View | None = None
        with guarded(gate), _quiet():
            self.server = QuietServer(host=gate.host, port=port, verbose=False)
        self._desk = Desk(self.server, session, Holder(idle=idle), shown)
        light(self.server.scene, plain=plain)
        self._bodies = Bodies(self.server, session.shapes, self._drag, plain=plain)
        self._panel = Panel(self._desk, plain=plain)
        self._windows = Windows(self._desk)

    @property
    def address(self) -> str:
        """With the token, if one is asked for: whoever has it may come in."""
        host = "localhost" if self._gate.host in ("0.0.0.0", "::") else self._gate.host
        token = f"/?token={self._gate.token}" if self._gate.token else ""
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server.get_port()}{token}"

    @property
    def scale(self) -> Scale:
        """From metres to units of the drawing."""
        return self._bodies.scale

    def set_shapes(self, shapes: Shapes) -> None:
        self._bodies.draw(shapes)
        self._panel.rebuild()

    def show(self, view: View) -> None:
        self._view = view
        self._bodies.show(view, self._session.value_range)
        self._panel.note(view)

    def refresh(self, rate: float) -> None:
        self._panel.refresh(self._view, rate)
        self._windows.refresh()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._desk.close()
            with _quiet():
                self.server.stop()

    async def _drag(self, name: str, is_tool: bool, event: Any) -> None:
        world = self.scale.world
        self._desk.hand.drag(
            Drag(
                window=event.client_id,
                phase=event.phase,
                name=name,
                is_tool=is_tool,
                start=world(event.start_position),
                end=world(event.end_position),
                eye=world(tuple(event.client.camera.position)),
                level=event.modifier == "shift",
            )
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """viser prints its own address, without token; the command that opens the page prints the right one."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
