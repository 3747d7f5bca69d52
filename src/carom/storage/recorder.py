"""A recording under way: what a run hands to it, and what its checkpoints vouch for."""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from carom.errors import StorageError, StorageWarning
from carom.observe.follower import LOG_ROWS, Follower
from carom.observe.sampler import Sampler
from carom.storage.checkpoint import checkpoint_of
from carom.storage.tape import Tape
from carom.thread_warnings import warn_caller

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History

LINGER = 0.5
"""What has happened waits at most so long before it is handed to the writer, s."""


class Run(Protocol):
    """What a recorder asks of the run, besides what observables read."""

    def stands(self, what: str) -> None:
        """Refuse what cannot be done amid a step."""

    def save_with(self, path: Path, recording: dict[str, Any], recorder: Mapping[str, NDArray[Any]]) -> None:
        """Save the run, and how far it is recorded."""

    def forget(self, history: History) -> None:
        """Write no more into a history."""

    def let_go(self) -> None:
        """Nobody records the run any more."""


class Recorder(Follower):
    """A recording under way; close it when the run is over, or use it in a `with`."""

    def __init__(self, run: Any, tape: Tape, sampler: Sampler, pause: float | None, history: History | None) -> None:
        super().__init__(run, sampler)
        self.path = tape.path
        self.tape = tape
        self.pause = pause
        self.goal: dict[str, Any] = {}
        """How long the run is to be, for who resumes it."""
        self._run: Run | None = run
        self._warned = False
        self._history = history
        self._waiting, self._handed = 0, monotonic()
        atexit.register(self._end)  # who forgets to close it loses nothing
        self._due = np.inf if pause is None else monotonic() + pause

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(complete=error is None)

    def __repr__(self) -> str:
        frames = f"{self.tape.frames} frame{'' if self.tape.frames == 1 else 's'} written"
        more = ", any other instant can be rebuilt" if self.rebuilds else ""
        return f"<recorder of {self.path}: {frames}{more}>"

    @property
    def rebuilds(self) -> bool:
        """Can any instant be rebuilt from the events?"""
        return self._history is not None

    def flush(self) -> None:
        """Wait until all that was recorded can be read, and is on the disk."""
        if self._run is not None:
            self._run.stands("flush")
        if self.complete:
            self._hand_over()
        self.tape.writer.flush()

    def close(self, *, complete: bool = True) -> None:
        """End the recording; the run can go on without. With checkpoints, the last one is of now."""
        if self._run is None:
            return
        self._run.stands("close")
        run, self._run = self._run, None
        atexit.unregister(self._end)
        run.let_go()
        try:
            if self._history is not None:
                run.forget(self._history)
            if self.complete and self.tape.writer.error is None:
                self._hand_over()
                if self.pause is not None:
                    self._save(run)
        finally:
            self.tape.writer.close(complete=complete and self.complete)
        if complete and not self.tape.frames:
            message = f"{self.path}: holds no frame, as none of the times asked for came while the run was recorded. "
            warn_caller(f"{message}{self._first_due()}", StorageWarning)

    def _first_due(self) -> str:
        """What to do for a frame."""
        due = self.sampler.due()[0]
        now = self._run_state.time
        if np.isfinite(due):
            return f"The first was to be at {due:.9g} s, and the run ended at {now:.9g} s: let it run longer."
        return f"All were before {self.sampler.start:.9g} s, when recording began: give later times, or every=…."

    def _end(self) -> None:
        """Close it when the program ends; what cannot be written then has been told before."""
        with contextlib.suppress(StorageError):
            self.close(complete=False)

    def checkpoint(self) -> Path:
        """Write a checkpoint now; gives its name."""
        if self._run is None:
            raise StorageError(self.path, "the recording has ended", "Save before closing it.")
        self._run.stands("checkpoint")
        return self._save(self._run)

    # Called by the run.

    def pass_on(self, rows: NDArray[Any], who: NDArray[np.intp]) -> None:
        """Take what has happened."""
        self.sampler.collided(rows, who, self.tape)
        self._waiting += max(1, len(rows))
        if self._waiting >= LOG_ROWS // 2 or monotonic() - self._handed > LINGER:
            self._hand_over()

    def _hand_over(self) -> None:
        """Give the tape what has gathered: the history, and how far the run has come."""
        self._waiting, self._handed = 0, monotonic()
        self.tape.passed(self._run_state.time, self._history.drain(forget=True) if self._history is not None else {})

    def note_edit(self) -> None:
        """Note that something was done to the run; a second time for the same balls, that it was done by hand."""
        self.tape.edited(self._run_state.time, self.sampler.rows)

    def invalidate(self) -> None:
        """Something has happened that is not on the tape: take no more, and vouch for nothing."""
        self.complete = False
        if self._history is not None and self._run is not None:
            self._run.forget(self._history)

    def warn(self) -> None:
        """Say, once, that the run goes on without being recorded."""
        if not self._warned:
            self._warned = True
            message = (
                f"{self.path}: the run was broken off amid its course, so that not all of it is in the file; it is not "
                "recorded any more. Resume it from its last checkpoint, or close the recording and begin another one."
            )
            warn_caller(message, StorageWarning)

    def take(self) -> None:
        """Take a sample if one is due."""
        if self.sampler.is_due(self._run_state):
            self.sampler.take(self._run_state, self.tape)

    def tick(self) -> None:
        """Write a checkpoint if it is time."""
        if monotonic() >= self._due and self._run is not None:
            self._save(self._run)
            self._due = monotonic() + (self.pause or 0.0)

    def _save(self, run: Run) -> Path:
        if not self.complete:
            what = "the run was broken off amid its course, and not all of it is in the file"
            raise StorageError(self.path, what, "Resume it from its last checkpoint.")
        target = checkpoint_of(self.path)
        self._hand_over()
        told = {
            "mark": self.tape.header.mark,
            "rows": self.tape.writer.flush(),
            "triggers": [each.described() for each in self.sampler.triggers],
            "observables": [each.name for each in self.sampler.observables],
            "events": self.sampler.events,
            "pause": self.pause,
            "goal": self.goal,
        }
        run.save_with(target, told, self.sampler.state())
        return target
