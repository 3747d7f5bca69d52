"""The widget itself: what a cell gives, and what lives as long as somebody may look."""

from __future__ import annotations

import json
from typing import Any

import anywidget
import traitlets

from carom.errors import ArgumentError, CaromError, Problem
from carom.lab.commands.running import FASTEST, SLOWEST
from carom.lab.seen import frames
from carom.notebook import modules
from carom.notebook.display import person_there, picture, title
from carom.notebook.feed import Feed
from carom.notebook.player import Player, RunPlayer
from carom.scene import Scene
from carom.scene.fields.base import shown
from carom.simulation.simulation import Simulation

THEMES = ("auto", "light", "dark")
LOWEST, HIGHEST = 120, 2000
"""Heights that a picture may have, px."""
STILL = 5000
"""Up to so many balls a notebook keeps a picture that is seen without a kernel."""
KEPT = 2
"""Widgets without a view that are kept: a cell's output may be moved, and come back."""

_living: list[Viewer] = []
_unseen: list[Viewer] = []
"""Those that were seen and are not any more, the oldest first."""


class Viewer(anywidget.AnyWidget):
    """A run or a recording to look at. Made by `carom.notebook.show`, or by showing a `Simulation` or a `Recording`."""

    _esm = modules.script()
    _css = modules.styles()
    _still = traitlets.Unicode("").tag(sync=True)
    _frame = traitlets.Bytes(b"").tag(sync=True)
    _height = traitlets.Int(0).tag(sync=True)
    _theme = traitlets.Unicode("auto").tag(sync=True)

    def __init__(
        self,
        what: Any,
        *,
        height: int | None = None,
        theme: str = "auto",
        speed: float = 1.0,
        play: bool = False,
    ) -> None:
        """See `carom.notebook.show`."""
        _check(height, theme, speed)
        player = _player(what)
        self._svg = picture(what)
        self._words = title(what)
        self.feed = Feed(player, self._post)
        player.do("speed", factor=speed)
        if play:
            player.do("run")
        still, frame = self.feed.still() if len(player.view().positions) <= STILL else ({}, b"")
        super().__init__(
            _still=json.dumps(still, default=frames.plain) if still else "",
            _frame=frame,
            _height=height or 0,
            _theme=theme,
        )
        self.on_msg(self._hear)
        _living.append(self)

    @staticmethod
    def living() -> tuple[Viewer, ...]:
        """All that hold a run or a recording, in the order in which they were made."""
        return tuple(_living)

    # From cells.

    @property
    def time(self) -> float:
        """The instant that is seen, s."""
        return self._open().player.view().time

    @property
    def running(self) -> bool:
        """Does time pass?"""
        return self._open().player.view().running

    @property
    def selected(self) -> tuple[int, ...]:
        """The balls that are selected."""
        return self._open().player.view().selected

    @property
    def simulation(self) -> Simulation:
        """The instant that is seen, as a simulation of its own, which goes its own way."""
        feed = self._open()
        with feed.lock:
            return feed.player.simulation()

    def play(self) -> None:
        """Let time pass."""
        self._do("run")

    def pause(self) -> None:
        """Let it stand."""
        self._do("pause")

    def seek(self, time: float) -> None:
        """Go to an instant that is known: a past one of a run, any one of a recording."""
        self._do("scrub", time=time)

    def select(self, *balls: int) -> None:
        """Select these balls; without any, none."""
        self._do("select", indices=list(balls))

    def close(self) -> None:
        """Take it away, and free what it holds."""
        if not hasattr(self, "feed"):  # what could not be shown is closed too, when it is forgotten
            return
        self.feed.close()
        for kept in (_living, _unseen):
            if self in kept:
                kept.remove(self)
        super().close()

    def _do(self, command: str, **arguments: Any) -> None:
        refused = self._open().command(command, **arguments)
        if refused is not None:
            raise CaromError(refused)

    def _open(self) -> Feed:
        if self.feed.closed:
            raise CaromError("this widget is closed. Run the cell that shows it again.")
        return self.feed

    # From and to pages.

    def _post(self, words: dict[str, Any], buffers: list[bytes]) -> None:
        self.send(words, buffers)

    def _hear(self, _: Any, message: Any, __: Any) -> None:
        self.feed.hear(message)
        if not isinstance(message, dict) or not ("hello" in message or "bye" in message):
            return
        if self in _unseen:
            _unseen.remove(self)
        if not self.feed.watched:
            _unseen.append(self)
            for old in _unseen[:-KEPT]:
                old.close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget where somebody can use it, and always a picture."""
        beside = {"text/plain": self._words} | ({"image/svg+xml": self._svg} if self._svg else {})
        made: Any = super()._repr_mimebundle_(**options) if person_there() else None
        if made is None:
            return beside
        data, about = made if isinstance(made, tuple) else (made, {})
        return {**data, **beside}, about


def _check(height: Any, theme: Any, speed: Any) -> None:
    """Are the options such as can be?"""
    problems = []
    if height is not None and not (isinstance(height, int) and LOWEST <= height <= HIGHEST):
        problems.append(Problem("widget.height", where="height", value=shown(height), low=LOWEST, high=HIGHEST))
    if theme not in THEMES:
        problems.append(Problem("widget.theme", where="theme", value=shown(theme), known=THEMES))
    if isinstance(speed, bool) or not isinstance(speed, int | float) or not SLOWEST <= speed <= FASTEST:
        problems.append(Problem("widget.speed", where="speed", value=shown(speed), low=SLOWEST, high=FASTEST))
    if problems:
        raise ArgumentError(problems)


def _player(what: Any) -> Player:
    """What plays it."""
    if isinstance(what, Scene):
        return RunPlayer(Simulation(what))
    if isinstance(what, Simulation):
        return RunPlayer(what)
    from carom.storage.recording import Recording  # noqa: PLC0415  # h5py, only where there is a file

    if isinstance(what, Recording):
        from carom.notebook.playback import RecordingPlayer  # noqa: PLC0415  # the same

        return RecordingPlayer(what)
    raise ArgumentError.of("widget.cannot-show", where="what", name=type(what).__name__)
