"""Record, remember and save a run; continue a recording from a checkpoint."""

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
from carom.simulation.run import ActiveRun
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
    """The access of a recorder to the run that it records."""

    def __init__(self, run: ActiveRun) -> None:
        self._run = run
        self._text: tuple[Scene, str] | None = None
        """A scene and its text as JSON, which is large and seldom changes."""

    def check_between_steps(self, what: str) -> None:
        """Refuse what cannot be done during a step."""
        self._run.check_between_steps(what)

    def save(self, path: Path, recording: dict[str, Any], recorder: Mapping[str, NDArray[Any]]) -> None:
        """Write a checkpoint of the run with the state of its recording."""
        scene = self._run.scene
        if self._text is None or self._text[0] is not scene:
            self._text = (scene, dumps(scene, "json"))
        checkpoint_of(self._run, recording, recorder).write(path, self._text[1])

    def forget(self, history: History) -> None:
        """Stop writing into a history."""
        forget(self._run, history)

    def release(self) -> None:
        """Detach the recorder from the run."""
        self._run.recorder = None


@dataclass(frozen=True)
class Plan:
    """The arguments of `Simulation.record`."""

    every: float | triggers.Every | triggers.Collisions | None
    at: Any
    events: bool
    observables: Any
    checkpoint: float | None
    force: bool
    source: Any

    def check_types(self) -> None:
        """Refuse flags that are no booleans (`events="no"` would count as true), and a source that is no text."""
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
        """A sampler for a number of balls."""
        whens = triggers.triggers_for(self.every, self.at)
        return Sampler(whens, observables_for(self.observables), events=self.events, count=count)

    @property
    def pause(self) -> float | None:
        """Wall-clock time between checkpoints, s; None for no checkpoints."""
        value: Any = self.checkpoint
        if value is None:
            return None
        if not triggers.is_number(value) or not 0.0 <= value < np.inf:
            raise ArgumentError.of("checkpoint.every", where="checkpoint", value=shown(value))
        return float(value)

    def warn_if_single_frame(self, recorder: Recorder) -> None:
        """Warn if the recording will have a single frame, and other instants cannot be rebuilt."""
        if self.every is None and self.at is None and not recorder.rebuilds:
            message = (
                f"{recorder.path}: only the frame of now is kept, and no other instant can be rebuilt. "
                "Give every=0.1 for a frame every 0.1 s, or at=[…]."
            )
            warn_caller(message, StorageWarning)


class RunStorage:
    """Records, remembers and saves a run. `observed` is the run as observables read it."""

    def __init__(self, run: ActiveRun, observed: RunState) -> None:
        self._run = run
        self._observed = observed

    def record(  # each is one choice, and has a default
        self,
        path: str | Path,
        *,
        every: float | triggers.Every | triggers.Collisions | None = None,
        at: Any = None,
        events: bool = True,
        observables: Any = (),
        checkpoint: float | None = None,
        force: bool = False,
        source: str = "",
    ) -> Recorder:
        """Record the run from now on until `close` of the recorder, which is also a context manager.

        every        time between frames, s, from now on; or a trigger, such as `Collisions(100)`.
        at           times of frames, s.
        events       True: record all collisions, and with the exact solver the history that rebuilds any instant bit
                     for bit.
        observables  names of observables, or custom ones, sampled with each frame.
        checkpoint   wall-clock time between checkpoints, s, from which a killed run can be resumed.
        force        True: overwrite an existing file.
        source       where the scene comes from, a text that is stored in the file.

        With neither every nor at, the recording has a single frame, of now. With the exact solver and events,
        `Recording.at` rebuilds any other instant; otherwise a `StorageWarning` tells that there is no other.

        Recording changes no bit of the run.
        """
        plan = Plan(every, at, events, observables, checkpoint, force, source)
        return _begin_recording(self._run, self._observed, Path(path), plan)

    def remember(self) -> History:
        """Keep the history in memory from now on; `history.at(t)` gives any instant since, bit for bit."""
        history = new_history(self._run)
        remember(self._run, history)
        return history

    def forget(self, history: History) -> None:
        """Stop writing into a history that `remember` returned."""
        forget(self._run, history)

    def save(self, path: str | Path) -> None:
        """Save the state of the run; `Simulation.resume` continues it to the same bits."""
        self._run.check_between_steps("save")
        checkpoint_of(self._run).write(Path(path))


def _begin_recording(run: ActiveRun, observed: RunState, target: Path, plan: Plan) -> Recorder:
    """Start recording a run; `observed` is the run as observables read it."""
    run.check_between_steps("record")
    run.check_unfollowed("record")
    plan.check_types()
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
        discard(target)  # the checkpoint of an overwritten file
        tape.advance_to(run.time, columns)
        recorder.take()
        recorder.flush()
        if pause is not None:
            recorder.checkpoint()
    except BaseException:
        recorder.invalidate()
        with contextlib.suppress(StorageError):  # the first error is raised
            recorder.close(complete=False)
        raise
    plan.warn_if_single_frame(recorder)
    return recorder


def continue_recording(run: ActiveRun, observed: RunState, path: Path, saved: Checkpoint, observables: Any) -> None:
    """Continue a recording: copy the rows that the checkpoint vouches for into a new file, and append to them."""
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


def _header(run: ActiveRun, sampler: Sampler, source: str) -> Header:
    whens, scene = [each.described() for each in sampler.triggers], run.scene
    name, events = run.solver.card.name, sampler.events
    return Header(scene, name, method_of(run), run.wall_names, events, whens, source, dict(scene.origin))


# History.


def new_history(run: ActiveRun) -> History:
    """An empty history of a run; an `ArgumentError` if its solver keeps none."""
    remembering(run.solver, "remember")
    from carom.solvers.exact.history.history import History  # noqa: PLC0415  # Numba is not loaded before something runs

    return History(run.scene)


def remember(run: ActiveRun, history: History) -> None:
    """Write all events into a history from now on."""
    remembering(run.solver, "remember").remember(history)


def forget(run: ActiveRun, history: History) -> None:
    """Stop writing into a history."""
    if run.solver.card.keeps_history:
        remembering(run.solver, "forget").forget(history)
