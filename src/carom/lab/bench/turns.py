"""Schedules benches: they share the processor evenly, and the server always has a part of it.

Every bench has a thread, and all threads share one interpreter. If fifty of them run at once, the thread that answers
browsers waits for each of the fifty before it continues, and browsers wait for seconds. So only a few compute at a
time, in the order of their requests; a bench with a command of a person goes first.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

AT_ONCE = min(max((os.cpu_count() or 2) - 1, 1), 4)
"""Benches that compute at the same time: one core is left to the server, and more than four would delay it."""
LONG_TURN = 0.1
"""A longer turn, s, such as for compiling, does not keep others waiting."""


class Turns:
    """Turns for some threads at once. Thread-safe."""

    def __init__(
        self, at_once: int = AT_ONCE, long: float = LONG_TURN, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.at_once = at_once
        self.long = long
        self.clock = clock
        self._lock = threading.Lock()
        self._hurried: OrderedDict[object, threading.Event] = OrderedDict()
        self._waiting: OrderedDict[object, threading.Event] = OrderedDict()
        self._since: dict[object, float] = {}
        """When the present turns began, without long ones."""

    @contextmanager
    def turn(self, owner: object, *, hurried: bool = False) -> Iterator[None]:
        """A context that waits for a turn and holds it."""
        self._ask(owner, hurried=hurried)
        try:
            yield
        finally:
            with self._lock:
                self._since.pop(owner, None)
                self._admit()

    def hurry(self, owner: object) -> None:
        """Move a waiting owner before others that are not hurried."""
        with self._lock:
            called = self._waiting.pop(owner, None)
            if called is not None:
                self._hurried[owner] = called

    @property
    def waiting(self) -> int:
        """The number of waiting owners."""
        with self._lock:
            return len(self._hurried) + len(self._waiting)

    def _ask(self, owner: object, *, hurried: bool) -> None:
        called = threading.Event()
        with self._lock:
            (self._hurried if hurried else self._waiting)[owner] = called
            self._admit()
        while not called.wait(self.long):
            with self._lock:
                self._admit()

    def _admit(self) -> None:
        """Give turns to the next waiting owners."""
        now = self.clock()
        for owner in [owner for owner, since in self._since.items() if now - since >= self.long]:
            del self._since[owner]
        while len(self._since) < self.at_once and (self._hurried or self._waiting):
            owner, called = (self._hurried or self._waiting).popitem(last=False)
            self._since[owner] = now
            called.set()


TURNS = Turns()
"""The turns of this process."""
