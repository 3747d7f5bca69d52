"""The thread of a bench: advances time, does commands between two slices of the run, and publishes views."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

from carom.errors import Problem
from carom.kernels.progress import Compilations
from carom.lab import share
from carom.lab.bench.session import Session
from carom.lab.bench.turns import TURNS, Turns
from carom.lab.commands.table import CANCEL
from carom.lab.seen import collision_table
from carom.lab.seen.view import View

log = logging.getLogger(__name__)

MAX_RATE = 60.0
"""Views per second."""
MAX_CATCH_UP = 0.1
"""Longest wall-clock time that is caught up after a delay, s."""
PAUSE = 0.0005
"""Pause between two slices, so that other threads run, s."""
MAX_LISTED = 1000
"""Collisions that the table may request."""

Callback = Callable[[View], object]


class BenchRunner:
    """Runs a session in its own thread. All public methods are thread-safe."""

    def __init__(self, session: Session, turns: Turns = TURNS) -> None:
        self.session = session
        self.turns = turns
        self.view: View = session.preview()
        """The last published view; immutable."""
        self._commands: deque[tuple[str, int, dict[str, Any]]] = deque()
        self._news = threading.Condition()
        self._stopping = False
        self._asked = self._cancelled = self._crowded = False
        self._velocities = self._forces = False
        self._callbacks: tuple[Callback, ...] = ()
        self._published = 0.0
        session.asked = lambda: bool(self._commands) or self._stopping
        session.stopping = lambda: self._stopping
        session.cancelled = lambda: self._cancelled or self._stopping
        self._thread = threading.Thread(target=self._live, name="carom-bench", daemon=True)

    # Called from any thread.

    def start(self) -> None:
        """Start the thread; the first view exists at once, before anything is compiled."""
        self._thread.start()

    def stop(self, timeout: float = 1.0) -> None:
        """Stop the thread, and wait up to `timeout` s: a compilation cannot be interrupted."""
        self._stopping = True
        self._wake()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def keep_within_share(self) -> None:
        """Reduce memory to the present share soon, because there are more runs."""
        self._crowded = True
        self._wake()

    @property
    def waiting(self) -> int:
        """Number of waiting commands."""
        return len(self._commands)

    @property
    def alive(self) -> bool:
        """Is the thread running?"""
        return self._thread.is_alive()

    def post(self, command: str, /, *, seq: int = 0, **arguments: Any) -> None:
        """Queue a command. "cancel" drops waiting ones, and stops the present one if possible."""
        with self._news:
            if command == CANCEL:
                self._cancelled = True
                self._commands.clear()
            self._commands.append((command, seq, arguments))
            self._news.notify()
        self.turns.hurry(self)

    def subscribe(self, callback: Callback) -> None:
        """Call a function with each view, in the runner's thread."""
        self._callbacks = (*self._callbacks, callback)

    def unsubscribe(self, callback: Callback) -> None:
        """Stop calling a function."""
        self._callbacks = tuple(each for each in self._callbacks if each != callback)

    def want(self, velocities: bool, forces: bool) -> None:
        """Set what views contain; they always contain velocities."""
        self._velocities = velocities
        if forces != self._forces:
            self._forces = forces
            self._asked = True
            self._wake()

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """The chart message's content since a mark, and the new mark."""
        return self.session.samples.message(since)

    def collisions(self, last: int) -> list[dict[str, Any]]:
        """The last collisions before now, newest last."""
        run = self.session.run
        return [] if run is None else collision_table.last_collisions(run.past, min(last, MAX_LISTED), self.view.time)

    def collisions_csv(self) -> str:
        """All collisions in the log up to now, as CSV."""
        run = self.session.run
        return "" if run is None else collision_table.collisions_csv(run.past, self.view.time)

    def save(self) -> str:
        """The present state as a TOML file."""
        return share.to_toml(share.present(self.view))

    def share(self) -> str:
        """The present state as text for a link."""
        return share.to_link(share.present(self.view))

    # Called in the thread.

    def _wake(self) -> None:
        with self._news:
            self._news.notify()

    def _live(self) -> None:
        with Compilations(self._compiling, here=True):
            try:
                with self.turns.turn(self):
                    self._guarded(self.session.prepare)
                self._loop()
            finally:
                self._callbacks = ()
                self.session.free()

    def _loop(self) -> None:
        self._publish()
        last = perf_counter()
        while not self._stopping:
            with self.turns.turn(self, hurried=bool(self._commands)):
                last = self._slice(last)
            self._rest()

    def _slice(self, last: float) -> float:
        """Do queued commands, advance by the time since `last`, and publish; return the present time."""
        if self._crowded:
            self._crowded = False
            self._guarded(self.session.keep_within_share)
        told = self._do_commands()
        if told:  # show the result of a command before the next slice of the run
            self._publish()
        now = perf_counter()
        busy = self._busy
        if busy:
            self._guarded(lambda: self.session.advance(min(now - last, MAX_CATCH_UP)))
        if busy and (perf_counter() - self._published >= 1.0 / MAX_RATE or not self._busy):
            self._publish()
        return now

    @property
    def _busy(self) -> bool:
        session = self.session
        return (session.running and not session.held) or session.goal is not None or session.hunting is not None

    def _do_commands(self) -> bool:
        """Do queued commands; True if there is something to show."""
        told, self._asked = self._asked, False
        while self._commands and not self._stopping:
            with self._news:
                command, seq, arguments = self._commands.popleft()
                self._cancelled = self._cancelled and command != CANCEL
            self._guarded(lambda: self.session.do(command, seq=seq, **arguments))  # noqa: B023  # called at once
            told = True
        return told

    def _rest(self) -> None:
        """Wait until the next view is due, or, if nothing moves, for a command."""
        with self._news:
            if self._commands or self._asked or self._crowded or self._stopping:
                return
            if self._busy:
                self._news.wait(max(PAUSE, self._published + 1.0 / MAX_RATE - perf_counter()))
            else:
                self._news.wait()

    def _guarded(self, work: Callable[[], object]) -> None:
        """Call a function; an internal error pauses the bench and is reported, and the bench goes on."""
        try:
            work()
        except Exception as error:
            log.exception("a bench stumbled")
            self.session.running, self.session.goal, self.session.hunting = False, None, None
            name = type(error).__name__  # its words may tell of files and folders: they are in the log
            self.session.say("error", Problem("lab.stumbled", name=name))

    def _publish(self) -> None:
        if self.session.run is None:  # the scene cannot be run: say why, and show it as it is
            self._tell(replace(self.view, working=None, message=self.session.message))
            return
        self._guarded(lambda: self._tell(self.session.view(forces=self._forces)))

    def _compiling(self) -> None:
        """Publish that a compilation begins, because nothing else happens until it ends."""
        if self.view.working != "compiling" or not self._published:
            self._tell(replace(self.view, working="compiling"))

    def _tell(self, view: View) -> None:
        self.view = view
        self._published = perf_counter()
        for callback in self._callbacks:
            try:
                callback(view)
            except Exception:
                log.exception("a visitor of a bench stumbled")
