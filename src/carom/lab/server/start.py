"""Starts the laboratory, prints its address, and stops it."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import platform
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from carom.errors import CaromError
from carom.lab.bench.benches import Benches
from carom.lab.server.budget import Budget
from carom.lab.server.connections import HttpConnection, Socket
from carom.lab.server.guard import Guard
from carom.lab.server.limits import Limits
from carom.lab.server.socket import Wire

HOST = "127.0.0.1"
PORT = 8421
"""The preferred port: browsers store settings by address, so that it should stay the same."""
MAX_MESSAGE_BYTES = 20 * 2**20
"""Bytes of a message; beyond it the socket is closed unread; `socket.MAX_MESSAGE` gives a message."""
SWITCH = 0.0005
"""Switch interval of Python's threads, s: a tenth of the default, for quick answers."""
GRACE = 1
"""s for connections to close; an integer for uvicorn."""
DEADLINE = 1.8
"""s from Ctrl-C until the process ends, whatever is being done."""


LOG_LINES = (0.1, 20.0)
"""Lines per second, and at once, that libraries may log to the terminal."""
TALKATIVE = ("asyncio", "uvicorn.error", "nicegui", "socketio.server", "engineio.server", "carom.lab.bench.runner")
PING_EVERY, PONG_WITHIN = 20.0, 20.0
"""s between two pings of a browser, and for its answer."""


class ServerError(CaromError):
    """The laboratory cannot be started."""


def serve(
    app: Callable[[Benches], ASGIApp],
    *,
    path: str = "/",
    port: int | None = None,
    open_browser: bool = True,
    say: Callable[[str], None] = print,
) -> int:
    """Serve the app on this computer only until Ctrl-C, then end the process; return 1 if it cannot start.

    `path` is the page to open first.
    """
    listener = listening(port)
    sys.setswitchinterval(SWITCH)
    for name in TALKATIVE:
        logging.getLogger(name).addFilter(Terse())
    number = listener.getsockname()[1]
    token = secrets.token_urlsafe(32)
    address = f"http://{HOST}:{number}{path}{'&' if '?' in path else '?'}token={token}"
    benches = Benches()
    guarded = Guard(Limits(Wire(app(benches), benches)), number, token)

    def started() -> None:
        say(f"carom's laboratory: {address}  (Ctrl-C stops it)")
        sys.stdout.flush()
        if open_browser and graphical():
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    server = Server(guarded, started)
    try:
        asyncio.run(server.until_stopped(listener, benches))
    except KeyboardInterrupt:
        pass  # uvicorn raises the signal again when it has stopped
    finally:
        listener.close()
    benches.close_all(timeout=0.3)
    if server.started:
        leave()
    return 1


def listening(port: int | None) -> socket.socket:
    """A socket that listens on the port, or on a free one if it is None."""
    if port is not None:
        return bind(port)
    try:
        return bind(PORT)
    except ServerError:
        return bind(0)


def bind(port: int) -> socket.socket:
    """A socket bound to a port of this computer; ServerError if that fails."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let two programs share a port
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
        made.listen()
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise ServerError(
                f"port {port} is taken. Choose another, or leave --port out: carom finds a free one."
            ) from None
        raise ServerError(f"port {port} cannot be used: {error.strerror}. Choose another, such as {PORT}.") from None
    return made


class Server(uvicorn.Server):
    """Uvicorn that announces its start and ends in time."""

    def __init__(self, app: ASGIApp, announce: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=HttpConnection,
                ws=Socket,
                log_level="error",
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                ws_per_message_deflate=False,
                ws_max_size=MAX_MESSAGE_BYTES,
                ws_ping_interval=PING_EVERY,
                ws_ping_timeout=PONG_WITHIN,
                timeout_graceful_shutdown=GRACE,
                lifespan="on",
            )
        )
        self.announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then announce the address."""
        await super().startup(sockets=sockets)
        if self.started:
            self.announce()

    async def until_stopped(self, listener: socket.socket, benches: Benches) -> None:
        """Serve, and close benches whose tab has gone."""
        sweeping = asyncio.ensure_future(benches.sweeping())
        try:
            await self.serve(sockets=[listener])
        finally:
            sweeping.cancel()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop cleanly; end the process if that takes too long, or after a second Ctrl-C."""
        if self.should_exit:
            leave()
        timer = threading.Timer(DEADLINE, leave)
        timer.daemon = True
        timer.start()
        super().handle_exit(sig, frame)


class Terse(logging.Filter):
    """A log filter that limits the rate of lines."""

    def __init__(self) -> None:
        super().__init__()
        self.told = Budget(*LOG_LINES)

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002  # whatever it is
        """May this line be logged?"""
        return self.told.spend()


def leave() -> None:
    """End the process at once, with exit code 0.

    A thread that compiles cannot be stopped, and Python may take seconds to shut the compiler down. Numba's cache is
    safe: its files are written atomically.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def graphical() -> bool:
    """Is there a screen to open a browser on? Without one, `webbrowser` would start a text browser in this terminal."""
    named = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    return named or platform.system() in {"Darwin", "Windows"}
