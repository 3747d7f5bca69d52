"""Only our own pages, opened with this run's token, may speak to the laboratory."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from carom.lab.server.guard import Guard
from lab.asgi import Client, Closed

TOKEN = "right-token-0123456789"  # a token of a test
PORT = 8421
HOME = f"http://127.0.0.1:{PORT}"


async def page(request: Request) -> Response:
    answer = PlainTextResponse("inside")
    answer.raw_headers += [(b"Access-Control-Allow-Origin", b"*"), (b"X-Frame-Options", b"ALLOWALL")]  # as they come
    return answer


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("inside")
    await socket.close()


def client(cookie: str | None = TOKEN, port: int = PORT) -> Client:
    routes = [
        Route("/", page),
        Route("/static/stage.js", page),
        Route("/bench", page),
        Route("/upload", page, methods=["POST", "PUT", "DELETE", "PATCH"]),
        WebSocketRoute("/_nicegui_ws/socket.io/", echo),
    ]
    jar = None if cookie is None else f"carom-{port}={cookie}"
    return Client(Guard(Starlette(routes=routes), port, TOKEN), cookie=jar)


def socket_says(made: Client, **headers: str) -> str:
    with made.socket("/_nicegui_ws/socket.io/", headers) as socket:
        return socket.receive()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_our_own_names_are_let_in(host: str) -> None:
    assert client().get("/", headers={"Host": f"{host}:{PORT}"}).text == "inside"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:80",
        f"127.0.0.1.evil.example:{PORT}",
        f"127.0.0.1:{PORT}@evil.example",
        f"0.0.0.0:{PORT}",
        f"127.0.0.2:{PORT}",
        "",
    ],
)
def test_foreign_hosts_are_refused(host: str) -> None:
    """A name that was made to point at this computer (DNS rebinding)."""
    answer = client().get("/", headers={"Host": host})
    assert answer.status == 403
    assert "inside" not in answer.text
    with pytest.raises(Closed):
        socket_says(client(), Host=host, Origin=f"http://{host}")


def test_two_hosts_are_refused() -> None:
    answer = client().get("/", headers=[("Host", f"127.0.0.1:{PORT}"), ("Host", "evil.example")])
    assert answer.status == 403


def test_port_80_needs_no_number() -> None:
    assert client(port=80).get("/", {"Host": "127.0.0.1"}).text == "inside"


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "",
        f"https://127.0.0.1:{PORT}",
        "http://127.0.0.1:9999",
        f"http://localhost:{PORT}",
    ],
)
def test_foreign_origins_are_refused_everywhere(origin: str) -> None:
    for method, path in [("GET", "/"), ("GET", "/static/stage.js"), ("POST", "/upload"), ("OPTIONS", "/upload")]:
        assert client().request(method, path, headers={"Origin": origin}).status == 403
    with pytest.raises(Closed):
        socket_says(client(), Origin=origin)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_changes_need_our_origin(method: str) -> None:
    assert client().request(method, "/upload").status == 403
    assert client().request(method, "/upload", headers={"Origin": HOME}).text == "inside"


def test_sockets_need_our_origin() -> None:
    with pytest.raises(Closed):
        socket_says(client())
    assert socket_says(client(), Origin=HOME) == "inside"


@pytest.mark.parametrize("cookie", [None, "", "wrong", TOKEN[:-1], TOKEN + "0", "zażółć".encode().decode("latin-1")])
def test_without_the_token_nothing_is_had(cookie: str | None) -> None:
    for path in ("/", "/static/stage.js", "/bench", "/nowhere"):
        answer = client(cookie=cookie).get(path)
        assert answer.status == 403
        assert "carom lab" in answer.text, "the page says how to open it"
    assert client(cookie=cookie).request("POST", "/upload", headers={"Origin": HOME}).status == 403
    with pytest.raises(Closed):
        socket_says(client(cookie=cookie), Origin=HOME)


def test_a_cookie_of_another_port_does_not_open() -> None:
    made = client(cookie=None)
    assert made.get("/", headers={"cookie": f"carom-9999={TOKEN}"}).status == 403


def test_cookies_of_other_programs_do_no_harm() -> None:
    made = client(cookie=None)
    jar = f'a={{"x": [1, 2]}}; _xsrf=2|7; =; b; carom-9999=old; carom-{PORT}={TOKEN}; last="'
    assert made.get("/", headers={"cookie": jar}).text == "inside"


def test_the_printed_address_gives_the_cookie_and_hides_the_token() -> None:
    made = client(cookie=None)
    answer = made.get(f"/bench?scene=break&token={TOKEN}&x=1%262")
    assert answer.status == 303
    assert answer.headers["location"] == "/bench?scene=break&x=1%262"
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"carom-{PORT}={TOKEN}")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "domain" not in cookie
    given = answer.headers["set-cookie"].partition(";")[0]
    assert made.get("/bench", {"cookie": given}).text == "inside"


def test_a_link_on_another_page_opens_it_too() -> None:
    """After a redirect a browser would keep the strict cookie back; a page of ours that goes on brings it."""
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = client(cookie=None).get(f"/?token={TOKEN}", headers=link)
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
    assert "set-cookie" in answer.headers
    assert TOKEN not in answer.text
    assert 'searchParams.delete("token")' in answer.text
    assert "location.replace" in answer.text, "a Refresh would lose the scene after the #"
    assert "refresh" not in answer.headers


def test_going_on_keeps_the_scene_of_a_link() -> None:
    """What stands after the # of an address stays in the browser: only a script of the page can keep it."""
    assert ".onclick = () => { location.reload(); return false; }" in client(cookie=None).get("/").text


@pytest.mark.parametrize("token", ["", "wrong", TOKEN.upper(), "%00", "%ff"])
def test_a_wrong_token_gives_no_cookie(token: str) -> None:
    answer = client(cookie=None).get(f"/?token={token}")
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "///evil.example"])
def test_the_token_leads_nowhere_else(path: str) -> None:
    answer = client(cookie=None).get(f"{path}?token={TOKEN}")
    location = answer.headers["location"]
    assert location.startswith("/")
    assert location[1] not in "/\\"


def test_a_token_in_a_post_is_no_way_in() -> None:
    answer = client(cookie=None).request("POST", f"/upload?token={TOKEN}", headers={"Origin": HOME})
    assert answer.status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("kind", ["script", "image", "iframe", "empty"])
def test_other_pages_cannot_use_our_files(site: str, kind: str) -> None:
    mode = "navigate" if kind == "iframe" else "no-cors"
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": kind}
    assert client().get("/static/stage.js", headers=headers).status == 403


def test_our_own_pages_can() -> None:
    headers = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "script", "Origin": HOME}
    assert client().get("/static/stage.js", headers=headers).text == "inside"


@pytest.mark.parametrize("cookie", [TOKEN, None])
def test_every_answer_is_hardened(cookie: str | None) -> None:
    headers = client(cookie=cookie).get("/").headers
    policy = headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'self'" in policy
    assert f"ws://127.0.0.1:{PORT}" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY", "once, and ours"
    assert "access-control-allow-origin" not in headers, "no CORS, whatever the app says"


def test_the_policy_repeats_no_foreign_host() -> None:
    answer = client().get("/", headers={"Host": "evil.example; script-src *"})
    assert "evil" not in answer.headers["content-security-policy"]
