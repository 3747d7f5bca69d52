"""What goes to one browser: the latest view, at most two frames under way, and words in between."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

from carom.lab.seen import frames
from carom.lab.seen.view import View

WINDOW = 2
"""Frames that may be under way without being acknowledged: one is drawn while the next travels."""
STATE_EVERY = 0.1
"""Seconds between two messages of state, but for what a person has just done."""
MANY, MANY_EVERY = 2000, 0.2
"""With more balls than that, the same: drawing them takes all the time there is."""
ALIVE_EVERY = 1.0
"""Seconds after which the state is repeated while a long work is under way, so that a page is seen to live."""
NOTES = 20
"""Notes kept for a browser that does not take them; the oldest go first."""

Send: TypeAlias = Callable[[str | bytes], Awaitable[None]]


class FrameSource(Protocol):
    """Where what is sent comes from: a bench."""

    def scene(self, view: View) -> dict[str, Any]:
        """The scene message of the view's epoch."""

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """New samples since a mark, and the new mark."""


class Window:
    """Counts the frames under way."""

    def __init__(self, size: int = WINDOW) -> None:
        self.size = size
        self.sent = 0
        self.drawn = 0

    def room(self, *, urgent: bool = False) -> bool:
        """May another be sent? One that answers a person may go beside those under way: the browser skips to it."""
        return self.sent - self.drawn < self.size + urgent

    def count(self) -> int:
        """The number of the next frame, from 1; it is under way from now on."""
        self.sent += 1
        return self.sent

    def acknowledge(self, number: int) -> bool:
        """That frame, and all before it, have been drawn or dropped. False if no such frame is under way."""
        if not self.drawn < number <= self.sent:
            return False
        self.drawn = number
        return True


class Stream:
    """One browser's share of a bench. Belongs to the event loop; only `run` waits, and it wakes at once on `close`."""

    def __init__(self, send: Send, source: FrameSource, clock: Callable[[], float] = time.monotonic) -> None:
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
        """What a person knew with the last frame."""
        self.stated: View | None = None
        self.stated_at = -ALIVE_EVERY
        self.charted = 0
        self.epoch: int | None = None
        self.origin: list[float] = []
        self.notes: deque[str] = deque(maxlen=NOTES)

    def offer(self, view: View) -> None:
        """Here is a newer view; one that was not sent yet is forgotten."""
        self.latest = view
        self.wake.set()

    def acknowledge(self, number: int) -> bool:
        """The browser has drawn or dropped a frame. False if it was not under way."""
        known = self.window.acknowledge(number)
        self.wake.set()
        return known

    def want(self, *, velocities: bool, forces: bool) -> None:
        """What the frames should hold besides positions; the present view is sent again with it."""
        self.velocities, self.forces = velocities, forces
        self.framed = None
        self.wake.set()

    def note(self, kind: str, words: str) -> None:
        """A word to the person: "error", "warning" or "info"."""
        self.notes.append(frames.text({"note": {"kind": kind, "text": words}}))
        self.wake.set()

    def close(self) -> None:
        """The browser has gone: whoever waits wakes up."""
        self.closed = True
        self.wake.set()

    async def run(self) -> None:
        """Send what there is to send until `close`."""
        while not self.closed:
            self.wake.clear()
            if await self.send_due():
                continue
            try:
                await asyncio.wait_for(self.wake.wait(), self.patience())
            except TimeoutError:
                continue

    async def send_due(self) -> bool:
        """Send all that may be sent now. False if there was nothing."""
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
        """Seconds until the state is to be sent: none after a command, for ever if all is said."""
        said = self.stated
        if said is None or urgent(view) != urgent(said):
            return 0.0
        if view is not said:
            return self.stated_at + (MANY_EVERY if len(view.positions) > MANY else STATE_EVERY) - self.clock()
        if view.working is not None:
            return self.stated_at + ALIVE_EVERY - self.clock()
        return float("inf")

    def patience(self) -> float | None:
        """Seconds to wait for news before looking again by oneself; None: as long as it takes."""
        if self.latest is None:
            return None
        due = self.state_due_in(self.latest)
        return None if due == float("inf") else max(due, 0.0)


def urgent(view: View) -> tuple[Any, ...]:
    """What a person has caused or must hear of: its change is told at once."""
    return (
        view.seq,
        view.running,
        view.held,
        view.working,
        view.selected,
        None if view.message is None else view.message.number,
    )
