"""How much a visitor may ask for: bytes of a request, pages a second, messages to the shell."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qsl

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from carom.lab.server.budget import Budget
from carom.lab.server.packets import verdict

BODIES = {"/lab/open": 32 * 2**20}
"""Bytes of a request, by its address,"""
BODY = 64 * 2**10
"""and of any other: none of ours has a body at all."""
WITHIN = 120.0
"""Seconds for a request as a whole: to arrive, be answered, and be taken."""
PAGES = (4.0, 80.0)
"""Pages with a bench a second, and at once: each is a thread, and a quarter of a second's work."""
SHELL = "/_nicegui_ws/"
"""The socket of NiceGUI: the shell's."""
SHELL_SOCKET = f"{SHELL}socket.io/"
SHELLS = 200
"""Sockets of the shell at a time."""
MESSAGE = 256 * 2**10
"""Characters of a message to the shell: what a person types into a form."""
MESSAGES = (100.0, 500.0)
"""Messages to the shell a second, and at once: a slider sends 20 a second."""
CHARACTERS = (256e3, 2e6)
"""Their characters a second, and at once."""
CLOSE_FLOOD = 1008


class Limits:
    """ASGI: hands on what is within the limits, and refuses the rest in a line."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.pages = Budget(*PAGES)
        self.shells = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse."""
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
        """The answer to what is too much; None if it is not."""
        if scope["path"].startswith(SHELL):
            return refused(404, "The laboratory speaks by sockets alone. Use a browser that has them.")
        most = BODIES.get(scope["path"], BODY)
        if told_length(scope) > most:
            return refused(413, f"The request is larger than {most:,} bytes, which is the most. Send less.")
        if scope["path"] == "/bench" and not self.pages.spend():
            return refused(429, "Too many pages were opened at once. Wait some seconds, and load this one anew.")
        return None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on; it ends with as many bytes as it may have, and in time."""
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
            async with asyncio.timeout(WITHIN):
                await self.app(scope, counted, sending)
        except TimeoutError:
            if not started:
                await refused(503, "That took too long. Try again.")(scope, receive, send)

    async def talk(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a socket of the shell on; a flood ends it, and so does what no page of ours would say."""
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
    """The length that a request says it has; what cannot be read counts as none, and the bytes are counted anyway."""
    told = [value for name, value in scope["headers"] if name == b"content-length" and value.isdigit()]
    return max((int(value[:20]) for value in told), default=0)


def refused(status: int, words: str) -> Response:
    """A refusal in a line; the connection ends with it, for the request is not read to its end."""
    return PlainTextResponse(words, status_code=status, headers={"Connection": "close", "Cache-Control": "no-store"})
