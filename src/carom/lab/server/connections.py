"""HTTP and WebSocket connections with timeouts: silent or blocked clients are disconnected.

Uvicorn waits for ever for the head of a request, and for a browser that receives nothing: a few hundred such
connections would use up all, and any program on this computer can open them without the token.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from carom.lab.server.budget import Budget

try:
    import resource
except ImportError:  # Windows has no such limit
    FILES = 1024
else:
    FILES = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 20)

CONNECTIONS = max(min(600, FILES - 100), 50)
"""Connections at a time, within the system's limit of open files: each tab has two for itself and shares six."""
MAX_HALF_OPEN = 100
"""Connections without a complete request; beyond it, the oldest is closed."""
HEAD_TIMEOUT = 10.0
"""s for the complete head of a request to arrive."""
PINGS = (10.0, 100.0)
"""Pings per second, and at once: browsers send none."""
MAX_FRAGMENTS = 10_000
"""Fragments of a message: browsers send large ones."""
CLOSE_TIMEOUT = 5.0
"""s for a browser to receive what was sent before closing."""


class HttpConnection(H11Protocol):
    """An HTTP connection with a timeout for the head, and a limit of connections without requests."""

    timer: asyncio.TimerHandle | None = None
    since = 0.0

    @property
    def idle(self) -> bool:
        """Is no request being answered?"""
        return self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]  # at first there is none

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Accept a connection; if there are too many, close the oldest without a request."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self.expect_head()
        others = [
            each for each in self.connections if isinstance(each, HttpConnection) and each is not self and each.idle
        ]
        if len(others) >= MAX_HALF_OPEN or len(self.connections) > CONNECTIONS:
            min(others, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a closed connection."""
        self.head_is_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle a part of a request."""
        if self.timer is None and self.idle:
            self.expect_head()
        super().data_received(data)
        if not self.idle:
            self.head_is_here()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to a WebSocket."""
        self.head_is_here()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP; a request that is being answered ends."""
        if self.idle:
            super().send_400_response(msg)
            return
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        self.transport.abort()

    def expect_head(self) -> None:
        """Start the timeout for the head of a request."""
        self.timer = self.loop.call_later(HEAD_TIMEOUT, self.transport.abort)

    def head_is_here(self) -> None:
        """Stop the timeout."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Socket(WebSocketsSansIOProtocol):
    """A WebSocket that is closed at once if the client answers no pings, floods it, or receives nothing."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.pings = Budget(*PINGS)

    def handle_ping(self) -> None:
        """Answer a ping, unless there are too many."""
        if self.transport.is_closing():
            return
        if self.pings.spend():
            super().handle_ping()
        else:
            self.transport.abort()

    def handle_cont(self, event: Any) -> None:
        """Handle a fragment of a message, unless there are too many."""
        if self.transport.is_closing():
            return
        if len(self.frames) < MAX_FRAGMENTS:
            super().handle_cont(event)
        else:
            self.transport.abort()

    def send_receive_event_to_app(self) -> None:
        """Handle a complete message, if it is valid."""
        try:
            if self.curr_msg_data_type == "text":
                b"".join(self.frames).decode()
        except UnicodeDecodeError:
            self.transport.abort()
        else:
            super().send_receive_event_to_app()

    def keepalive_timeout(self) -> None:
        """Abort without a closing handshake, which would wait for the client."""
        self.transport.abort()

    async def send(self, message: Any) -> None:
        """Send a message; after a closing one, abort the connection in some seconds."""
        await super().send(message)
        if message["type"] == "websocket.close":
            self.loop.call_later(CLOSE_TIMEOUT, self.transport.abort)
