"""Limits of requests: bytes, pages per second, messages to the shell."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qsl

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from carom.lab.server.budget import Budget
from carom.lab.server.packets import verdict

BODIES = {"/lab/open": 32 * 2**20}
"""Bytes of a request, by its address."""
BODY = 64 * 2**10
"""Bytes of any other request; those of the laboratory's pages have no body."""
REQUEST_TIMEOUT = 120.0
"""s for a complete request: to arrive, be answered, and be received."""
PAGES = (4.0, 80.0)
"""Pages with a bench per second, and at once: each is a thread, and a quarter of a second of work."""
SHELL = "/_nicegui_ws/"
"""The socket of NiceGUI: the shell's."""
SHELL_SOCKET = f"{SHELL}socket.io/"
SHELLS = 200
"""Sockets of the shell at a time."""
MESSAGE = 256 * 2**10
"""Characters of a message to the shell: what a person types into a form."""
MESSAGES = (100.0, 500.0)
"""Messages to the shell per second, and at once: a slider sends 20 per second."""
CHARACTERS = (256e3, 2e6)
"""Their characters per second, and at once."""
CLOSE_FLOOD = 1008


class Limits:
    """ASGI middleware: passes on requests within the limits, and refuses others with one line."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.pages = Budget(*PAGES)
        self.shells = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse a request."""
        if scope["type"] == "http":
            response = self.refusal(scope)
            if response is None:
                await self.answer(scope, receive, send)
            else:
                await response(scope, receive, send)
        elif scope["type"] == "websocket" and scope["path"].startswith(SHELL):
            await self.talk(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def refusal(self, scope: Scope) -> Response | None:
        """The refusal of a request beyond the limits; None if it is within them."""
        if scope["path"].startswith(SHELL):
            return refused(404, "The laboratory uses WebSockets only. Use a browser that supports them.")
        most = BODIES.get(scope["path"], BODY)
        if told_length(scope) > most:
            return refused(413, f"The request is larger than {most:,} bytes, the maximum. Send less.")
        if scope["path"] == "/bench" and not self.pages.spend():
            return refused(429, "Too many pages were opened at once. Wait some seconds, and reload this one.")
        return None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, with limits of bytes and time."""
        left = BODIES.get(scope["path"], BODY)
        started = False

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            return message if left >= 0 else {"type": "http.request", "body": b"", "more_body": False}

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                if left < 0:  # what is still to come of the request is not read
                    message["headers"] = [*message.get("headers", []), (b"connection", b"close")]
            await send(message)

        try:
            async with asyncio.timeout(REQUEST_TIMEOUT):
                await self.app(scope, counted, sending)
        except TimeoutError:
            if not started:
                await refused(503, "That took too long. Try again.")(scope, receive, send)

    async def talk(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a socket of the shell; too many or invalid messages close it."""
        messages, characters = Budget(*MESSAGES), Budget(*CHARACTERS)
        page = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("client_id", "")

        async def counted() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                size = len(message.get("text") or message.get("bytes") or "")
                fits = size <= MESSAGE and messages.spend() and characters.spend(size)
                said = verdict(message.get("text"), page) if fits else "refuse"
                if said == "pass":
                    return message
                if said == "refuse":
                    break
            await send({"type": "websocket.close", "code": CLOSE_FLOOD})
            return {"type": "websocket.disconnect", "code": CLOSE_FLOOD}

        if self.shells >= SHELLS or scope["path"] != SHELL_SOCKET:
            await receive()
            await send({"type": "websocket.close", "code": CLOSE_FLOOD})
            return
        self.shells += 1
        try:
            await self.app(scope, counted, send)
        finally:
            self.shells -= 1


def told_length(scope: Scope) -> int:
    """The declared length of a request; 0 if it is invalid, as bytes are counted anyway."""
    told = [value for name, value in scope["headers"] if name == b"content-length" and value.isdigit()]
    return max((int(value[:20]) for value in told), default=0)


def refused(status: int, words: str) -> Response:
    """A refusal of one line, which closes the connection because the request is not read completely."""
    return PlainTextResponse(words, status_code=status, headers={"Connection": "close", "Cache-Control": "no-store"})
