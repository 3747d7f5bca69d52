"""Our socket: frames and words out, commands in. A bridge between the runner's thread and the event loop."""

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
from carom.lab.seen.frames import WORD, text
from carom.lab.seen.stream import Stream
from carom.lab.seen.view import View
from carom.lab.server.budget import Budget

log = logging.getLogger(__name__)

PATH = re.compile(r"/bench/([\w-]+)/socket")
LARGEST = 16 * 2**20
"""Characters of a message: a scene file of 100,000 balls fits."""
MISTAKES = (1.0, 30.0)
"""Messages a second that may be wrong, and how many at once: a page of ours makes none."""
ORDERS = (300.0, 2000.0)
"""Messages a second of any kind, and how many at once: a mouse sends 125 a second, a screen draws 60 frames or 144."""

CHARACTERS = (1e6, 2.0 * LARGEST)
"""Their characters a second, and how many at once: two large files, and whatever a hand can do."""
WAITING = 1000
"""Commands that wait for a bench which is busy; what comes then is not done, and that is said."""
VISITORS = 16
"""Sockets at a bench: a tab has one, and another while it is loaded anew."""

GONE = 4404
"""Close code: there is no such bench (any more); the page should be loaded anew."""
FLOOD = 1008
BROKEN = 1011
CROWDED = 1013


@dataclass(frozen=True)
class Ack:
    """A frame was drawn or dropped."""

    number: int


@dataclass(frozen=True)
class Want:
    """What frames should hold."""

    velocities: bool
    forces: bool


@dataclass(frozen=True)
class Do:
    """A command."""

    seq: int
    name: str
    arguments: dict[str, Any]


class MessageError(ValueError):
    """A message that means nothing; says what is wrong in a line."""


def read(words: str) -> Ack | Want | Do:
    """What the browser says."""
    if len(words) > LARGEST:
        raise MessageError(f"a message of {len(words):,} characters: {LARGEST:,} is the most. Send less at once.")
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
        return wanted(message["want"])
    if "do" in message:
        return order(message)
    raise MessageError("a message without ack, want or do. Reload the page.")


def refuse(constant: str) -> NoReturn:
    """NaN and Infinity are no JSON."""
    raise ValueError(constant)


def finite(digits: str) -> float:
    """A number as JSON writes it; one that is too large would become infinite."""
    made = float(digits)
    if not isfinite(made):
        raise MessageError(f"the number {cut(digits)} is beyond 1.8e308. Send finite numbers.")
    return made


def finite_whole(digits: str) -> int:
    """A whole number, of which there is a float."""
    finite(digits)
    return int(digits)


def whole(value: Any, name: str) -> int:
    """A whole number of 32 bits."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= WORD:
        raise MessageError(f"{name} is {shortened(value)}: give a whole number from 0 to {WORD}.")
    return value


def wanted(value: Any) -> Want:
    """The wish for velocities and forces."""
    if not isinstance(value, dict) or not all(isinstance(wish, bool) for wish in value.values()):
        raise MessageError('want is an object such as {"velocities": true, "forces": false}.')
    return Want(value.get("velocities", False), value.get("forces", False))


def order(message: Mapping[str, Any]) -> Do:
    """A command by its name, with arguments that it knows."""
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
    """A value to be quoted in a note, however long it is."""
    return cut(repr(value))


def cut(words: str) -> str:
    """The beginning of words that are long."""
    return words if len(words) <= 60 else f"{words[:60]}…"


class Connection:
    """One socket at a bench."""

    def __init__(self, socket: WebSocket, bench: Bench) -> None:
        self.socket = socket
        self.bench = bench
        self.stream = Stream(self.send, bench)
        self.loop = asyncio.get_running_loop()
        self.told = False
        self.mistakes = Budget(*MISTAKES)
        self.orders = Budget(*ORDERS)
        self.characters = Budget(*CHARACTERS)

    async def send(self, message: str | bytes) -> None:
        """Send; waits while the line is full."""
        if isinstance(message, bytes):
            await self.socket.send_bytes(message)
        else:
            await self.socket.send_text(message)

    def publish(self, _view: View) -> None:
        """In the runner's thread: there is news. Tell the event loop, once until it has looked."""
        if not self.told:
            self.told = True
            try:
                self.loop.call_soon_threadsafe(self.look)
            except RuntimeError:  # the loop is closed: the server has stopped
                return

    def look(self) -> None:
        """In the event loop: take the newest view, which is the runner's, whatever was told of in between."""
        self.told = False
        self.stream.offer(self.bench.runner.view)

    async def converse(self) -> None:
        """Send and receive until either ends; leave nothing behind."""
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
        await self.part(results)

    async def part(self, results: list[Any]) -> None:
        """Say why the conversation ends, if the browser is still there to hear it."""
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
        """Receive until the browser goes."""
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            size = len(message.get("text") or message.get("bytes") or "")
            if not (self.orders.spend() and self.characters.spend(size)):
                raise Flood("too many messages at once. Reload the page.")
            try:
                self.heed(message.get("text"))
            except MessageError as error:
                if not self.mistakes.spend():
                    raise Flood("too many messages that mean nothing. Reload the page.") from None
                self.stream.note("error", str(error))

    def heed(self, words: str | None) -> None:
        """Do what the browser says."""
        if words is None:
            raise MessageError("a binary message: commands are JSON. Reload the page.")
        match read(words):
            case Ack(number):
                self.stream.acknowledge(number)
            case Want(velocities, forces):
                self.bench.want(self, velocities=velocities, forces=forces)
                self.stream.want(velocities=velocities, forces=forces)
            case Do(seq, name, arguments):
                if name != CANCEL and self.bench.runner.waiting >= WAITING:
                    raise MessageError(f"{WAITING:,} commands wait already: {name} is not done. Wait, or cancel.")
                self.bench.runner.post(name, seq=seq, **arguments)


class Flood(Exception):  # noqa: N818  # it is not an error of ours
    """The browser sends more than a person can do."""


class Wire:
    """ASGI: answers our sockets, hands everything else on to `app`."""

    def __init__(self, app: ASGIApp, benches: Benches) -> None:
        self.app = app
        self.benches = benches

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a socket of ours, or hand on."""
        found = PATH.fullmatch(scope["path"]) if scope["type"] == "websocket" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        bench = self.benches.find(found[1])
        if bench is None:
            await socket.close(GONE, "this bench has ended")
        elif len(bench.wants) >= VISITORS:
            await socket.close(CROWDED, "too many look at this bench")
        else:
            await Connection(socket, bench).converse()
