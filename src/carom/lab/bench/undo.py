"""Undo and redo: what was, by the name of the command that changed it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from carom.lab.bench.memory import UNDO
from carom.lab.bench.past import Past, thinned
from carom.lab.seen.samples import Samples

TOGETHER = 1.0
"""Doing the same to the same things within so many seconds is one thing to undo."""
DEPTH = 100


@dataclass(frozen=True)
class BenchState:
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
    moment: BenchState
    at: float
    """On the clock, s."""


class UndoStack:
    """Steps to undo and to redo."""

    def __init__(self) -> None:
        self.undo: list[Step] = []
        self.redo: list[Step] = []

    def remember(self, name: str, about: Any, moment: BenchState, now: float, frames: int) -> None:
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
        self.keep_within(frames)

    def keep_within(self, frames: int) -> None:
        """Forget the oldest steps if they are too many, or hold too much, where a track has room for so many copies."""
        room = UNDO * frames
        del self.undo[:-DEPTH]
        while len(self.undo) + len(self.redo) > 1 and self._copies() > room:
            del (self.undo if len(self.undo) > 1 or not self.redo else self.redo)[0]
        for step in (*self.undo, *self.redo) if self._copies() > room else ():
            step.moment = replace(step.moment, past=thinned(step.moment.past, frames))

    def _copies(self) -> int:
        """How many copies it holds."""
        steps = (*self.undo, *self.redo)
        return len({id(frame) for step in steps for part in step.moment.past.segments for frame in part.frames})
