"""Open the page."""

import socket
from dataclasses import dataclass

from yawara.view import access
from yawara.view.holder import IDLE
from yawara.view.loop import Loop
from yawara.view.session import Session
from yawara.view.viewer import Viewer

HOST, PORT = "127.0.0.1", 8080
SHOWN = 6.0  # [s] that a message stays


@dataclass
class Page:
    """An open page."""

    viewer: Viewer
    loop: Loop

    @property
    def address(self) -> str:
        """For the browser; holds the token, if there is one."""
        return self.viewer.address

    @property
    def rate(self) -> float:
        """Views that were sent within the last second."""
        return self.loop.rate

    def close(self) -> None:
        """Stop drawing, then close."""
        self.loop.close()
        self.viewer.close()

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def serve(
    session: Session,
    *,
    host: str = HOST,
    port: int = PORT,
    token: str | None = None,
    plain: bool = False,
    idle: float = IDLE,
    shown: float = SHOWN,
) -> Page:
    """Show a session in the browser and let it be touched there.

    Port 0 takes a free one; a port in use is an OSError. Beyond the loopback address a token is always asked for: if none is
    given, a new one is made. `plain` leaves out what a machine without a graphics processor cannot draw fast.
    A window that holds the tool and does nothing for `idle` seconds lets it go; what a window is told stays for `shown` seconds.
    """
    from yawara.view.viser_viewer import ViserViewer  # half a second, for the page only

    _check_free(host, port)
    gate = access.Gate(host, token or (access.new_token() if access.needs_token(host) else ""))
    viewer = ViserViewer(session, gate, port, plain=plain, idle=idle, shown=shown)
    return Page(viewer, Loop(session, viewer).start())


def _check_free(host: str, port: int) -> None:
    """The browser's library would take the next port without a word, or try for ever."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as problem:
            raise OSError(f"port {port} of {host} cannot be used ({problem.strerror}); choose another one") from None
