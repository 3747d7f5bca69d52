"""Whatever is sent to the laboratory's server: it goes on answering, nobody else's bench is touched, nothing is told.

A real server on 127.0.0.1, with a bystander: a tab whose bench must stay as it is while others misbehave.
"""

import json
import os
import re
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from effort import examples
from hostile.doors import AWKWARD, check_clear
from lab.serving import Served, served

FULL = """
from carom.lab.server import connections, start
from carom.lab.app import create_app
start.PING_EVERY, start.PONG_WITHIN = 0.5, 8.0
connections.HEAD_TIMEOUT, connections.MAX_HALF_OPEN, connections.CLOSE_TIMEOUT = 1.5, 40, 0.5
raise SystemExit(start.serve(create_app, port=0, open_browser=False))
"""
"""The whole laboratory, less patient than usual, so that tests need not wait; but a line may be silent for longer than
`SOON`, else those would be let go for that whom it is to let go for what they say, and a bystander who has to wait."""
SOON = 5.0
"""A second on a machine of one's own; tests run beside others."""
PAGE = "/bench?scene=two-bodies"


@pytest.fixture(scope="module")
def lab() -> Iterator[Served]:
    with served("-c", FULL) as one:
        yield one


def visit(lab: Served, path: str) -> ClientConnection:
    """A line to the laboratory; without pings, which take from `random` while hypothesis does."""
    return connect(
        f"ws://{lab.host}{path}",
        origin=lab.origin,
        additional_headers={"Cookie": lab.cookie},
        open_timeout=30,
        close_timeout=2,
        ping_interval=None,
    )


def raw(lab: Served) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", lab.port), timeout=SOON)
    made.settimeout(SOON)
    return made


def head(lab: Served, path: str, more: str = "", method: str = "GET") -> bytes:
    own = f"Host: {lab.host}\r\nOrigin: {lab.origin}\r\nCookie: {lab.cookie}\r\n"
    return f"{method} {path} HTTP/1.1\r\n{own}{more}\r\n".encode()


UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


class Bystander:
    """A tab with a bench of its own."""

    def __init__(self, lab: Served) -> None:
        self.lab = lab
        page = lab.get(PAGE)[1]
        self.bench = re.search(r"/bench/([\w-]+)/socket", page)[1]
        self.client = re.search(r"client_id['\"]:\s*['\"]([\w-]+)", page)[1]
        self.line: Any = None
        self.was = ""

    def saved(self) -> str:
        return self.lab.get(f"/bench/{self.bench}/scene.toml")[1]

    def state(self) -> dict[str, Any]:
        """Have a command done that changes nothing but the wish; what is said after it."""
        number = time.monotonic_ns() % 2**31
        self.line.send(json.dumps({"seq": number, "do": "speed", "with": {"factor": 1.0}}))
        end = time.monotonic() + 30.0
        while time.monotonic() < end:
            message = self.line.recv(timeout=30)
            if isinstance(message, str) and json.loads(message).get("state", {}).get("seq") == number:
                return json.loads(message)["state"]
        raise AssertionError("no answer")


@pytest.fixture(scope="module")
def bystander(lab: Served) -> Iterator[Bystander]:
    one = Bystander(lab)
    with visit(lab, f"/bench/{one.bench}/socket") as one.line:
        one.state()
        one.was = one.saved()
        yield one


@pytest.fixture(autouse=True)
def unharmed(lab: Served, bystander: Bystander) -> Iterator[None]:
    """After each test: the server answers soon, the bystander's bench is as it was, the terminal was told nothing."""
    lines = len(lab.log)
    yield
    began = time.monotonic()
    answer, _ = lab.get("/lab/static/bench.js")
    assert answer.status == 200
    state = bystander.state()
    assert time.monotonic() - began < SOON
    assert (state["message"], state["time"], state["running"]) == (None, 0.0, False)
    assert bystander.saved() == bystander.was
    assert lab.process.poll() is None
    assert not [line for line in lab.log[lines:] if "Traceback" in line], "".join(lab.log[lines:])


# ---------------------------------------------------------------- HTTP


HEADS = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,  # TLS
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    b"GET /\x00\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n: no name\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
    b"\r\n" * 50_000,
]


def answered(lab: Served, data: bytes) -> bytes:
    """What comes back until the server closes, or says no more."""
    with raw(lab) as line:
        with suppress(OSError):
            line.sendall(data)
        said = b""
        with suppress(OSError):
            while piece := line.recv(65536):
                said += piece
                if len(said) > 1_000_000:
                    break
    return said


@pytest.mark.parametrize("data", HEADS, ids=range(len(HEADS)))
def test_what_is_no_request_is_refused(lab: Served, data: bytes) -> None:
    said = answered(lab, data)
    assert said == b"" or said.split(b" ", 2)[1] in {b"400", b"403", b"413", b"431", b"505"}
    assert b"inside" not in said


@settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(min_size=1, max_size=400), st.booleans())
def test_any_bytes(lab: Served, data: bytes, ours: bool) -> None:
    """From a stranger, and after a head of our own."""
    with raw(lab) as line:
        line.sendall((head(lab, "/lab/open", "Content-Length: 400\r\n", "POST") if ours else b"") + data)
        line.shutdown(socket.SHUT_WR)
        with suppress(OSError):
            line.recv(65536)


OUTSIDE = [
    "/../../../../etc/passwd",
    "/lab/static/../start.py",
    "/lab/static/%2e%2e/start.py",
    "/lab/static/..%2f..%2fserver.py",
    "/lab/static/..%5cserver.py",
    "/lab/static//etc/passwd",
    "/lab/static/%00",
    "/lab/thumbnails/..%2f..%2f..%2fetc%2fpasswd.svg",
    "/lab/thumbnails/gas%00.svg",
    "/bench/../scene.toml",
    "/bench/..%2f..%2fx/collisions.csv",
    "/_nicegui/static/../nicegui.py",
    "/_nicegui/auto/static/..%2f..%2fpyproject.toml",
    "/nowhere?x=%0d%0aSet-Cookie:%20a=b",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_files_outside_are_not_had_and_nothing_is_told_of_the_machine(lab: Served, path: str) -> None:
    said = answered(lab, head(lab, path, "Connection: close\r\n")).decode("utf-8", "replace")
    assert said.split(" ", 2)[1] in {"400", "404", "307"}
    told = [os.sep + "site-packages", str(Path(__file__).parents[2]), "root:", "Traceback", "import asyncio"]
    assert not [word for word in told if word in said]
    assert "\r\nset-cookie: a=b" not in said.lower()


@pytest.mark.parametrize(
    "query",
    [
        "scene=%00",
        "scene=" + "x" * 5000,
        "scene=<script>alert(1)</script>",
        "ticket=none",
        "at=none&scene=none",
        "scene=gas&count=1e999",
        "scene=gas&count=nan",
        "scene=gas&count=99999999999",
        "scene=gas&radius=-1",
        "scene=gas&dimension=9",
        "scene=cloth-on-a-ball&points=1000000",
        "scene=goo-tower&floors=100000000",
        "scene=galperin-pi&digits=50",
    ],
)
def test_a_scene_that_cannot_be_gets_a_page_that_says_so(lab: Served, query: str) -> None:
    began = time.monotonic()
    answer, page = lab.get(f"/bench?{query}")
    assert time.monotonic() - began < SOON
    assert answer.status == 200
    assert not re.search(r"/bench/[\w-]+/socket", page), "no bench was made"
    assert "<script>alert" not in page
    assert "Traceback" not in page


def test_a_request_that_is_too_large_is_refused_before_it_comes(lab: Served) -> None:
    said = answered(lab, head(lab, "/lab/open", "Content-Length: 99999999999\r\n", "POST"))
    assert said.startswith(b"HTTP/1.1 413 ")
    assert b"33,554,432 bytes, the maximum" in said


@pytest.mark.parametrize("path", ["/", "/bench", "/lab/static/bench.js", "/_nicegui_ws/socket.io/?EIO=4"])
def test_pieces_without_end_end(lab: Served, path: str) -> None:
    """A body that never says how long it is."""
    piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    with raw(lab) as line, suppress(OSError):
        line.sendall(head(lab, path, "Transfer-Encoding: chunked\r\n", "POST"))
        end = time.monotonic() + 30.0
        while time.monotonic() < end:
            line.sendall(piece)
        raise AssertionError("it took everything")


def test_the_shell_is_reached_by_its_socket_alone(lab: Served) -> None:
    """Polling would read a body of any length, and keep a session for every request."""
    answer, text = lab.get("/_nicegui_ws/socket.io/?EIO=4&transport=polling")
    assert (answer.status, text.count("\n")) == (404, 0)


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b'{"text": 5}', b'{"link": "1.x"}', b"\xff\xfe", b"null"])
def test_what_is_no_scene_is_said_in_a_line(lab: Served, body: bytes) -> None:
    more = f"Content-Length: {len(body)}\r\nConnection: close\r\n"
    said = answered(lab, head(lab, "/lab/open", more, "POST") + body)
    error = json.loads(said.partition(b"\r\n\r\n")[2])["error"]
    assert 10 < len(error) < 300
    assert "\n" not in error


def test_who_connects_and_says_nothing_makes_room_for_others(lab: Served) -> None:
    """Strangers, more than there are places: the oldest go, and the rest some seconds later."""
    lines = [raw(lab) for _ in range(60)]
    try:
        for line in lines[::2]:
            line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        began = time.monotonic()
        assert lab.get("/lab/static/bench.js")[0].status == 200
        assert time.monotonic() - began < SOON
        assert all(gone(line) for line in lines)
    finally:
        for line in lines:
            line.close()


def test_a_head_that_drips_is_not_waited_for(lab: Served) -> None:
    with raw(lab) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        end = time.monotonic() + 30.0
        with suppress(OSError):
            while time.monotonic() < end:
                line.sendall(b"X")
                time.sleep(0.1)
        assert time.monotonic() < end


def gone(line: socket.socket) -> bool:
    """Has the server closed it?"""
    try:
        while line.recv(65536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def test_strangers_keep_no_connection(lab: Served) -> None:
    with raw(lab) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: evil\r\n\r\n")
        assert gone(line)


# ---------------------------------------------------------------- the stage's socket


def frame(first: int, data: bytes, *, masked: bool = True, size: int | None = None) -> bytes:
    """A frame of a socket; `size` if it is to lie."""
    length = len(data) if size is None else size
    return struct.pack("!BBQ", first, (0x80 if masked else 0) | 127, length) + (b"\0\0\0\0" if masked else b"") + data


FRAMES = [
    frame(0x81, b"{}", masked=False),
    frame(0xF1, b"{}"),
    frame(0x83, b"{}"),
    frame(0x81, b"{}", size=2**62),
    frame(0x81, b"{}", size=64 * 2**20),
    frame(0x80, b"nothing was begun"),
    frame(0x01, b"{") + frame(0x81, b"}"),
    frame(0x81, b"\xff\xfe\xfd"),
    struct.pack("!BB", 0x89, 0xFE) + b"\0\x80\0\0\0\0" + b"x" * 128,
    struct.pack("!BB", 0x88, 0x81) + b"\0\0\0\0x",
    b"\x00" * 1000,
    b"GET / HTTP/1.1\r\n\r\n",
]


@pytest.fixture(scope="module")
def own(lab: Served) -> str:
    """A bench of the attacker's."""
    return re.search(r"/bench/([\w-]+)/socket", lab.get(PAGE)[1])[1]


@pytest.mark.parametrize("data", FRAMES, ids=range(len(FRAMES)))
def test_what_is_no_message_ends_the_line(lab: Served, own: str, data: bytes) -> None:
    with raw(lab) as line:
        line.sendall(head(lab, f"/bench/{own}/socket", UPGRADE))
        assert line.recv(12) == b"HTTP/1.1 101"
        line.sendall(data)
        assert gone(line)


FLOODS = {
    "pings": struct.pack("!BB", 0x89, 0x80) + b"\0\0\0\0",
    "pieces": struct.pack("!BB", 0x00, 0x80) + b"\0\0\0\0",
    "commands": frame(0x81, b'{"do":"speed","with":{"factor":1}}'),
    "nonsense": frame(0x81, b"{"),
    "large": frame(0x81, b'{"do":"load","with":{"text":"' + b"x" * 2_000_000 + b'"}}'),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_ends_the_line_and_others_are_answered(lab: Served, own: str, kind: str) -> None:
    with raw(lab) as line:
        line.sendall(head(lab, f"/bench/{own}/socket", UPGRADE))
        assert line.recv(12) == b"HTTP/1.1 101"
        line.sendall(frame(0x01, b"{") if kind == "pieces" else b"")
        data = FLOODS[kind] * max(60_000 // len(FLOODS[kind]), 1)
        end = time.monotonic() + 30.0
        slowest = 0.0
        try:
            while time.monotonic() < end:
                line.sendall(data)
                began = time.monotonic()
                lab.get("/lab/static/bench.js")
                slowest = max(slowest, time.monotonic() - began)
            raise AssertionError("it took everything")
        except OSError:
            pass
        assert slowest < SOON


def test_who_never_listens_is_let_go(lab: Served) -> None:
    """A tab that takes nothing: its pings are not answered, and its bench is freed."""
    bench = re.search(r"/bench/([\w-]+)/socket", lab.get("/bench?scene=gas&count=2000")[1])[1]
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", lab.port))
    line.settimeout(20)
    try:
        line.sendall(head(lab, f"/bench/{bench}/socket", UPGRADE))
        line.recv(12)
        for k in range(20):
            line.sendall(frame(0x81, b'{"ack":%d}' % k) + frame(0x81, b'{"want":{"velocities":true}}'))
        time.sleep(10.0)
        assert gone(line)
    finally:
        line.close()


@pytest.fixture
def mine_alone(lab: Served) -> Iterator[ClientConnection]:
    """A line to a new bench of the attacker's."""
    bench = re.search(r"/bench/([\w-]+)/socket", lab.get(PAGE)[1])[1]
    with visit(lab, f"/bench/{bench}/socket") as line:
        yield line


def told(line: ClientConnection, words: str) -> dict[str, Any]:
    """Send words to a bench, then an order; the notes and the last message that came until it was done."""
    number = time.monotonic_ns() % 2**31
    line.send(words)
    line.send(json.dumps({"seq": number, "do": "speed", "with": {"factor": 1.0}}))
    found: dict[str, Any] = {"notes": []}
    end = time.monotonic() + 30.0
    while time.monotonic() < end:
        message = line.recv(timeout=30)
        content = json.loads(message) if isinstance(message, str) else {}
        if "note" in content:
            found["notes"].append(content["note"]["text"])
        if content.get("state", {}).get("seq") == number:
            return found | {"message": content["state"]["message"]}
    raise AssertionError("no answer")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "[[1.5, 1e400]]", "1" * 400, '{"a": 1E+309}'])
def test_a_number_that_would_be_infinite_is_refused_in_a_line(mine_alone: ClientConnection, number: str) -> None:
    found = told(mine_alone, f'{{"do": "throw", "with": {{"index": 0, "velocity": {number}}}}}')
    [note] = found["notes"]
    assert "is beyond 1.8e308. Send finite numbers." in note
    assert len(note) < 200
    check_clear(note)


@pytest.mark.parametrize("argument", ["name", "value"])
def test_options_are_told_by_words_alone(mine_alone: ClientConnection, argument: str) -> None:
    """Also by what cannot be hashed. The terminal is told nothing: `unharmed` sees to that."""
    for value in AWKWARD:
        given = {"name": "planet", "value": "earth"} | {argument: value}
        found = told(mine_alone, json.dumps({"do": "option", "with": given}))
        assert found["notes"] == []
        assert found["message"]["kind"] == "error"
        check_clear(found["message"]["text"])
        assert "inside carom" not in found["message"]["text"]


@pytest.mark.parametrize("identity", ["x", "..", "%2e%2e", "x" * 4000, "zażółć"])
def test_benches_of_others_cannot_be_guessed(lab: Served, identity: str) -> None:
    path = f"/bench/{identity.encode('ascii', 'ignore').decode()}/socket"
    with pytest.raises((ConnectionClosed, InvalidStatus)), visit(lab, path) as line:
        line.recv(timeout=SOON)


# ---------------------------------------------------------------- the shell's socket


def shell(lab: Served, client: str) -> ClientConnection:
    asked = f"client_id={client}&tab_id=t&document_id=d&next_message_id=0&implicit_handshake=true"
    return visit(lab, f"/_nicegui_ws/socket.io/?EIO=4&transport=websocket&{asked}")


def heard_out(line: ClientConnection) -> None:
    """Take what comes until the line ends."""
    while True:
        line.recv(timeout=SOON)


def event(name: str, **told: Any) -> str:
    return "42" + json.dumps([name, told])


@pytest.mark.parametrize(
    "packet",
    [
        "garbage",
        "",
        "9",
        "42",
        "42{",
        "45999999999-[]",
        '451-["event",{"_placeholder":true,"num":0}]',
        "40" + "[" * 50_000,
        "42" + "[" * 50_000,
        "4" * 300_000,
        '42["event",1]',
        '42["disconnect",{}]',
        '42["ack",{}]',
        "40/other,",
        b"\x00\x01",
    ],
    ids=range(15),
)
def test_packets_that_no_page_sends_end_the_line(lab: Served, packet: str | bytes) -> None:
    with shell(lab, mine(lab)[1]) as line:
        line.send("40")
        line.send(packet)
        with pytest.raises(ConnectionClosed) as closed:
            heard_out(line)
    assert closed.value.rcvd.code == 1008


def test_a_page_speaks_for_itself_alone(lab: Served, bystander: Bystander) -> None:
    """Even one that knows another's name."""
    told = {"client_id": bystander.client}
    for packet in (
        event("event", **told, id=5, listener_id="x", args=[]),
        event("javascript_response", **told, request_id="x", result=1),
        event("handshake", **told, tab_id="t", document_id="d"),
    ):
        with shell(lab, "mine") as line:
            line.send("40")
            line.send(packet)
            with pytest.raises(ConnectionClosed):
                heard_out(line)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
"""What a page can send."""


@settings(max_examples=examples(6), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, 700), JSON), min_size=20, max_size=60))
def test_events_with_any_content(lab: Served, told: list[tuple[int, Any]]) -> None:
    """Of a page's own, whose elements and listeners are there, with content that no handler expects."""
    _, client, listeners = mine(lab)
    chosen = [(*listeners[number % len(listeners)], json.dumps(content)) for number, content in told]
    packets = [
        event("event", client_id=client, id=identity, listener_id=listener, args=[content])
        for identity, listener, content in chosen
    ]
    # Where the machine is busy, this client can be too slow for such a server, and be left; but it is never refused.
    assert told_by(lab, client, packets) != 1008


def told_by(lab: Served, client: str, packets: list[str]) -> int | None:
    """Send packets as a page, and listen until all is quiet; the code, if the server ends the line."""
    try:
        with shell(lab, client) as line:
            line.send("40")
            for packet in packets:
                line.send(packet)
            while True:
                line.recv(timeout=0.2)
    except TimeoutError:
        return None
    except ConnectionClosed as ended:
        return None if ended.rcvd is None else ended.rcvd.code


def mine(lab: Served) -> tuple[str, str, list[tuple[int, str]]]:
    """A page of the attacker's: its text, its name, and who listens on it."""
    if not hasattr(lab, "page"):
        page = lab.get(PAGE)[1]
        client = re.search(r"client_id['\"]:\s*['\"]([\w-]+)", page)[1]
        raw_elements = re.search(r"parseElements\(String\.raw`(.*?)`\)", page, re.DOTALL)[1]
        for code, sign in (("&#36;", "$"), ("&#96;", "`"), ("&gt;", ">"), ("&lt;", "<"), ("&amp;", "&")):
            raw_elements = raw_elements.replace(code, sign)
        elements = json.loads(raw_elements)
        listeners = [
            (int(number), each["listener_id"])
            for number, element in elements.items()
            for each in element.get("events", [])
        ]
        lab.page = (page, client, listeners)  # kept with the server: a page takes a quarter of a second
    return lab.page
