"""The server's own ends of a connection: who connects and says nothing, or never listens, is let go.

Uvicorn waits for ever for the head of a request, and for a browser that takes nothing: a few hundred of such
connections would be all there are, and anybody on this computer can make them, without the token.
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
except ImportError:  # not on Windows, where there is no such limit
    FILES = 1024
else:
    FILES = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 20)

CONNECTIONS = max(min(600, FILES - 100), 50)
"""Connections at a time, where the system allows so many open files: each tab has two for itself and shares six."""
HALF_OPEN = 100
"""Connections at a time that have sent no whole request; beyond it, the one that waits the longest is let go."""
HEAD_WITHIN = 10.0
"""Seconds for the head of a request to arrive, to its last letter."""
PINGS = (10.0, 100.0)
"""Pings a second, and at once: browsers send none."""
PIECES = 10_000
"""Pieces of a message: browsers send one in as many as they like, of many kilobytes each."""
FAREWELL = 5.0
"""Seconds for a browser to take what was sent before the line was closed."""


class Door(H11Protocol):
    """A connection of HTTP. Its head has a time to arrive in, and there are not too many of them."""

    timer: asyncio.TimerHandle | None = None
    since = 0.0

    @property
    def idle(self) -> bool:
        """Is no request being answered?"""
        return self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]  # at first there is none

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Somebody connects: if there are too many, someone who says nothing makes room."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self.expect_head()
        others = [each for each in self.connections if isinstance(each, Door) and each is not self and each.idle]
        if len(others) >= HALF_OPEN or len(self.connections) > CONNECTIONS:
            min(others, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self.head_is_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A piece of a request."""
        if self.timer is None and self.idle:
            self.expect_head()
        super().data_received(data)
        if not self.idle:
            self.head_is_here()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """From now on it is a socket."""
        self.head_is_here()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Say that it is no HTTP; if a request is being answered, as when its body breaks, that ends."""
        if self.idle:
            super().send_400_response(msg)
            return
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        self.transport.abort()

    def expect_head(self) -> None:
        """Wait for a request, for so long."""
        self.timer = self.loop.call_later(HEAD_WITHIN, self.transport.abort)

    def head_is_here(self) -> None:
        """Wait no longer."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Socket(WebSocketsSansIOProtocol):
    """A socket. Who answers no ping, floods it with pings, or takes nothing, is let go at once."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.pings = Budget(*PINGS)

    def handle_ping(self) -> None:
        """Answer, if they are not too many."""
        if self.transport.is_closing():
            return
        if self.pings.spend():
            super().handle_ping()
        else:
            self.transport.abort()

    def handle_cont(self, event: Any) -> None:
        """A piece of a message, if they are not too many."""
        if self.transport.is_closing():
            return
        if len(self.frames) < PIECES:
            super().handle_cont(event)
        else:
            self.transport.abort()

    def send_receive_event_to_app(self) -> None:
        """A whole message, if it is one."""
        try:
            if self.curr_msg_data_type == "text":
                b"".join(self.frames).decode()
        except UnicodeDecodeError:
            self.transport.abort()
        else:
            super().send_receive_event_to_app()

    def keepalive_timeout(self) -> None:
        """It does not answer: closing in good order would wait until it takes what was sent."""
        self.transport.abort()

    async def send(self, message: Any) -> None:
        """Send; who is told to go is gone some seconds later."""
        await super().send(message)
        if message["type"] == "websocket.close":
            self.loop.call_later(FAREWELL, self.transport.abort)
