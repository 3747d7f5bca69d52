"""How much a visitor may ask for, and what reaches the shell."""

import asyncio
import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from carom.lab.server import limits
from carom.lab.server.guard import Guard
from carom.lab.server.limits import BODY, Limits
from carom.lab.server.packets import verdict
from lab.asgi import Client, Closed, Socket

TOKEN = "right-token-0123456789"  # a token of a test
HOME = "http://127.0.0.1:8421"
SOCKET = "/_nicegui_ws/socket.io/"


async def measured(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text)


def app() -> Limits:
    routes = [
        Route("/", measured, methods=["GET", "POST"]),
        Route("/bench", measured),
        Route("/lab/open", measured, methods=["POST"]),
        Route("/_nicegui_ws/socket.io/", measured),
        WebSocketRoute(SOCKET, echo),
        WebSocketRoute("/_nicegui_ws/other/", echo),
    ]
    return Limits(Starlette(routes=routes))


def post(made: Limits, path: str, pieces: list[bytes], headers: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Status, text and the header Connection of what is answered to a body in pieces; the last one never comes."""
    left, sent = list(pieces), list[dict[str, Any]]()

    async def receive() -> dict[str, Any]:
        if not left:
            await asyncio.sleep(3600)
        return {"type": "http.request", "body": left.pop(0), "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = Client(None).scope("http", path, headers or {})
    asyncio.run(made({**scope, "method": "POST"}, receive, send))
    kept = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:]).decode(), kept.get("connection", "")


def test_a_body_is_cut_off_where_it_is_too_large() -> None:
    status, text, connection = post(app(), "/", [b"x" * 40_000] * 3)
    assert (status, text, connection) == (200, "40000", "close")
    assert post(app(), "/lab/open", [b"x" * 2**20] * 40)[1] == str(32 * 2**20)


@pytest.mark.parametrize(("length", "status"), [(str(BODY + 1), 413), ("9" * 40, 413), ("x", 200), ("-1", 200)])
def test_a_body_that_says_it_is_too_large_is_not_read(length: str, status: int) -> None:
    answer = post(app(), "/", [b"x" * (BODY + 1)], {"content-length": length})
    assert answer[0] == status
    assert answer[2] == "close"


def test_a_request_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_TIMEOUT", 0.05)
    assert post(app(), "/", [b"x"])[:2] == (503, "That took too long. Try again.")


def test_pages_are_not_opened_by_the_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PAGES", (0.001, 3.0))
    client = Client(app())
    assert [client.get("/bench").status for _ in range(5)] == [200, 200, 200, 429, 429]
    assert client.get("/").status == 200


def test_the_shell_has_sockets_alone() -> None:
    assert Client(app()).get(SOCKET).status == 404
    with pytest.raises(Closed), Client(app()).socket("/_nicegui_ws/other/"):
        pass


def test_there_are_not_too_many_sockets_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHELLS", 1)
    client = Client(app())
    with client.socket(SOCKET), pytest.raises(Closed), client.socket(SOCKET):
        pass
    with client.socket(SOCKET):
        pass


@pytest.mark.parametrize(
    ("name", "most", "packet"),
    [("MESSAGES", (0.001, 5.0), "3"), ("CHARACTERS", (0.001, 50.0), "40" + '{"a":1}'), ("MESSAGE", 4, '40{"a":12}')],
)
def test_a_flood_to_the_shell_ends_the_line(
    monkeypatch: pytest.MonkeyPatch, name: str, most: object, packet: str
) -> None:
    monkeypatch.setattr(limits, name, most)
    with Client(app()).socket(SOCKET) as socket:
        for _ in range(20):
            socket.send_text(packet)
        with pytest.raises(Closed) as closed:
            heard_out(socket)
    assert closed.value.code == 1008


def heard_out(socket: Socket) -> None:
    """Take what comes until the line ends."""
    while True:
        socket.receive()


def event(name: str, **told: object) -> str:
    return "42" + json.dumps([name, told])


@pytest.mark.parametrize(
    ("packet", "said"),
    [
        ("2", "pass"),
        ("3", "pass"),
        ("40", "pass"),
        ('40{"token":"x"}', "pass"),
        (event("event", client_id="me", id=3, listener_id="l", args=["1", None, '"a"']), "pass"),
        (event("event", client_id="me", id="3", listener_id="l", args=[]), "pass"),
        ("427" + event("handshake", client_id="me", tab_id="t", document_id="d")[2:], "pass"),
        (event("ack", client_id="me", next_message_id=5), "pass"),
        (event("javascript_response", client_id="me", request_id="r"), "pass"),
        (event("log", client_id="me", level="error", message="\x1b[2J"), "drop"),
        (event("log", client_id="you", level="error", message="x"), "refuse"),
        (event("event", client_id="you", id=3, listener_id="l", args=[]), "refuse"),
        (event("event", client_id="me", id=[3], listener_id="l", args=[]), "refuse"),
        (event("event", client_id="me", id=True, listener_id="l", args=[]), "refuse"),
        (event("event", client_id="me", id=3, listener_id="l", args=["{"]), "refuse"),
        (event("event", client_id="me", id=3, listener_id="l", args="[]"), "refuse"),
        (event("event", client_id="me", id=3, args=[]), "refuse"),
        (event("shutdown", client_id="me"), "refuse"),
        (event("ack", client_id="me", next_message_id="5"), "refuse"),
        ("42[]", "refuse"),
        ("40[]", "refuse"),
        ("", "refuse"),
        (b"2", "refuse"),
        (None, "refuse"),
    ],
)
def test_packets(packet: object, said: str) -> None:
    assert verdict(packet, "me") == said


# ---------------------------------------------------------------- pages


async def page(request: Request) -> Response:
    text = '<html><script>a()</script><p>&lt;script&gt;</p><script type="module" src="/x.js"></script></html>'
    return HTMLResponse(text, headers={"X-Seen": ",".join(sorted(request.headers))})


def guarded() -> Client:
    made = Guard(Starlette(routes=[Route("/", page), Route("/text", measured)]), 8421, TOKEN)
    return Client(made, cookie=f"carom-8421={TOKEN}")


def test_scripts_of_a_page_carry_the_nonce_of_its_answer() -> None:
    """And nothing else may run: no handler in an element, no script that was smuggled in."""
    answers = [guarded().get("/") for _ in range(2)]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        nonce = policy.partition("'nonce-")[2].partition("'")[0]
        assert len(nonce) >= 22
        assert answer.text.count(f'<script nonce="{nonce}"') == 2
        assert answer.headers["content-length"] == str(len(answer.text))
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert answers[0].headers["content-security-policy"] != answers[1].headers["content-security-policy"]


def test_what_a_proxy_would_say_is_not_heard() -> None:
    headers = {"X-Forwarded-Prefix": '/"><script>', "Forwarded": "for=1.2.3.4", "Accept-Encoding": "gzip"}
    seen = guarded().get("/", headers).headers["x-seen"].split(",")
    assert not {"x-forwarded-prefix", "forwarded", "accept-encoding"} & set(seen)
    assert "host" in seen


def test_strangers_keep_no_connection_and_devices_are_nobodys_business() -> None:
    stranger = Client(guarded().app).get("/")
    assert (stranger.status, stranger.headers["connection"]) == (403, "close")
    assert "camera=()" in stranger.headers["permissions-policy"]
    assert "connection" not in guarded().get("/text").headers
