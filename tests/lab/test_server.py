"""The server: where it listens, what it says, who gets in, and that it ends in time."""

import json
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from carom.lab.server import start as server
from carom.lab.server.start import ServerError, bind, listening
from lab.reading import read_frame
from lab.serving import Served, served


@pytest.fixture(scope="module")
def running() -> Iterator[Served]:
    with served() as one:
        yield one


def test_one_line_is_printed(running: Served) -> None:
    assert len(running.log) == 1
    assert re.fullmatch(
        rf"carom's laboratory: http://127\.0\.0\.1:{running.port}/\?token=[\w-]{{43}}  \(Ctrl-C stops it\)\n",
        running.log[0],
    )


def test_it_listens_on_this_computer_alone(running: Served) -> None:
    """127.0.0.1 and no other address of this computer."""
    for other in ("127.0.0.2", "::1"):
        family = socket.AF_INET6 if ":" in other else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as made:
            made.settimeout(5)
            assert made.connect_ex((other, running.port)) != 0


def test_the_token_opens(running: Served) -> None:
    answer, _ = running.get(f"/?token={running.token}", Cookie="")
    assert (answer.status, answer.getheader("Location")) == (303, "/")
    cookie = answer.getheader("Set-Cookie").partition(";")[0]
    assert running.get("/", Cookie=cookie)[1] == "inside"


@pytest.mark.parametrize(
    "headers", [{"Cookie": ""}, {"Cookie": "carom-1=x"}, {"Host": "evil.example"}, {"Origin": "http://evil.example"}]
)
def test_strangers_get_no_page(running: Served, headers: dict[str, str]) -> None:
    answer, text = running.get("/", **headers)
    assert answer.status == 403
    assert "inside" not in text


def test_it_tells_nothing_of_what_it_is(running: Served) -> None:
    assert running.get("/")[0].getheader("Server") is None


def visit(running: Served, path: str, **headers: str) -> connect:
    given = {"Cookie": running.cookie} | headers
    origin = given.pop("Origin", running.origin)
    return connect(
        f"ws://{running.host}{path}", origin=origin or None, additional_headers=given, open_timeout=30, close_timeout=5
    )


@pytest.mark.parametrize("headers", [{"Cookie": ""}, {"Origin": "http://evil.example"}, {"Origin": ""}])
@pytest.mark.parametrize("path", ["/bench/any/socket", "/_nicegui_ws/socket.io/"])
def test_strangers_get_no_socket(running: Served, path: str, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus) as refused, visit(running, path, **headers):
        pass
    assert refused.value.response.status_code == 403


def test_a_bench_that_is_none_is_gone(running: Served) -> None:
    with visit(running, "/bench/none/socket") as line, pytest.raises(ConnectionClosed) as closed:
        line.recv(timeout=30)
    assert closed.value.rcvd.code == 4404


def test_frames_are_not_compressed(running: Served) -> None:
    """Deflating positions costs more time than it saves on this computer's own line."""
    with visit(running, "/bench/none/socket") as line:
        assert line.protocol.extensions == []


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    with bind(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match=f"^port {port} is taken. Choose another"):
            listening(port)


def test_without_a_port_a_free_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with bind(0) as taken:
        monkeypatch.setattr(server, "PORT", taken.getsockname()[1])
        with listening(None) as other:
            assert other.getsockname()[0] == "127.0.0.1"
            assert other.getsockname()[1] not in {0, taken.getsockname()[1]}


def test_no_text_browser_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not server.graphical()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert server.graphical()


def stop(running: Served) -> float:
    """Press Ctrl-C; the seconds that it took. The exit code is 0, and nothing more is said."""
    began = time.monotonic()
    assert running.interrupt(within=30.0) == 0
    taken = time.monotonic() - began
    assert "Traceback" not in "".join(running.log)
    return taken


LIMIT = 2.5
"""Two seconds, and half of one for a machine that is busy with other tests."""


def test_ctrl_c_stops_it() -> None:
    with served() as one:
        assert stop(one) < LIMIT


def test_ctrl_c_pressed_twice_stops_it_at_once() -> None:
    """A line that is held open would keep it for a while after the first."""
    with served() as one, socket.create_connection(("127.0.0.1", one.port)) as half:
        half.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        time.sleep(0.2)
        os.kill(one.process.pid, signal.SIGINT)
        time.sleep(0.1)
        assert stop(one) < LIMIT


def test_ctrl_c_stops_it_with_a_browser_that_never_reads() -> None:
    """A line that is held open, half a request, and a socket that neither reads nor answers."""
    with served() as one, socket.create_connection(("127.0.0.1", one.port)) as half, socket.socket() as deaf:
        half.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        deaf.connect(("127.0.0.1", one.port))
        path = one.get("/bench")[1]
        deaf.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {one.host}\r\nOrigin: {one.origin}\r\nCookie: {one.cookie}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        deaf.settimeout(30)
        assert deaf.recv(12) == b"HTTP/1.1 101"
        time.sleep(0.5)
        assert stop(one) < LIMIT


def receive(line: Any, kind: str, within: float = 60.0) -> Any:
    """The next message of a kind: "frame" or a text's key."""
    end = time.monotonic() + within
    while True:
        message = line.recv(timeout=max(end - time.monotonic(), 0.01))
        if isinstance(message, bytes):
            if kind == "frame":
                return read_frame(message)
        elif kind in (said := json.loads(message)):
            return said[kind]


def test_a_bench_runs_on_a_real_line(running: Served) -> None:
    with visit(running, running.get("/bench")[1]) as line:
        assert receive(line, "scene")["name"] == "Break"
        first = receive(line, "frame")
        assert first["n"] == len(first["positions"]) > 10
        line.send(json.dumps({"ack": first["number"]}))
        line.send(json.dumps({"seq": 1, "do": "run"}))
        for _ in range(20):
            frame = receive(line, "frame")
            line.send(json.dumps({"ack": frame["number"]}))
        assert frame["time"] > first["time"]
        assert frame["seq"] == 1
        assert frame["flags"] & 4, "running"
        assert receive(line, "chart")["time"]


def test_a_browser_that_acknowledges_nothing_gets_two_frames_and_an_answer_and_the_run_goes_on(running: Served) -> None:
    with visit(running, running.get("/bench")[1]) as line:
        line.send(json.dumps({"seq": 1, "do": "run"}))
        frames, times, end = 0, [], time.monotonic() + 30.0
        while (not times or times[-1] < 0.5) and time.monotonic() < end:
            message = line.recv(timeout=30)
            if isinstance(message, bytes):
                frames += 1
            elif "state" in (said := json.loads(message)):
                times.append(said["state"]["time"])
        assert times[-1] >= 0.5
        assert 2 <= frames <= 3  # the third answers the command


def test_a_page_that_comes_back_finds_its_bench(running: Served) -> None:
    path = running.get("/bench")[1]
    with visit(running, path) as line:
        line.send(json.dumps({"seq": 9, "do": "speed", "with": {"factor": 10}}))
        while receive(line, "state")["seq"] != 9:
            pass
    with visit(running, path) as line:
        assert receive(line, "scene")["epoch"] >= 0, "the scene is told anew"
        assert receive(line, "state")["speed"] == 10.0


def test_ctrl_c_stops_it_while_kernels_are_compiled(tmp_path: Path) -> None:
    """And the page hears, again and again, that they are."""
    with served(NUMBA_CACHE_DIR=str(tmp_path)) as one, visit(one, one.get("/bench")[1]) as line:
        while receive(line, "state")["working"] != "compiling":
            pass
        assert receive(line, "state")["working"] == "compiling"
        assert stop(one) < LIMIT


BUSY = """
import threading, time
from starlette.applications import Starlette
from carom.lab.server import start as server
class Stuck:
    def start(self): pass
    def stop(self, timeout=1.0): time.sleep(60)
def app(benches):
    benches.make = lambda scene, entry: Stuck()
    benches.open(None)
    return Starlette()
raise SystemExit(server.serve(app, port=0, open_browser=False))
"""
"""A runner that does not stop."""


def test_ctrl_c_stops_it_though_a_runner_does_not_stop() -> None:
    with served("-c", BUSY) as one:
        assert stop(one) < LIMIT


DEAF = BUSY.replace(
    "    return Starlette()",
    """    async def startup(app):
        import asyncio, concurrent.futures
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 60)
        yield
        await asyncio.sleep(60)
    import contextlib
    return Starlette(lifespan=contextlib.asynccontextmanager(startup))""",
)
"""An application that takes a minute to end."""


def test_ctrl_c_stops_it_though_the_application_lingers() -> None:
    with served("-c", DEAF) as one:
        assert stop(one) < LIMIT


def test_a_second_server_does_not_take_the_port(running: Served) -> None:
    script = f"from carom.lab.server.start import listening; listening({running.port})"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert f"port {running.port} is taken" in ended.stderr
