"""Who may come in.

The browser's library lets everybody in who can reach its port: another machine if it listens to the network, and even a foreign web
page in the user's own browser, which may open a connection to this machine. So every request is looked at before the library
sees it: the name it was sent to, the page it comes from, and, where a token is asked for, the token or the cookie that it was
changed into on the first visit. What goes over the network is not enciphered: for networks that one does not trust, listen on
the loopback address and lead the port through ssh.
"""

import hmac
import http
import ipaddress
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from yawara.view.own_name import with_own_name

ProcessRequest = Callable[[Any, Request], Response | None]
_PATCHING = threading.Lock()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def needs_token(host: str) -> bool:
    """Whether a page that listens there must ask for one."""
    return not is_loopback(host)


def new_token() -> str:
    """One that nobody guesses: 128 bits."""
    return secrets.token_urlsafe(16)


@dataclass
class Gate:
    """What a request must have. `token` empty: none is asked for, which is right on the loopback address only."""

    host: str
    token: str = ""
    guarding: bool = False  # whether a server asks it

    def __post_init__(self) -> None:
        if not self.token and needs_token(self.host):
            raise ValueError(
                f"token must be given when the page listens on {self.host} (got none); others could touch the bodies"
            )

    @property
    def cookie(self) -> str:
        """Its name. Cookies do not know ports, so two pages of one machine would take each other's away."""
        return "yawara_" + hmac.new(self.token.encode(), b"name", "sha256").hexdigest()[:12]

    def check(self, request: Request) -> Response | None:
        """None to let it in, else the answer."""
        if not self._right_host(request) or not self._right_origin(request):
            return refusal("this page is not served under that name")
        if not self.token:
            return None
        if self._right_token(_from_query(request)):
            return None if _is_websocket(request) else self._welcome()
        if self._right_token(_from_cookie(request, self.cookie)):
            return None
        return refusal("the address lacks the right token; take the whole address that was printed at the start")

    def _right_host(self, request: Request) -> bool:
        """A foreign name that leads to this machine is a trick (DNS rebinding); behind a token it can do no harm."""
        named = _host_of("//" + request.headers.get("Host", ""))
        return bool(self.token) or named == self.host.strip("[]") or is_loopback(named)

    def _right_origin(self, request: Request) -> bool:
        """A browser tells which page asks; programs do not, and need not."""
        origin = request.headers.get("Origin")
        return origin is None or urlsplit(origin).netloc == request.headers.get("Host")

    def _right_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())  # in constant time: how wrong it is does not show

    def _welcome(self) -> Response:
        """Change the token into a cookie and take it out of the address, so that it is not read over a shoulder or sent on."""
        cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Lax; Path=/"
        headers = Headers({"Location": "/", "Set-Cookie": cookie, "Cache-Control": "no-store", "Content-Length": "0"})
        return Response(http.HTTPStatus.SEE_OTHER, "See Other", headers, b"")


def refusal(why: str) -> Response:
    """403."""
    text = f"Yawara: {why}.\n".encode()
    headers = Headers(
        {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(text)), "Cache-Control": "no-store"}
    )
    return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", headers, text)


@contextmanager
def guarded(gate: Gate) -> Iterator[None]:
    """A server that the browser's library starts in here asks the gate first.

    The library has no place for such a check, but makes its server with `websockets.asyncio.server.serve`, which has one. If it
    ever makes it in another way, there is no silent hole: RuntimeError.
    """
    with _PATCHING:
        original = websockets.asyncio.server.serve

        def serve(*arguments: Any, **options: Any) -> Any:
            inner = options.get("process_request")
            if str(getattr(inner, "__module__", "")).split(".")[0] == "viser":  # others may start servers at the same time
                gate.guarding = True
                options["process_request"] = _checked(gate, inner)
            return original(*arguments, **options)

        websockets.asyncio.server.serve = serve  # type: ignore[assignment, misc]
        try:
            yield
        finally:
            websockets.asyncio.server.serve = original  # type: ignore[misc]
    if not gate.guarding:
        raise RuntimeError("the page's server cannot be guarded with this version of viser; install viser 1.1")


def _checked(gate: Gate, inner: ProcessRequest | None) -> ProcessRequest:
    def process(connection: Any, request: Request) -> Response | None:
        answer = gate.check(request)
        if answer is None and inner is not None:
            answer = inner(connection, request)
            return with_own_name(answer) if answer is not None else None
        return answer

    return process


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _is_websocket(request: Request) -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"


def _from_query(request: Request) -> str:
    return parse_qs(urlsplit(request.path).query).get("token", [""])[0]


def _from_cookie(request: Request, name: str) -> str:
    for header in request.headers.get_all("Cookie"):
        for part in header.split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                return value
    return ""
