"""The socket of a stage: frames and messages out, commands in. Connects the runner's thread and the event loop."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from carom.lab.bench.benches import Bench, Benches
from carom.lab.commands.table import CANCEL, COMMANDS
from carom.lab.seen.frames import MAX_UINT32, text
from carom.lab.seen.stream import Stream
from carom.lab.seen.view import View
from carom.lab.server.budget import Budget

log = logging.getLogger(__name__)

PATH = re.compile(r"/bench/([\w-]+)/socket")
MAX_MESSAGE = 16 * 2**20
"""Characters of a message: a scene file of 100,000 balls fits."""
MISTAKES = (1.0, 30.0)
"""Invalid messages per second, and at once: the laboratory's pages send none."""
MESSAGES = (300.0, 2000.0)
"""Messages per second, and at once: a mouse sends 125 per second, a screen draws 60 or 144 frames."""

CHARACTERS = (1e6, 2.0 * MAX_MESSAGE)
"""Their characters per second, and at once: two large files, and interactive commands."""
MAX_WAITING = 1000
"""Commands that wait for a busy bench; later ones are refused with a message."""
MAX_VISITORS = 16
"""Sockets of a bench: a tab has one, and another while it reloads."""

GONE = 4404
"""Close code: the bench does not exist any more; the page should reload."""
FLOOD = 1008
BROKEN = 1011
CROWDED = 1013


@dataclass(frozen=True)
class Ack:
    """A frame was drawn or dropped."""

    number: int


@dataclass(frozen=True)
class Want:
    """What frames should contain."""

    velocities: bool
    forces: bool


@dataclass(frozen=True)
class Do:
    """A command."""

    seq: int
    name: str
    arguments: dict[str, Any]


class MessageError(ValueError):
    """An invalid message, with the reason on one line."""


def read(words: str) -> Ack | Want | Do:
    """Parse a message of the browser."""
    if len(words) > MAX_MESSAGE:
        raise MessageError(f"a message of {len(words):,} characters: {MAX_MESSAGE:,} is the most. Send less at once.")
    try:
        message = json.loads(words, parse_constant=refuse, parse_float=finite, parse_int=finite_whole)
    except MessageError:
        raise
    except (ValueError, RecursionError):
        raise MessageError("a message that is not JSON. Reload the page.") from None
    if not isinstance(message, dict):
        raise MessageError("a message that is not an object of JSON. Reload the page.")
    if "ack" in message:
        return Ack(whole(message["ack"], "ack"))
    if "want" in message:
        return parse_want(message["want"])
    if "do" in message:
        return parse_command(message)
    raise MessageError("a message without ack, want or do. Reload the page.")


def refuse(constant: str) -> NoReturn:
    """Reject NaN and Infinity, which are not JSON."""
    raise ValueError(constant)


def finite(digits: str) -> float:
    """Parse a number; MessageError if it would become infinite."""
    made = float(digits)
    if not isfinite(made):
        raise MessageError(f"the number {cut(digits)} is beyond 1.8e308. Send finite numbers.")
    return made


def finite_whole(digits: str) -> int:
    """Parse an integer within the range of floats."""
    finite(digits)
    return int(digits)


def whole(value: Any, name: str) -> int:
    """Check an integer of 32 bits."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_UINT32:
        raise MessageError(f"{name} is {shortened(value)}: give a whole number from 0 to {MAX_UINT32}.")
    return value


def parse_want(value: Any) -> Want:
    """Parse the request for velocities and forces."""
    if not isinstance(value, dict) or not all(isinstance(wish, bool) for wish in value.values()):
        raise MessageError('want is an object such as {"velocities": true, "forces": false}.')
    return Want(value.get("velocities", False), value.get("forces", False))


def parse_command(message: Mapping[str, Any]) -> Do:
    """Parse a command, and check the names of its arguments."""
    name, arguments = message["do"], message.get("with", {})
    if not isinstance(name, str) or name not in COMMANDS:
        raise MessageError(f"no command is called {shortened(name)}.")
    if not isinstance(arguments, dict):
        raise MessageError(f"{name}: with is an object of arguments by name.")
    known = [argument.rstrip("?") for argument in COMMANDS[name].arguments]
    for argument in arguments:
        if argument not in known:
            raise MessageError(f"{name} has no argument {shortened(argument)}; it knows: {', '.join(known) or 'none'}.")
    return Do(whole(message.get("seq", 0), "seq"), name, arguments)


def shortened(value: Any) -> str:
    """A value for a note, shortened."""
    return cut(repr(value))


def cut(words: str) -> str:
    """The beginning of a long text."""
    return words if len(words) <= 60 else f"{words[:60]}…"


class Connection:
    """A socket of a bench."""

    def __init__(self, socket: WebSocket, bench: Bench) -> None:
        self.socket = socket
        self.bench = bench
        self.stream = Stream(self.send, bench)
        self.loop = asyncio.get_running_loop()
        self.told = False
        self.mistakes = Budget(*MISTAKES)
        self.orders = Budget(*MESSAGES)
        self.characters = Budget(*CHARACTERS)

    async def send(self, message: str | bytes) -> None:
        """Send a message; waits while the connection is congested."""
        if isinstance(message, bytes):
            await self.socket.send_bytes(message)
        else:
            await self.socket.send_text(message)

    def publish(self, _view: View) -> None:
        """In the runner's thread: tell the event loop that there is a new view, once until it has read it."""
        if not self.told:
            self.told = True
            try:
                self.loop.call_soon_threadsafe(self.look)
            except RuntimeError:  # the loop is closed: the server has stopped
                return

    def look(self) -> None:
        """In the event loop: read the newest view of the runner."""
        self.told = False
        self.stream.offer(self.bench.runner.view)

    async def run(self) -> None:
        """Send and receive until either ends, and clean up."""
        tasks = [asyncio.ensure_future(self.stream.run()), asyncio.ensure_future(self.listen())]
        self.bench.enter(self)
        self.bench.runner.subscribe(self.publish)
        try:
            self.look()
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.bench.runner.unsubscribe(self.publish)
            self.stream.close()
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            self.bench.leave(self, time.monotonic())
        await self.report_end(results)

    async def report_end(self, results: list[Any]) -> None:
        """Tell the browser why the connection ends, if it is still connected."""
        try:
            for result in results:
                if isinstance(result, Flood):
                    await self.send(text({"note": {"kind": "error", "text": str(result)}}))
                    await self.socket.close(FLOOD)
                elif isinstance(result, Exception) and not isinstance(result, (OSError, WebSocketDisconnect)):
                    log.error("a bench's connection broke", exc_info=result)
                    await self.socket.close(BROKEN)
        except (OSError, RuntimeError, WebSocketDisconnect):  # it has gone meanwhile
            return

    async def listen(self) -> None:
        """Receive messages until the browser disconnects."""
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            size = len(message.get("text") or message.get("bytes") or "")
            if not (self.orders.spend() and self.characters.spend(size)):
                raise Flood("too many messages at once. Reload the page.")
            try:
                self.handle(message.get("text"))
            except MessageError as error:
                if not self.mistakes.spend():
                    raise Flood("too many invalid messages. Reload the page.") from None
                self.stream.note("error", str(error))

    def handle(self, words: str | None) -> None:
        """Handle a message of the browser."""
        if words is None:
            raise MessageError("a binary message: commands are JSON. Reload the page.")
        match read(words):
            case Ack(number):
                self.stream.acknowledge(number)
            case Want(velocities, forces):
                self.bench.want(self, velocities=velocities, forces=forces)
                self.stream.want(velocities=velocities, forces=forces)
            case Do(seq, name, arguments):
                if name != CANCEL and self.bench.runner.waiting >= MAX_WAITING:
                    raise MessageError(f"{MAX_WAITING:,} commands wait already: {name} is not done. Wait, or cancel.")
                self.bench.runner.post(name, seq=seq, **arguments)


class Flood(Exception):  # noqa: N818  # it is not an error of ours
    """The browser sends more messages than a person can cause."""


class Wire:
    """ASGI middleware: answers the sockets of stages, and passes everything else to `app`."""

    def __init__(self, app: ASGIApp, benches: Benches) -> None:
        self.app = app
        self.benches = benches

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a socket of a stage, or pass the request on."""
        found = PATH.fullmatch(scope["path"]) if scope["type"] == "websocket" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        bench = self.benches.find(found[1])
        if bench is None:
            await socket.close(GONE, "this bench has ended")
        elif len(bench.wants) >= MAX_VISITORS:
            await socket.close(CROWDED, "too many visitors of this bench")
        else:
            await Connection(socket, bench).run()
