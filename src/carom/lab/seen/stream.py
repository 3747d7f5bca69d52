"""Sends the latest view to one browser, with at most two frames in flight, and messages in between."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

from carom.lab.seen import frames
from carom.lab.seen.view import View

WINDOW = 2
"""Frames in flight without acknowledgement: one is drawn while the next is sent."""
STATE_EVERY = 0.1
"""s between two state messages, except after a command."""
MANY_BALLS, MANY_EVERY = 2000, 0.2
"""With more balls than the first, the interval of state messages is the second, s."""
ALIVE_EVERY = 1.0
"""s after which the state is repeated during long work, so that the page shows activity."""
MAX_NOTES = 20
"""Queued notes for a browser that does not receive them; the oldest are dropped."""

Send: TypeAlias = Callable[[str | bytes], Awaitable[None]]


class ViewSource(Protocol):
    """The source of messages: a bench."""

    def scene(self, view: View) -> dict[str, Any]:
        """The scene message of the view's epoch."""

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """New samples since a mark, and the new mark."""


class Window:
    """Counts frames in flight."""

    def __init__(self, size: int = WINDOW) -> None:
        self.size = size
        self.sent = 0
        self.drawn = 0

    def room(self, *, urgent: bool = False) -> bool:
        """May another frame be sent? An urgent one may exceed the limit: the browser skips to it."""
        return self.sent - self.drawn < self.size + urgent

    def count(self) -> int:
        """Count the next frame as in flight, and return its number, from 1."""
        self.sent += 1
        return self.sent

    def acknowledge(self, number: int) -> bool:
        """Count a frame and all before it as done. False if it is not in flight."""
        if not self.drawn < number <= self.sent:
            return False
        self.drawn = number
        return True


class Stream:
    """The connection of a browser to a bench. Used in the event loop; only `run` waits, and `close` wakes it."""

    def __init__(self, send: Send, source: ViewSource, clock: Callable[[], float] = time.monotonic) -> None:
        self.send = send
        self.source = source
        self.clock = clock
        self.window = Window()
        self.velocities = False
        self.forces = False
        self.closed = False
        self.wake = asyncio.Event()
        self.latest: View | None = None
        self.framed: View | None = None
        self.answered: tuple[Any, ...] = ()
        """The urgent part of the last view sent."""
        self.stated: View | None = None
        self.stated_at = -ALIVE_EVERY
        self.charted = 0
        self.epoch: int | None = None
        self.origin: list[float] = []
        self.notes: deque[str] = deque(maxlen=MAX_NOTES)

    def offer(self, view: View) -> None:
        """Offer a newer view; an unsent one is dropped."""
        self.latest = view
        self.wake.set()

    def acknowledge(self, number: int) -> bool:
        """Note that the browser has drawn or dropped a frame. False if it was not in flight."""
        known = self.window.acknowledge(number)
        self.wake.set()
        return known

    def want(self, *, velocities: bool, forces: bool) -> None:
        """Set what frames contain besides positions; the present view is sent again."""
        self.velocities, self.forces = velocities, forces
        self.framed = None
        self.wake.set()

    def note(self, kind: str, words: str) -> None:
        """Queue a message to the person: "error", "warning" or "info"."""
        self.notes.append(frames.text({"note": {"kind": kind, "text": words}}))
        self.wake.set()

    def close(self) -> None:
        """The browser has gone: wake `run`."""
        self.closed = True
        self.wake.set()

    async def run(self) -> None:
        """Send messages until `close`."""
        while not self.closed:
            self.wake.clear()
            if await self.send_due():
                continue
            try:
                await asyncio.wait_for(self.wake.wait(), self.patience())
            except TimeoutError:
                continue

    async def send_due(self) -> bool:
        """Send what is due. False if there was nothing."""
        busy = False
        while self.notes and not self.closed:
            await self.send(self.notes.popleft())
            busy = True
        for part in (self.send_frame, self.send_state):
            if not self.closed and self.latest is not None:
                busy = await part(self.latest) or busy
        return busy

    async def send_frame(self, view: View) -> bool:
        """The latest view, preceded by its scene if that is new to the browser."""
        if view is self.framed or not self.window.room(urgent=urgent(view) != self.answered):
            return False
        number = self.window.count()
        self.framed, self.answered = view, urgent(view)
        if view.epoch != self.epoch:
            scene = self.source.scene(view)
            self.epoch, self.origin = view.epoch, list(scene["origin"])
            await self.send(frames.text({"scene": scene}))
        await self.send(
            frames.frame(view, number, self.origin, velocities=self.velocities, forces=self.forces),
        )
        return True

    async def send_state(self, view: View) -> bool:
        """The state and new samples, if they are due."""
        if self.state_due_in(view) > 0.0:
            return False
        self.stated, self.stated_at = view, self.clock()
        await self.send(frames.text({"state": view.state()}))
        samples, self.charted = self.source.chart(self.charted)
        if samples is not None and not self.closed:
            await self.send(frames.text({"chart": samples}))
        return True

    def state_due_in(self, view: View) -> float:
        """Time until the state is due, s: 0 after a command, infinite if nothing is new."""
        said = self.stated
        if said is None or urgent(view) != urgent(said):
            return 0.0
        if view is not said:
            return self.stated_at + (MANY_EVERY if len(view.positions) > MANY_BALLS else STATE_EVERY) - self.clock()
        if view.working is not None:
            return self.stated_at + ALIVE_EVERY - self.clock()
        return float("inf")

    def patience(self) -> float | None:
        """Longest time to wait for news, s; None: no limit."""
        if self.latest is None:
            return None
        due = self.state_due_in(self.latest)
        return None if due == float("inf") else max(due, 0.0)


def urgent(view: View) -> tuple[Any, ...]:
    """The part of a view whose changes are sent at once: results of commands, and messages."""
    return (
        view.seq,
        view.running,
        view.held,
        view.working,
        view.selected,
        None if view.message is None else view.message.number,
    )
