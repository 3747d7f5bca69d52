"""Undo and redo: what was, by the name of the command that changed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from carom.lab.past import Past
from carom.lab.samples import Samples

TOGETHER = 1.0
"""Doing the same to the same things within so many seconds is one thing to undo."""
DEPTH = 100
ROOM = 3
"""Undo may hold so many times as many copies of simulations as a track; the oldest steps are forgotten beyond."""


@dataclass(frozen=True)
class Moment:
    """A bench as it was, as far as undo is concerned."""

    past: Past
    time: float
    samples: Samples
    selected: tuple[int, ...]
    entry: str
    pace: float
    arrow_time: float


@dataclass
class Step:
    """A command that can be undone: what was before it (or, for redo, after)."""

    name: str
    about: Any
    """What it was done to: the same again soon after is the same step."""
    moment: Moment
    at: float
    """On the clock, s."""


class History:
    """Steps to undo and to redo."""

    def __init__(self) -> None:
        self.undo: list[Step] = []
        self.redo: list[Step] = []

    def remember(self, name: str, about: Any, moment: Moment, now: float, frames: int) -> None:
        """A command was done; `moment` was before it, and a track has room for so many copies of a simulation."""
        self.redo.clear()
        last = self.undo[-1] if self.undo else None
        if (
            last is not None
            and about is not None
            and (last.name, last.about) == (name, about)
            and now - last.at < TOGETHER
        ):
            last.at = now
            return
        self.undo.append(Step(name, about, moment, now))
        self._trim(ROOM * frames)

    def _trim(self, room: int) -> None:
        """Forget the oldest steps if they are too many, or hold too much."""
        del self.undo[:-DEPTH]
        while len(self.undo) > 1 and len(self._frames()) > room:
            del self.undo[0]

    def _frames(self) -> set[int]:
        return {id(frame) for step in self.undo for segment in step.moment.past.segments for frame in segment.frames}
