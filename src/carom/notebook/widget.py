"""The widget of a cell, and which widgets stay alive."""

from __future__ import annotations

import json
from typing import Any

import anywidget
import traitlets

from carom.errors import ArgumentError, CaromError, Problem
from carom.lab.commands.running import FASTEST, SLOWEST
from carom.lab.seen import frames
from carom.notebook import modules
from carom.notebook.display import is_interactive, picture, title
from carom.notebook.feed import Feed
from carom.notebook.player import Player, RunPlayer
from carom.scene import Scene
from carom.scene.fields.base import shown
from carom.simulation.simulation import Simulation

THEMES = ("auto", "light", "dark")
MIN_HEIGHT, MAX_HEIGHT = 120, 2000
"""Heights of the picture, px."""
MAX_BALLS_STORED = 5000
"""Up to this many balls, the notebook file stores a frame to show without a kernel."""
MAX_HIDDEN = 2
"""Widgets without a view that stay alive: the output of a cell may be moved and shown again."""

_living: list[Viewer] = []
_hidden: list[Viewer] = []
"""Widgets that were shown and have no view now, the oldest first."""


class Viewer(anywidget.AnyWidget):
    """A widget of a run or a recording. Made by `carom.notebook.show`, or by a cell that ends with one."""

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
        player = _player_for(what)
        self._svg = picture(what)
        self._words = title(what)
        self.feed = Feed(player, self._post)
        player.do("speed", factor=speed)
        if play:
            player.do("run")
        still, frame = self.feed.still() if len(player.view().positions) <= MAX_BALLS_STORED else ({}, b"")
        super().__init__(
            _still=json.dumps(still, default=frames.plain) if still else "",
            _frame=frame,
            _height=height or 0,
            _theme=theme,
        )
        self.on_msg(self._receive)
        _living.append(self)

    @staticmethod
    def living() -> tuple[Viewer, ...]:
        """All open widgets, in the order in which they were made."""
        return tuple(_living)

    # From cells.

    @property
    def time(self) -> float:
        """The time that is shown, s."""
        return self._open().player.view().time

    @property
    def running(self) -> bool:
        """Is it playing?"""
        return self._open().player.view().running

    @property
    def selected(self) -> tuple[int, ...]:
        """The selected balls."""
        return self._open().player.view().selected

    @property
    def simulation(self) -> Simulation:
        """The instant that is shown, as a separate simulation."""
        feed = self._open()
        with feed.lock:
            return feed.player.simulation()

    def play(self) -> None:
        """Play."""
        self._do("run")

    def pause(self) -> None:
        """Pause."""
        self._do("pause")

    def seek(self, time: float) -> None:
        """Go to a past instant of a run, or any instant of a recording."""
        self._do("scrub", time=time)

    def select(self, *balls: int) -> None:
        """Select these balls, or none."""
        self._do("select", indices=list(balls))

    def close(self) -> None:
        """Remove the widget, and free its resources."""
        if not hasattr(self, "feed"):  # `__init__` failed, and the object is being deleted
            return
        self.feed.close()
        for kept in (_living, _hidden):
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

    def _receive(self, _: Any, message: Any, __: Any) -> None:
        self.feed.receive(message)
        if not isinstance(message, dict) or not ("hello" in message or "bye" in message):
            return
        if self in _hidden:
            _hidden.remove(self)
        if not self.feed.has_views:
            _hidden.append(self)
            for old in _hidden[:-MAX_HIDDEN]:
                old.close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget if the notebook is interactive, and always a picture."""
        beside = {"text/plain": self._words} | ({"image/svg+xml": self._svg} if self._svg else {})
        made: Any = super()._repr_mimebundle_(**options) if is_interactive() else None
        if made is None:
            return beside
        data, about = made if isinstance(made, tuple) else (made, {})
        return {**data, **beside}, about


def _check(height: Any, theme: Any, speed: Any) -> None:
    """ArgumentError for invalid options."""
    problems = []
    if height is not None and not (isinstance(height, int) and MIN_HEIGHT <= height <= MAX_HEIGHT):
        problems.append(Problem("widget.height", where="height", value=shown(height), low=MIN_HEIGHT, high=MAX_HEIGHT))
    if theme not in THEMES:
        problems.append(Problem("widget.theme", where="theme", value=shown(theme), known=THEMES))
    if isinstance(speed, bool) or not isinstance(speed, int | float) or not SLOWEST <= speed <= FASTEST:
        problems.append(Problem("widget.speed", where="speed", value=shown(speed), low=SLOWEST, high=FASTEST))
    if problems:
        raise ArgumentError(problems)


def _player_for(what: Any) -> Player:
    """Make the player of a simulation, scene or recording."""
    if isinstance(what, Scene):
        return RunPlayer(Simulation(what))
    if isinstance(what, Simulation):
        return RunPlayer(what)
    from carom.storage.recording import Recording  # noqa: PLC0415  # h5py, only where there is a file

    if isinstance(what, Recording):
        from carom.notebook.playback import RecordingPlayer  # noqa: PLC0415  # the same

        return RecordingPlayer(what)
    raise ArgumentError.of("widget.cannot-show", where="what", name=type(what).__name__)
