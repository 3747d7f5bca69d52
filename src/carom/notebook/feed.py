"""Between a player and the pages that show it: frames out, acknowledgements and commands in.

There is no thread here. A page asks for the next frame by acknowledging the last; so a run advances only while somebody
looks, never faster than it is drawn, and waits while the kernel is busy.
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

LONGEST = 0.3
"""Seconds of the clock that may pass between two frames: after a pause of the kernel, time goes on from there."""

Send = Callable[[dict[str, Any], list[bytes]], object]


class Feed:
    """Serves the pages of one widget. Safe to be called from several threads."""

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
        """Views that are open, by the page (a load of a document) that they are on."""
        self.closed = False

    # What pages say.

    def hear(self, message: Any) -> None:
        """A message of a page; what means nothing is answered with a note, and changes nothing."""
        with self.lock:
            if self.closed or not isinstance(message, Mapping):
                return
            try:
                self._take(message)
            except CaromError as error:
                self.note("error", str(error))

    def _take(self, message: Mapping[str, Any]) -> None:
        if "hello" in message:
            self._greet(message["hello"])
        elif "bye" in message:
            self._part(message["bye"])
        elif "ack" in message:
            self._drawn(message["ack"])
        elif "want" in message:
            wanted = message["want"]
            if isinstance(wanted, Mapping):
                self.velocities, self.forces = bool(wanted.get("velocities")), bool(wanted.get("forces"))
                self.publish(fresh=True)
        elif "do" in message:
            self._do(message)

    def _greet(self, who: Any) -> None:
        """A view has opened: it gets everything. Those of another load of the page are gone."""
        page, view = str(who.get("page")), str(who.get("view"))
        self.pages = {page: self.pages.get(page, set()) | {view}}
        self.repeat()

    def _part(self, who: Any) -> None:
        """A view has closed; when the last one has, time stands."""
        for views in self.pages.values():
            views.discard(str(who.get("view")))
        if not self.watched:
            self.player.do("pause")

    @property
    def watched(self) -> bool:
        """Is any view open?"""
        return any(self.pages.values())

    def _drawn(self, number: Any) -> None:
        """A frame was drawn: time for the next, if there is one."""
        if not isinstance(number, int) or not self.window.acknowledge(number):
            return
        if self.player.busy:
            now = self.clock()
            with self.compiling():
                self.player.advance(min(now - self.advanced, LONGEST))
            self.advanced = now
            self.publish()

    def _do(self, message: Mapping[str, Any]) -> None:
        name, given, seq = message["do"], message.get("with") or {}, message.get("seq", 0)
        if name not in COMMANDS or not isinstance(given, Mapping) or not isinstance(seq, int):
            return
        self.command(str(name), seq, **{str(key): value for key, value in given.items()})

    # What a person does, on a page or in a cell.

    def command(self, name: str, seq: int = 0, **arguments: Any) -> str | None:
        """Do a command, and show what came of it; words if it could not be done."""
        with self.lock:
            idle = not self.player.busy
            with self.compiling():
                refused = self.player.do(name, seq, **arguments)
            if idle:
                self.advanced = self.clock()
            self.publish(fresh=True)
            return None if refused is None else refused.text

    # What pages hear.

    def repeat(self) -> None:
        """Say everything again, to a view that knows nothing yet."""
        self.window = _after(self.window)
        self.epoch, self.stated, self.charted = None, None, 0
        self.send({"about": self.player.about()}, [])
        self.publish(fresh=True)

    def publish(self, *, fresh: bool = False) -> None:
        """The present view, if there is room for it, and what is to be said; `fresh`: by a person's wish."""
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
        """While it is entered, pages are told when kernels are compiled, which takes some seconds on first use."""
        return Compilations(lambda: self.send({"working": "compiling"}, []), here=True)

    def note(self, kind: str, words: str) -> None:
        """A word to the person."""
        self.send({"note": {"kind": kind, "text": words}}, [])

    def still(self) -> tuple[dict[str, Any], bytes]:
        """What a page can show by itself, without a kernel: all words, and a frame."""
        with self.lock:
            view = self.player.view()
            scene = scene_message(view)
            words = {"about": self.player.about(), "scene": scene, "state": view.state()}
            still: dict[str, Any] = frames.finite(words)
            return still, frames.frame(view, 0, list(scene["origin"]))

    def close(self) -> None:
        """Nobody looks any more: everything is freed."""
        with self.lock:
            if not self.closed:
                self.closed = True
                self.player.let_go()


def _after(old: Window) -> Window:
    """A window with nothing under way, whose numbers go on."""
    new = Window(old.size)
    new.sent = new.drawn = old.sent
    return new
