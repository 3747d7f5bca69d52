"""A light client of the laboratory: pages, sockets and frames, as docs/lab.md defines them.

It uses plain streams, so that clients take little CPU time from the measured server.
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
    """The address and token of a laboratory."""

    port: int
    token: str

    @classmethod
    def of(cls, printed: str) -> Address:
        """Parse the line that `carom lab` prints."""
        parts = urlsplit(printed)
        return cls(parts.port or 80, parts.query.partition("token=")[2])

    @property
    def host(self) -> str:
        """The value of the header Host."""
        return f"127.0.0.1:{self.port}"

    def head(self, method: str, path: str, more: str = "") -> bytes:
        """The head of a request of the page itself."""
        cookie = f"carom-{self.port}={self.token}"
        own = f"Host: {self.host}\r\nOrigin: http://{self.host}\r\nCookie: {cookie}\r\n"
        return f"{method} {path} HTTP/1.1\r\n{own}{more}\r\n".encode()

    async def get(self, path: str) -> tuple[int, str]:
        """Get a page; return status and text."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(self.head("GET", path, "Connection: close\r\n"))
        answer = await reader.read()
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        if b"transfer-encoding: chunked" in head.lower():
            body = unchunked(body)
        return int(head.split(None, 2)[1]), body.decode()


def unchunked(body: bytes) -> bytes:
    """Decode a chunked body."""
    whole = bytearray()
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        whole += rest[:length]
        body = rest[length + 2 :] if length else b""
    return bytes(whole)


class Line:
    """The browser's end of a WebSocket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, address: Address, path: str) -> Line:
        """Connect; ConnectionError if refused."""
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        key = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        writer.write(address.head("GET", path, f"{key}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
        answer = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in answer.partition(b"\r\n")[0]:
            raise ConnectionError(answer.partition(b"\r\n")[0].decode())
        return cls(reader, writer)

    def send(self, data: bytes, kind: int = TEXT) -> None:
        """Send a message, masked with zeros: clients must mask their messages."""
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
        """Close the connection without a closing message."""
        self.writer.close()


class Tab:
    """A browser tab of a bench: the page, the socket of its shell and that of its stage."""

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
        """Receive frames, and acknowledge each at once."""
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
        """Act as the page: receive messages of the shell, and acknowledge them now and then."""
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
        """Send a command; return the time until a frame shows its result, s."""
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
        """Wait for a condition on this tab."""
        async with asyncio.timeout(within):
            while not condition(self):
                self.news.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.news.wait(), 1.0)
                self.check()

    def check(self) -> None:
        """Raise the error of a broken connection."""
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
