"""A browser's end of the laboratory's lines, as light as can be: pages, sockets, frames, as docs/lab.md lays down.

Written on bare streams, so that a client takes little of the processor that the server is measured on.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
HEAD = struct.Struct("<BBHIdII")
"""The beginning of a frame: version, kind, flags, number, time, epoch, seq."""


@dataclass(frozen=True)
class Address:
    """Where a laboratory is, and what opens it: as it was printed."""

    port: int
    token: str

    @classmethod
    def of(cls, printed: str) -> Address:
        """From the line that `carom lab` prints."""
        parts = urlsplit(printed)
        return cls(parts.port or 80, parts.query.partition("token=")[2])

    @property
    def host(self) -> str:
        """As the header names it."""
        return f"127.0.0.1:{self.port}"

    def head(self, method: str, path: str, more: str = "") -> bytes:
        """The head of a request of our own page."""
        cookie = f"carom-{self.port}={self.token}"
        own = f"Host: {self.host}\r\nOrigin: http://{self.host}\r\nCookie: {cookie}\r\n"
        return f"{method} {path} HTTP/1.1\r\n{own}{more}\r\n".encode()

    async def get(self, path: str) -> tuple[int, str]:
        """Ask for a page; status and text."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(self.head("GET", path, "Connection: close\r\n"))
        answer = await reader.read()
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        if b"transfer-encoding: chunked" in head.lower():
            body = unchunked(body)
        return int(head.split(None, 2)[1]), body.decode()


def unchunked(body: bytes) -> bytes:
    """A body that came in pieces, as a whole."""
    whole = bytearray()
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        whole += rest[:length]
        body = rest[length + 2 :] if length else b""
    return bytes(whole)


class Line:
    """A socket, from the browser's end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, address: Address, path: str) -> Line:
        """Connect; ConnectionError if it is not let in."""
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        key = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        writer.write(address.head("GET", path, f"{key}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
        answer = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in answer.partition(b"\r\n")[0]:
            raise ConnectionError(answer.partition(b"\r\n")[0].decode())
        return cls(reader, writer)

    def send(self, data: bytes, kind: int = TEXT) -> None:
        """Send a message. A browser must mask what it sends: with zeros, which changes nothing."""
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
        self.writer.write(head + b"\0\0\0\0" + data)

    def say(self, message: Any) -> None:
        """Send JSON."""
        self.send(json.dumps(message).encode())

    async def receive(self) -> tuple[int, bytes]:
        """The next message: its kind and content. Pings are answered meanwhile."""
        while True:
            first, size = await self.reader.readexactly(2)
            if size == 126:
                (size,) = struct.unpack("!H", await self.reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", await self.reader.readexactly(8))
            data = await self.reader.readexactly(size) if size else b""
            if first & 15 == PING:
                self.send(data, PONG)
            else:
                return first & 15, data

    def close(self) -> None:
        """Go away without a word."""
        self.writer.close()


class Tab:
    """One tab of a browser at a bench: the page, its shell's socket and its stage's socket."""

    def __init__(self, address: Address, bench: str, stage: Line, shell: Line | None) -> None:
        self.address = address
        self.bench = bench
        self.stage = stage
        self.shell = shell
        self.frames = self.shelled = 0
        self.time, self.done, self.seq = -1.0, 0, 0
        self.state: dict[str, Any] = {}
        self.notes: list[str] = []
        self.news = asyncio.Event()
        self.tasks = [asyncio.ensure_future(self.watch())]
        if shell is not None:
            self.tasks.append(asyncio.ensure_future(self.chat(shell)))

    @classmethod
    async def open(cls, address: Address, path: str) -> Tab:
        """Load a page of a bench, and connect as it does."""
        status, page = await address.get(path)
        bench = re.search(r"/bench/([\w-]+)/socket", page)
        client = re.search(r"""['\"]client_id['\"]:\s*['\"]([\w-]+)""", page)
        if status != 200 or bench is None or client is None:
            raise ConnectionError(f"{path}: {status} {page[:200]}")
        asked = {
            "client_id": client[1],
            "next_message_id": 0,
            "implicit_handshake": "true",
            "tab_id": secrets.token_hex(8),
            "document_id": secrets.token_hex(8),
            "EIO": 4,
            "transport": "websocket",
        }
        shell = await Line.open(address, f"/_nicegui_ws/socket.io/?{urlencode(asked)}")
        shell.client = client[1]  # type: ignore[attr-defined]  # what its acknowledgements name
        return cls(address, bench[1], await Line.open(address, f"/bench/{bench[1]}/socket"), shell)

    async def watch(self) -> None:
        """Take frames, and acknowledge each at once."""
        while True:
            kind, data = await self.stage.receive()
            if kind == BINARY:
                _, _, _, number, self.time, _, self.done = HEAD.unpack_from(data)
                self.stage.send(b'{"ack":%d}' % number)
                self.frames += 1
                self.news.set()
            elif kind == TEXT and data.startswith(b'{"state"'):
                self.state = json.loads(data)["state"]
                self.news.set()
            elif kind == TEXT and data.startswith(b'{"note"'):
                self.notes.append(json.loads(data)["note"]["text"])
            elif kind == CLOSE:
                raise ConnectionError(f"closed: {data[:2].hex()} {data[2:].decode()}")

    async def chat(self, shell: Line) -> None:
        """Play the page: take what the shell says, and acknowledge it now and then."""
        last = 0
        while True:
            kind, data = await shell.receive()
            if kind == CLOSE:
                return
            if data.startswith(b"0{"):
                shell.send(b"40")
            elif data == b"2":
                shell.send(b"3")
                told = {"client_id": shell.client, "next_message_id": last}  # type: ignore[attr-defined]  # as above
                shell.send(b"42" + json.dumps(["ack", told]).encode())
            elif data.startswith(b"42"):
                self.shelled += 1
                found = re.search(rb'"_id":(\d+)', data)
                last = int(found[1]) + 1 if found else last

    async def do(self, name: str, within: float = 60.0, **arguments: Any) -> float:
        """Have a command done; the seconds until a frame shows it."""
        self.seq += 1
        seq, loop = self.seq, asyncio.get_running_loop()
        began = loop.time()
        self.stage.say({"seq": seq, "do": name, "with": arguments})
        async with asyncio.timeout(within):
            while self.done < seq:
                self.news.clear()
                await self.news.wait()
                self.check()
        return loop.time() - began

    async def until(self, condition: Any, within: float = 120.0) -> None:
        """Wait until something holds of this tab."""
        async with asyncio.timeout(within):
            while not condition(self):
                self.news.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.news.wait(), 1.0)
                self.check()

    def check(self) -> None:
        """Raise what has broken a line."""
        for task in self.tasks:
            if task.done():
                task.result()

    async def close(self) -> None:
        """Close the tab."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.stage.close()
        if self.shell is not None:
            self.shell.close()
