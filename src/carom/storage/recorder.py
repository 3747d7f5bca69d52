"""The recorder: writes a run to a tape as it advances, and its checkpoints."""

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
from carom.observe.observable import RunState
from carom.observe.sampler import Sampler
from carom.storage.checkpoint import checkpoint_of
from carom.storage.tape import Tape
from carom.thread_warnings import warn_caller

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History

MAX_DELAY = 0.5
"""Longest time before collected data go to the writer, s."""


class RecordedRun(Protocol):
    """What a recorder needs of the run, besides what observables read."""

    def check_between_steps(self, what: str) -> None:
        """Raise an error if the run is in the middle of a step."""

    def save(self, path: Path, recording: dict[str, Any], recorder: Mapping[str, NDArray[Any]]) -> None:
        """Save a checkpoint of the run, with the state of its recording."""

    def forget(self, history: History) -> None:
        """Stop writing to a history."""

    def release(self) -> None:
        """Note that the run is no longer recorded."""


class Recorder(Follower):
    """A recording in progress. Close it after the run, or use it in a `with` statement."""

    def __init__(
        self,
        observed: RunState,
        run: RecordedRun,
        tape: Tape,
        sampler: Sampler,
        pause: float | None,
        history: History | None,
    ) -> None:
        super().__init__(observed, sampler)
        self.path = tape.path
        self.tape = tape
        self.pause = pause
        self.goal: dict[str, Any] = {}
        """The planned end of the run, for a resumed run."""
        self._run: RecordedRun | None = run
        self._warned = False
        self._history = history
        self._waiting, self._handed = 0, monotonic()
        atexit.register(self._end)  # so that no data are lost if it is never closed
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
        """True if the state at any time can be rebuilt from the recorded events."""
        return self._history is not None

    def flush(self) -> None:
        """Wait until all data so far can be read and are on the disk."""
        if self._run is not None:
            self._run.check_between_steps("flush")
        if self.complete:
            self._hand_over()
        self.tape.writer.flush()

    def close(self, *, complete: bool = True) -> None:
        """End the recording; the run can continue without it. With checkpoints on, a last one is written."""
        if self._run is None:
            return
        self._run.check_between_steps("close")
        run, self._run = self._run, None
        atexit.unregister(self._end)
        run.release()
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
        """How to get a frame."""
        due = self.sampler.due()[0]
        now = self._run_state.time
        if np.isfinite(due):
            return f"The first was to be at {due:.9g} s, and the run ended at {now:.9g} s: let it run longer."
        return f"All were before {self.sampler.start:.9g} s, when recording began: give later times, or every=…."

    def _end(self) -> None:
        """Close the recording at the end of the program; write errors have been reported before."""
        with contextlib.suppress(StorageError):
            self.close(complete=False)

    def checkpoint(self) -> Path:
        """Write a checkpoint now, and return its path."""
        if self._run is None:
            raise StorageError(self.path, "the recording has ended", "Save before closing it.")
        self._run.check_between_steps("checkpoint")
        return self._save(self._run)

    # Called by the run.

    def pass_on(self, rows: NDArray[Any], who: NDArray[np.intp]) -> None:
        """Take these collisions; `who` are the rows of the balls by their present indices."""
        self.sampler.collided(rows, who, self.tape)
        self._waiting += max(1, len(rows))
        if self._waiting >= LOG_ROWS // 2 or monotonic() - self._handed > MAX_DELAY:
            self._hand_over()

    def _hand_over(self) -> None:
        """Pass the collected history and the present time to the tape."""
        self._waiting, self._handed = 0, monotonic()
        self.tape.advance_to(
            self._run_state.time, self._history.drain(forget=True) if self._history is not None else {}
        )

    def note_edit(self) -> None:
        """Note an edit of the run; a second note for the same balls means an edit by the user."""
        self.tape.edited(self._run_state.time, self.sampler.rows)

    def invalidate(self) -> None:
        """Take no more and write no more checkpoints, as something has happened that is not on the tape."""
        self.complete = False
        if self._history is not None and self._run is not None:
            self._run.forget(self._history)

    def warn(self) -> None:
        """Warn once that the run continues without being recorded."""
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
        """Write a checkpoint if one is due."""
        if monotonic() >= self._due and self._run is not None:
            self._save(self._run)
            self._due = monotonic() + (self.pause or 0.0)

    def _save(self, run: RecordedRun) -> Path:
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
        run.save(target, told, self.sampler.state())
        return target
