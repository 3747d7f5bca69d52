"""Recordings of a run: begun, and gone on with after a checkpoint; and the history in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, SceneError, StorageError, StorageWarning
from carom.observe import triggers
from carom.observe.observable import RunState
from carom.observe.observable import names as known
from carom.observe.sampler import Sampler, observables_for
from carom.scene import Scene
from carom.scene.fields.base import shown
from carom.scene.fields.quantities import text
from carom.scene.io.files import dumps
from carom.simulation.run import Run
from carom.simulation.save import checkpoint_of, method_of
from carom.solvers.protocol import remembering
from carom.storage.checkpoint import Checkpoint, discard
from carom.storage.lock import Lock
from carom.storage.recorder import Recorder
from carom.storage.tape import Header, Tape
from carom.thread_warnings import warn_caller

if TYPE_CHECKING:
    from carom.solvers.exact.history.history import History


class RecorderAccess:
    """What a recorder may do with the run that it records."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._text: tuple[Scene, str] | None = None
        """A scene, and it written down: it is large, and changes seldom."""

    def check_between_steps(self, what: str) -> None:
        """Refuse what cannot be done amid a step."""
        self._run.check_between_steps(what)

    def save(self, path: Path, recording: dict[str, Any], recorder: Mapping[str, NDArray[Any]]) -> None:
        """Save the run, and how far it is recorded."""
        scene = self._run.scene
        if self._text is None or self._text[0] is not scene:
            self._text = (scene, dumps(scene, "json"))
        checkpoint_of(self._run, recording, recorder).write(path, self._text[1])

    def forget(self, history: History) -> None:
        """Write no more into a history."""
        forget(self._run, history)

    def release(self) -> None:
        """Let the run go on without being recorded."""
        self._run.recorder = None


@dataclass(frozen=True)
class Plan:
    """What is to be recorded, as the arguments of `Simulation.record` say."""

    every: float | triggers.Every | triggers.Collisions | None
    at: Any
    events: bool
    observables: Any
    checkpoint: float | None
    force: bool
    source: Any

    def check_words(self) -> None:
        """Refuse what is no answer to a question: `events="no"` would count as yes."""
        for where, value in (("events", self.events), ("force", self.force)):
            if not isinstance(value, bool | np.bool_):
                raise ArgumentError.of("flag.not-python", where=where, value=shown(value))
        if not isinstance(self.source, str):
            raise ArgumentError.of("source.not-a-text", where="source", value=shown(self.source))
        try:
            text(self.source)
        except SceneError as error:
            raise ArgumentError(problem.inside("source") for problem in error.problems) from None

    def sampler(self, count: int) -> Sampler:
        """What takes samples of so many balls."""
        whens = triggers.triggers_for(self.every, self.at)
        return Sampler(whens, observables_for(self.observables), events=self.events, count=count)

    @property
    def pause(self) -> float | None:
        """Seconds between two checkpoints; None for no checkpoints."""
        value: Any = self.checkpoint
        if value is None:
            return None
        if not triggers.is_number(value) or not 0.0 <= value < np.inf:
            raise ArgumentError.of("checkpoint.every", where="checkpoint", value=shown(value))
        return float(value)

    def warn_if_hardly_anything(self, recorder: Recorder) -> None:
        """Warn if there will be one frame alone, and no other instant can be rebuilt."""
        if self.every is None and self.at is None and not recorder.rebuilds:
            message = (
                f"{recorder.path}: only the frame of now is kept, and no other instant can be rebuilt. "
                "Give every=0.1 for a frame every 0.1 s, or at=[…]."
            )
            warn_caller(message, StorageWarning)


def begin_recording(run: Run, observed: RunState, target: Path, plan: Plan) -> Recorder:
    """Record a run from now on; `observed` is the run as observables read it."""
    run.check_between_steps("record")
    run.check_unfollowed("record")
    plan.check_words()
    sampler, pause = plan.sampler(len(run.scene.balls)), plan.pause
    lock = Lock(target)
    lock.acquire()
    history = None
    try:
        if target.exists() and not plan.force:
            raise StorageError(target, "exists already", "Choose another name, or say force=True (--force).")
        sampler.begin(observed)
        if plan.events and run.solver.card.keeps_history:
            history = new_history(run)
            remember(run, history)
        header, sample = _header(run, sampler, plan.source), sampler.preview(observed)
        columns = history.drain() if history is not None else {}
        tape = Tape.create(target, header, sampler.observables, sample, columns, lock)
    except BaseException:
        if history is not None:
            forget(run, history)
        lock.release()
        raise
    run.recorder = recorder = Recorder(observed, RecorderAccess(run), tape, sampler, pause, history)
    try:
        discard(target)  # it belonged to a file that is gone
        tape.advance_to(run.time, columns)
        recorder.take()
        recorder.flush()
        if pause is not None:
            recorder.checkpoint()
    except BaseException:
        recorder.invalidate()
        with contextlib.suppress(StorageError):  # what went wrong first is told
            recorder.close(complete=False)
        raise
    plan.warn_if_hardly_anything(recorder)
    return recorder


def continue_recording(run: Run, observed: RunState, path: Path, saved: Checkpoint, observables: Any) -> None:
    """Go on recording: the rows that the checkpoint vouches for, in a new file, and then what comes."""
    told = saved.recording
    given = {each.name: each for each in observables_for(observables)}
    lacking = [name for name in told["observables"] if name not in given and name not in known()]
    if lacking:
        raise ArgumentError.of("resume.own-observable", where="observables", source=str(path), name=repr(lacking[0]))
    wanted = [given.get(name, name) for name in told["observables"]]
    whens = [triggers.read(each) for each in told["triggers"]]
    sampler = Sampler(whens, observables_for(wanted), events=told["events"], count=len(saved.recorder["rows"]))
    lock = Lock(path)
    lock.acquire()
    try:
        tape = Tape.resume(path, told["mark"], told["rows"], lock)
    except BaseException:
        lock.release()
        raise
    history = None
    try:
        sampler.resume(observed, saved.recorder, tape.header.scene)
        sampler.shapes = dict(tape.shapes)
        history = tape.history()
        if history is not None:
            remember(run, history)
    except BaseException:
        if history is not None:
            forget(run, history)
        tape.writer.close(complete=False)
        raise
    run.recorder = Recorder(observed, RecorderAccess(run), tape, sampler, told["pause"], history)
    run.recorder.goal = dict(told["goal"])


def _header(run: Run, sampler: Sampler, source: str) -> Header:
    whens, scene = [each.described() for each in sampler.triggers], run.scene
    name, events = run.solver.card.name, sampler.events
    return Header(scene, name, method_of(run), run.wall_names, events, whens, source, dict(scene.origin))


# History.


def new_history(run: Run) -> History:
    """A history of a run, still empty; an `ArgumentError` if its solver keeps none."""
    remembering(run.solver, "remember")
    from carom.solvers.exact.history.history import History  # noqa: PLC0415  # Numba is not loaded before something runs

    return History(run.scene)


def remember(run: Run, history: History) -> None:
    """Write into a history, from now on, all that happens."""
    remembering(run.solver, "remember").remember(history)


def forget(run: Run, history: History) -> None:
    """Write no more into a history."""
    if run.solver.card.keeps_history:
        remembering(run.solver, "forget").forget(history)
