"""A real server in a separate process, on a free port, ended by its process id."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse

PATIENCE = 90.0
"""Seconds for a server to start on a busy machine."""

TINY = """
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from carom.lab.server.start import serve
def app(benches):
    from carom.scene import library
    def bench(request):
        return PlainTextResponse(benches.open(library.load("break")).socket)
    return Starlette(routes=[Route("/", lambda request: PlainTextResponse("inside")), Route("/bench", bench)])
raise SystemExit(serve(app, port=0, open_browser=False))
"""
"""A laboratory without a shell: one page, and benches that print the address of their socket."""


@dataclass
class Served:
    """A running server."""

    process: subprocess.Popen[str]
    address: str
    """The printed address, with the token."""
    log: list[str] = field(default_factory=list)
    """Its output on both streams."""

    @property
    def port(self) -> int:
        return int(re.search(r":(\d+)/", self.address)[1])

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    @property
    def cookie(self) -> str:
        return f"carom-{self.port}={self.token}"

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, str]:
        """Request a page without a browser, with the cookie by default."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, headers={"Cookie": self.cookie} | headers)
            answer = connection.getresponse()
            return answer, answer.read().decode()
        finally:
            connection.close()

    def interrupt(self, within: float) -> int:
        """Send Ctrl-C; return the exit code. TimeoutExpired if it takes longer."""
        os.kill(self.process.pid, signal.SIGINT)
        return self.process.wait(within)


@contextmanager
def served(*arguments: str, **variables: str) -> Iterator[Served]:
    """`python ARGUMENTS`, which prints the address of a laboratory; by default `-c TINY`."""
    process = subprocess.Popen(
        [sys.executable, *(arguments or ("-c", TINY))],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=environment() | variables,
    )
    log: list[str] = []
    found = threading.Event()
    threading.Thread(target=listen, args=(process, log, found), daemon=True).start()
    try:
        found.wait(PATIENCE)
        addresses = [match[0] for line in log if (match := re.search(r"http://\S+token=[\w-]+", line))]
        if not addresses:
            raise RuntimeError("the laboratory did not start:\n" + "".join(log))
        yield Served(process, addresses[0], log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE)
        process.stdout.close()


def environment() -> dict[str, str]:
    """The environment without the variables by which NiceGUI detects tests and changes its behaviour."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "NICEGUI_"))}
    return plain | {"PYTHONUNBUFFERED": "1"}


def listen(process: subprocess.Popen[str], log: list[str], found: threading.Event) -> None:
    """Read the server's output, so that it never blocks."""
    try:
        for line in process.stdout:
            log.append(line)
            if "token=" in line:
                found.set()
    except ValueError:  # the pipe is closed at the end
        return
    finally:
        found.set()
