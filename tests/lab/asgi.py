"""A client of an ASGI app without a server: requests and sockets, with headers exactly as given."""

import asyncio
import json
import queue
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

WAIT = 20.0
Headers = Mapping[str, str] | Iterable[tuple[str, str]]


class Closed(Exception):  # noqa: N818  # the way a conversation ends
    """The app has closed or refused the socket."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


@dataclass(frozen=True)
class Answer:
    """The response; names of headers in lower case."""

    status: int
    headers: dict[str, str]
    text: str


class Client:
    """A browser at `host`, with a cookie or without."""

    def __init__(self, app: Any, host: str = "127.0.0.1:8421", cookie: str | None = None) -> None:
        self.app = app
        self.host = host
        self.cookie = cookie

    def scope(self, kind: str, address: str, headers: Headers) -> dict[str, Any]:
        """The scope of a request; a given Host replaces the default."""
        parts = urlsplit(address) if not address.startswith(("//", "/\\")) else urlsplit("http://x" + address)
        given = list(headers.items()) if isinstance(headers, Mapping) else list(headers)
        if not any(name.lower() == "host" for name, _ in given):
            given.insert(0, ("host", self.host))
        if self.cookie is not None and not any(name.lower() == "cookie" for name, _ in given):
            given.append(("cookie", self.cookie))
        return {
            "type": kind,
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http" if kind == "http" else "ws",
            "path": parts.path,
            "raw_path": parts.path.encode("latin-1"),
            "query_string": parts.query.encode("latin-1"),
            "root_path": "",
            "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in given],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8421),
            "subprotocols": [],
        }

    def request(self, method: str, address: str, headers: Headers = ()) -> Answer:
        """Send a request and wait for the response."""
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self.app({**self.scope("http", address, headers), "method": method}, receive, send))
        start, *bodies = sent
        found: dict[str, str] = {}
        for name, value in start["headers"]:
            key = name.decode("latin-1").lower()
            found[key] = f"{found[key]}, {value.decode('latin-1')}" if key in found else value.decode("latin-1")
        return Answer(start["status"], found, b"".join(body.get("body", b"") for body in bodies).decode())

    def get(self, address: str, headers: Headers = ()) -> Answer:
        """Ask for a page."""
        return self.request("GET", address, headers)

    @contextmanager
    def socket(self, address: str, headers: Headers = ()) -> Iterator["Socket"]:
        """Open a socket; the app runs in a thread with its own event loop. Closed if refused."""
        made = Socket(self.app, self.scope("websocket", address, headers))
        try:
            made.open()
            yield made
        finally:
            made.leave()


class Socket:
    """The browser's end of a socket."""

    def __init__(self, app: Any, scope: dict[str, Any]) -> None:
        self.arrived: queue.Queue[dict[str, Any]] = queue.Queue()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.waiting: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.ended: Future[None] = asyncio.run_coroutine_threadsafe(app(scope, self.waiting.get, self.take), self.loop)

    async def take(self, message: dict[str, Any]) -> None:
        self.arrived.put(message)

    def say(self, message: dict[str, Any]) -> None:
        self.loop.call_soon_threadsafe(self.waiting.put_nowait, message)

    def open(self) -> None:
        self.say({"type": "websocket.connect"})
        self.receive_any()

    def leave(self) -> None:
        """Disconnect; the app must end by itself, quickly."""
        self.say({"type": "websocket.disconnect", "code": 1001})
        try:
            self.ended.result(WAIT)
        finally:
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(WAIT)
            self.loop.close()

    def send_text(self, text: str) -> None:
        self.say({"type": "websocket.receive", "text": text})

    def send_json(self, message: Any) -> None:
        self.send_text(json.dumps(message))

    def send_bytes(self, data: bytes) -> None:
        self.say({"type": "websocket.receive", "bytes": data})

    def receive_any(self) -> dict[str, Any]:
        """The next message of the app; Closed if that ends the conversation."""
        message = self.arrived.get(timeout=WAIT)
        if message["type"] == "websocket.close":
            raise Closed(message.get("code", 1000))
        return message

    def receive(self) -> str | bytes:
        """The next text or bytes."""
        message = self.receive_any()
        return message["text"] if message.get("bytes") is None else message["bytes"]
