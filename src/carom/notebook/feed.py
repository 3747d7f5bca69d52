"""Connects a player with the pages that show it: frames out, acknowledgements and commands in.

It uses no thread. A page requests the next frame by acknowledging the last; so a run advances only while a view is
open, not faster than it is drawn, and waits while the kernel is busy.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from carom.errors import CaromError
from carom.kernels.progress import Compilations
from carom.lab.seen import frames
from carom.lab.seen.scene_message import scene_message
from carom.lab.seen.stream import STATE_EVERY, Window, urgent
from carom.lab.seen.view import View
from carom.notebook.player import COMMANDS, Player

MAX_ADVANCE = 0.3
"""Longest wall-clock time between two frames that advances the run, s: pauses of the kernel are not caught up."""

Send = Callable[[dict[str, Any], list[bytes]], object]


class Feed:
    """Serves the pages of one widget. Thread-safe."""

    def __init__(self, player: Player, send: Send, clock: Callable[[], float] = time.monotonic) -> None:
        self.player = player
        self.send = send
        self.clock = clock
        self.lock = threading.RLock()
        self.window = Window()
        self.velocities = self.forces = False
        self.advanced = clock()
        self.epoch: int | None = None
        self.origin: list[float] = []
        self.stated: View | None = None
        self.stated_at = 0.0
        self.charted = 0
        self.pages: dict[str, set[str]] = {}
        """Open views, by their page (one load of a document)."""
        self.closed = False

    # Messages from pages.

    def receive(self, message: Any) -> None:
        """Handle a message of a page; an invalid one is answered with a note."""
        with self.lock:
            if self.closed or not isinstance(message, Mapping):
                return
            try:
                self._handle(message)
            except CaromError as error:
                self.note("error", str(error))

    def _handle(self, message: Mapping[str, Any]) -> None:
        if "hello" in message:
            self._open_view(message["hello"])
        elif "bye" in message:
            self._close_view(message["bye"])
        elif "ack" in message:
            self._frame_drawn(message["ack"])
        elif "want" in message:
            wanted = message["want"]
            if isinstance(wanted, Mapping):
                self.velocities, self.forces = bool(wanted.get("velocities")), bool(wanted.get("forces"))
                self.publish(fresh=True)
        elif "do" in message:
            self._do(message)

    def _open_view(self, who: Any) -> None:
        """A view has opened: send it everything, and forget views of an earlier load of its page."""
        page, view = str(who.get("page")), str(who.get("view"))
        self.pages = {page: self.pages.get(page, set()) | {view}}
        self.send_all()

    def _close_view(self, who: Any) -> None:
        """A view has closed; after the last one, time stops."""
        for views in self.pages.values():
            views.discard(str(who.get("view")))
        if not self.has_views:
            self.player.do("pause")

    @property
    def has_views(self) -> bool:
        """Is a view open?"""
        return any(self.pages.values())

    def _frame_drawn(self, number: Any) -> None:
        """A frame was drawn: send the next, if there is one."""
        if not isinstance(number, int) or not self.window.acknowledge(number):
            return
        if self.player.busy:
            now = self.clock()
            with self.compiling():
                self.player.advance(min(now - self.advanced, MAX_ADVANCE))
            self.advanced = now
            self.publish()

    def _do(self, message: Mapping[str, Any]) -> None:
        name, given, seq = message["do"], message.get("with") or {}, message.get("seq", 0)
        if name not in COMMANDS or not isinstance(given, Mapping) or not isinstance(seq, int):
            return
        self.command(str(name), seq, **{str(key): value for key, value in given.items()})

    # Commands from a page or a cell.

    def command(self, name: str, seq: int = 0, **arguments: Any) -> str | None:
        """Do a command, and show the result; return the message if it failed."""
        with self.lock:
            idle = not self.player.busy
            with self.compiling():
                refused = self.player.do(name, seq, **arguments)
            if idle:
                self.advanced = self.clock()
            self.publish(fresh=True)
            return None if refused is None else refused.text

    # Messages to pages.

    def send_all(self) -> None:
        """Send everything again, for a new view."""
        self.window = _after(self.window)
        self.epoch, self.stated, self.charted = None, None, 0
        self.send({"about": self.player.about()}, [])
        self.publish(fresh=True)

    def publish(self, *, fresh: bool = False) -> None:
        """Send the present view if pages are ready for it, and messages; `fresh` after a command of a person."""
        view = self.player.view(forces=self.forces)
        if view.epoch != self.epoch:
            scene = scene_message(view)
            self.epoch, self.origin = view.epoch, list(scene["origin"])
            self.send({"scene": frames.finite(scene)}, [])
        if self.window.room(urgent=fresh):
            number = self.window.count()
            self.send({}, [frames.frame(view, number, self.origin, velocities=self.velocities, forces=self.forces)])
        said, now = self.stated, self.clock()
        if fresh or said is None or urgent(view) != urgent(said) or now - self.stated_at >= STATE_EVERY:
            self.stated, self.stated_at = view, now
            self.send({"state": frames.finite(view.state())}, [])
            samples, self.charted = self.player.chart(self.charted)
            if samples is not None:
                self.send({"chart": frames.finite(samples)}, [])

    def compiling(self) -> Compilations:
        """A context in which pages are told about compiling, which takes some seconds at first use."""
        return Compilations(lambda: self.send({"working": "compiling"}, []), here=True)

    def note(self, kind: str, words: str) -> None:
        """Send a message to the person."""
        self.send({"note": {"kind": kind, "text": words}}, [])

    def still(self) -> tuple[dict[str, Any], bytes]:
        """The texts and the frame that a page can show without a kernel."""
        with self.lock:
            view = self.player.view()
            scene = scene_message(view)
            words = {"about": self.player.about(), "scene": scene, "state": view.state()}
            still: dict[str, Any] = frames.finite(words)
            return still, frames.frame(view, 0, list(scene["origin"]))

    def close(self) -> None:
        """Free everything, when no view will open any more."""
        with self.lock:
            if not self.closed:
                self.closed = True
                self.player.release()


def _after(old: Window) -> Window:
    """A window without frames in flight that continues the numbering."""
    new = Window(old.size)
    new.sent = new.drawn = old.sent
    return new
