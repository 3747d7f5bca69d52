"""Undo and redo: earlier states, by the name of the command that changed them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from carom.lab.bench.memory import UNDO
from carom.lab.bench.past import Past, thin_out
from carom.lab.seen.samples import Samples

MERGE_WITHIN = 1.0
"""Equal commands on equal objects within this time, s, are one step to undo."""
DEPTH = 100


@dataclass(frozen=True)
class BenchState:
    """An earlier state of a bench, for undo."""

    past: Past
    time: float
    samples: Samples
    selected: tuple[int, ...]
    entry: str
    pace: float
    arrow_time: float


@dataclass
class Step:
    """A command that can be undone, with the state before it (for redo: after it)."""

    name: str
    about: Any
    """The objects of the command: repeating it soon is the same step."""
    moment: BenchState
    at: float
    """Wall-clock time, s."""


class UndoStack:
    """Steps to undo and to redo."""

    def __init__(self) -> None:
        self.undo: list[Step] = []
        self.redo: list[Step] = []

    def remember(self, name: str, about: Any, moment: BenchState, now: float, frames: int) -> None:
        """Add a command with the state before it; `frames` is the number of copies that fit into memory."""
        self.redo.clear()
        last = self.undo[-1] if self.undo else None
        if (
            last is not None
            and about is not None
            and (last.name, last.about) == (name, about)
            and now - last.at < MERGE_WITHIN
        ):
            last.at = now
            return
        self.undo.append(Step(name, about, moment, now))
        self.keep_within(frames)

    def keep_within(self, frames: int) -> None:
        """Forget the oldest steps beyond the limits; `frames` is the number of copies that fit into memory."""
        room = UNDO * frames
        del self.undo[:-DEPTH]
        while len(self.undo) + len(self.redo) > 1 and self._copies() > room:
            del (self.undo if len(self.undo) > 1 or not self.redo else self.redo)[0]
        for step in (*self.undo, *self.redo) if self._copies() > room else ():
            step.moment = replace(step.moment, past=thin_out(step.moment.past, frames))

    def _copies(self) -> int:
        """The number of copies in it."""
        steps = (*self.undo, *self.redo)
        return len({id(frame) for step in steps for part in step.moment.past.segments for frame in part.frames})
