"""Who may come in."""

import http.client

import pytest
import websockets.asyncio.server
import websockets.sync.client
from websockets.exceptions import InvalidStatus

from fake_session import FakeSession
from waiting import PATIENCE
from yawara.view import access
from yawara.view.serve import serve

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture(scope="module")
def open_page():
    with serve(FakeSession(), port=0, plain=True) as page:
        yield page


@pytest.fixture(scope="module")
def guarded_page():
    with serve(FakeSession(), host="127.0.0.1", port=0, token=TOKEN, plain=True) as page:
        yield page


def get(page, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", page.viewer.server.get_port(), timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer


def knock(page, path="/", **headers):
    """Open a WebSocket as a browser does; 101 is welcome."""
    port = page.viewer.server.get_port()
    subprotocol = websockets.typing.Subprotocol("viser-v1.1.1")
    try:
        with websockets.sync.client.connect(
            f"ws://127.0.0.1:{port}{path}", additional_headers=headers, subprotocols=[subprotocol], open_timeout=PATIENCE
        ):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_loopback_needs_no_token(open_page):
    assert get(open_page).status == 200
    assert knock(open_page) == 101
    assert open_page.address.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:99", "[::1]:80", "127.0.0.2"])
def test_names_of_this_machine_are_right(open_page, host):
    assert get(open_page, Host=host).status == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[", "192.168.0.1"])
def test_foreign_names_are_refused(open_page, host):
    assert get(open_page, Host=host).status == 403


def test_foreign_pages_are_refused(open_page):
    port = open_page.viewer.server.get_port()
    assert knock(open_page, Origin=f"http://127.0.0.1:{port}") == 101
    assert knock(open_page, Origin="http://evil.example") == 403
    assert knock(open_page, Origin="http://127.0.0.1:1") == 403  # another program of this machine
    assert knock(open_page, Origin="null") == 403


def test_without_token_nothing_is_shown(guarded_page):
    for path in ("/", "/index.html", "/?token=", "/?token=wrong", "/?token=" + TOKEN[:-1], "/?token=%C3%A4"):
        assert get(guarded_page, path).status == 403
        assert knock(guarded_page, path) == 403
    assert TOKEN in guarded_page.address


def test_a_token_becomes_a_cookie(guarded_page):
    welcome = get(guarded_page, f"/?token={TOKEN}")
    assert (welcome.status, welcome.getheader("Location")) == (303, "/")
    cookie = welcome.getheader("Set-Cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    given = cookie.split(";")[0]
    assert get(guarded_page, Cookie=f"other=1; {given}").status == 200
    assert knock(guarded_page, Cookie=given) == 101
    assert get(guarded_page, Cookie=given + "x").status == 403
    assert knock(guarded_page, f"/?token={TOKEN}") == 101
    assert knock(guarded_page, Cookie=given, Origin="http://evil.example") == 403


def test_no_paths_out_of_the_page(open_page):
    for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..%5c..%5cetc/passwd"):
        assert get(open_page, path).status in (400, 404)


@pytest.mark.parametrize(
    ("host", "wide"), [("127.0.0.1", False), ("localhost", False), ("::1", False), ("0.0.0.0", True), ("::", True)]
)
def test_beyond_loopback_a_token_is_needed(host, wide):
    assert access.needs_token(host) == wide
    if wide:
        with pytest.raises(ValueError, match="token must be given"):
            access.Gate(host)


def test_a_wide_page_makes_its_token():
    with serve(FakeSession(), host="0.0.0.0", port=0, plain=True) as page:
        token = page.address.partition("token=")[2]
        assert len(token) >= 22  # 128 bits
        assert get(page).status == 403
        assert get(page, f"/?token={token}").status == 303


def test_a_server_that_cannot_be_guarded_is_an_error():
    before = websockets.asyncio.server.serve
    with pytest.raises(RuntimeError, match="cannot be guarded"), access.guarded(access.Gate("127.0.0.1")):
        pass
    assert websockets.asyncio.server.serve is before


def test_a_port_in_use_is_an_error(open_page):
    with pytest.raises(OSError, match="choose another one"):
        serve(FakeSession(), port=open_page.viewer.server.get_port(), plain=True)


def test_no_window_can_open_a_tunnel(open_page):
    assert open_page.viewer.server.request_share_url() is None
