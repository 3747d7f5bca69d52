"""Keeping a run: recordings, checkpoints, the history in memory."""

from __future__ import annotations

import atexit
import contextlib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from carom import choice, editing
from carom.errors import Problem, SceneError, SolverError, StepWarning, StorageError
from carom.observe import triggers
from carom.observe.recorder import Sampler, observables_for
from carom.scene import Scene
from carom.scene.base import shown
from carom.scene.files import dumps
from carom.steering import Steering
from carom.storage.atomic import Lock
from carom.storage.checkpoint import Checkpoint, checkpoint_of, found, read
from carom.storage.recording import Recording
from carom.storage.tape import Header, Tape
from carom.world.collisions import collision_record

if TYPE_CHECKING:
    from carom.solvers.exact.engine import Engine as ExactEngine
    from carom.solvers.exact.history import History
    from carom.solvers.stepped.extra import Force

Floats = NDArray[np.float64]

BLOCK = 2**14
"""Collisions that are taken at once, at most."""
LINGER = 0.5
"""What has happened waits at most so long before it is handed to the writer, s."""


class Keeping(Steering):
    """What can be kept of a run."""

    _wish: choice.Wish
    _recorder: Recorder | None = None
    _text: tuple[Scene, str] | None = None
    """A scene, and it written down: it is large, and changes seldom."""

    def _advance_freely(self, end: float, quota: int, logs: NDArray[Any] | None = None) -> bool:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: all but the recorder, which stays with the first."""
        return {name: value for name, value in self.__dict__.items() if name != "_recorder"}

    @property
    def unborn(self) -> NDArray[np.bool_] | None:
        """Which balls are not born yet; None if all are born from the start."""
        return ~self._stepped("births").born if self._scene.balls.born.any() else None

    def look(self) -> tuple[Floats, Floats]:
        """Positions and velocities together, which is faster than one after the other."""
        solver, t, d = self._solver, self._time, self._scene.dimension
        x, v = self._exact.look(t) if solver.name == "exact" else (solver.places(t), solver.velocities(t))
        return x[:, :d], v[:, :d]

    @property
    def recorder(self) -> Recorder | None:
        """Who records the run, if anyone does."""
        return self._recorder

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
        """Record the run from now on, until `close`; or use it in a `with`.

        every        a frame every so many seconds, now included; or a trigger, such as `Collisions(100)`.
        at           frames at these times, s.
        events       keep all collisions; of the exact solver also what rebuilds any instant bit for bit.
        observables  names, or observables, measured with each frame.
        checkpoint   seconds of waiting time between two checkpoints, from which a killed run can be resumed.
        force        take the place of a file that is there.
        source       a word on where the scene comes from, kept in the file.

        Recording changes no bit of the run.
        """
        if self._recorder is not None:
            what = f"the run is being recorded already, in {self._recorder.path}"
            raise SceneError([Problem("record", what, "Close that recording first.")])
        target = Path(path)
        count = len(self._scene.balls)
        sampler = Sampler(triggers.triggers_for(every, at), observables_for(observables), events=events, count=count)
        pause = _pause(checkpoint)
        lock = Lock(target)
        lock.acquire()
        try:
            if target.exists() and not force:
                raise StorageError(target, "exists already", "Choose another name, or say force=True (--force).")
            sampler.begin(self._as_moment)
            history = self._new_history() if events else None
            if history is not None:
                self._exact.remember(history)
            header, sample = self._header(sampler, source), sampler.trial(self._as_moment)
            columns = history.drain() if history is not None else {}
            tape = Tape.begun(target, header, sampler.observables, sample, columns, lock)
        except BaseException:
            lock.release()
            raise
        checkpoint_of(target).unlink(missing_ok=True)  # it belonged to a file that is gone
        self._recorder = Recorder(self._as_moment, tape, sampler, pause, self, history)
        tape.passed(self._time, columns)
        self._recorder.take()
        self._recorder.flush()
        if pause is not None:
            self._recorder.checkpoint()
        return self._recorder

    def save(self, path: str | Path) -> None:
        """Save the run as it is, to go on later with `Simulation.resume`, to the same bits."""
        self._between_steps("save")
        self._checkpoint().write(Path(path))

    def save_with(self, path: Path, recording: dict[str, Any], recorder: Mapping[str, NDArray[Any]]) -> None:
        """Save the run, and how far it is recorded: for recorders."""
        if self._text is None or self._text[0] is not self._scene:
            self._text = (self._scene, dumps(self._scene, "json"))
        self._checkpoint(recording=recording, recorder=recorder).write(path, self._text[1])

    @classmethod
    def resume(
        cls, path: str | Path, forces: Sequence[Force] = (), *, observables: Any = (), record: bool = True
    ) -> Self:
        """Go on with a saved run, or with a recorded one from its last checkpoint; recording goes on too.

        path         a checkpoint, or a recording that has one beside it.
        forces       of one's own, the same as before: code is not saved.
        observables  of one's own, if some were recorded.
        record       False to go on without recording.
        """
        source = found(Path(path))
        saved = read(source)
        run = cls.__new__(cls)
        cls._begin_again(run, saved, forces)
        if record and saved.recording:
            cls._record_again(run, source.with_name(saved.recording["name"]), saved, observables)
        return run

    def _begin_again(self, saved: Checkpoint, forces: Any) -> None:
        own = tuple(forces) if isinstance(forces, Sequence) else (forces,)
        names = [each.name for each in own]
        if names != saved.wish["forces"]:
            was = ", ".join(saved.wish["forces"]) or "none"
            what = f"the saved run has these forces of one's own: {was}; given are: {', '.join(names) or 'none'}"
            raise SceneError(
                [Problem("forces", what, "Give the same ones, in the same order: resume(path, forces=[…]).")]
            )
        told = {name: saved.wish[name] for name in ("step", "integrator", "contacts", "neighbours")}
        self._wish = choice.Wish(saved.solver, **told, forces=own)
        self._scene = saved.scene
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StepWarning)  # it was told when the run began
            self._solver = choice.start(saved.scene, cast("choice.Name", saved.solver), self._wish)
        self._solver.restore(saved.state)
        self._time = saved.time

    def _checkpoint(self, **recorded: Any) -> Checkpoint:
        return Checkpoint(self._scene, self._time, self._solver.name, self._told(), self._solver.state(), **recorded)

    def _told(self) -> dict[str, Any]:
        """How the run is solved, with nothing left open."""
        wish = self._wish
        told: dict[str, Any] = {
            "step": None, "integrator": None, "contacts": None, "neighbours": wish.neighbours,
            "forces": [each.name for each in wish.forces],
        }  # fmt: skip
        if self._solver.name == "stepped":
            method = self.method
            told |= {"step": method.step, "integrator": method.integrator.name, "contacts": method.contacts}
        return told

    def _record_again(self, path: Path, saved: Checkpoint, observables: Any) -> None:
        """Go on recording: the rows that the checkpoint vouches for, in a new file, and then what comes."""
        told = saved.recording
        given = {each.name: each for each in observables_for(observables)}
        wanted = [given.get(name, name) for name in told["observables"]]
        whens = [triggers.read(each) for each in told["triggers"]]
        sampler = Sampler(whens, observables_for(wanted), events=told["events"], count=len(saved.recorder["rows"]))
        lock = Lock(path)
        lock.acquire()
        try:
            sampler.resume(self._as_moment, saved.recorder)
            tape = Tape.continued(path, told["mark"], told["rows"], lock)
            history = tape.history()
            if history is not None:
                self._exact.remember(history)
        except BaseException:
            lock.release()
            raise
        self._recorder = Recorder(self._as_moment, tape, sampler, told["pause"], self, history)
        self._recorder.goal = dict(told["goal"])

    @property
    def _as_moment(self) -> Any:
        """The run as observables see it: a simulation is a `Moment`."""
        return self

    def _header(self, sampler: Sampler, source: str) -> Header:
        walls: list[str] = []
        with contextlib.suppress(IndexError):
            while True:
                walls.append(self._solver.wall_name(len(walls)))
        whens = [each.described() for each in sampler.triggers]
        return Header(self._scene, self._solver.name, self._told(), walls, sampler.events, whens, source)

    # History.

    def remember(self) -> History:
        """Keep the history in memory from now on: any instant since, bit for bit, by `history.at(t)`."""
        history = self._new_history()
        if history is None:
            remedy = "Record the run with the frames that you want: record(path, every=…)."
            raise SceneError([Problem("remember", "only runs of the exact solver can be rebuilt from events", remedy)])
        self._exact.remember(history)
        return history

    def _new_history(self) -> History | None:
        if self._solver.name != "exact":
            return None
        from carom.solvers.exact.history import History  # noqa: PLC0415  # Numba is not loaded before something runs

        return History(self._scene)

    @property
    def _exact(self) -> ExactEngine:
        """The engine, if it is of the exact solver."""
        engine: Any = self._solver
        return engine  # type: ignore[no-any-return]  # whoever asks has looked at its name

    @classmethod
    def replayed(cls, recording: Recording, t: float | None = None) -> Self:
        """The recorded run as it was at a time (at its end, if none is said), to go on from there."""
        low, high = recording.span
        time = high if t is None else t
        run = cls.__new__(cls)
        if recording.exact:
            state, scene = recording.history.state(time), recording.history.scene(time)
            cls._begin_again(run, Checkpoint(scene, float(time), "exact", recording.wish, state), ())
            return run
        if low != 0.0 or recording.wish["forces"]:
            what = "the run can only be had again from its start, and that is not in the file"
            raise StorageError(recording.path, what, "Resume it from a checkpoint: Simulation.resume(…).")
        told = {name: recording.wish[name] for name in ("step", "integrator", "contacts", "neighbours")}
        run.__init__(recording.scene, solver=recording.solver, check=False, **told)  # type: ignore[misc]  # the joint's
        return run.run(until=time)  # type: ignore[attr-defined,no-any-return]  # as above

    # While it runs.

    def _advance_recorded(self, end: float, quota: int, logs: NDArray[Any] | None, recorder: Recorder) -> bool:
        """Run from sample to sample; True if it stopped before the end."""
        merging = self._scene.attraction is not None and self._scene.attraction.touch == "merge"
        largest = 1 if merging else BLOCK
        first, last = self._solver.collisions, self._time
        while (met := self._solver.collisions - first) < quota:
            due, count = recorder.sampler.due()
            part = min(quota - met, largest, max(1, count - self._solver.collisions))
            rows, on = self._follow(min(end, due), part, recorder, told=logs is not None)
            if logs is not None:
                room = logs[met : met + len(rows)]
                room[:] = rows[: len(room)]
            still = self._solver.collisions == first + met
            last = last if still else self._time
            if not on and (due > end or self._time >= end):
                return False
            if not on and not np.isfinite(end) and still and self._is_over(last):
                return False
        return True

    def _follow(self, end: float, quota: int, recorder: Recorder, *, told: bool) -> tuple[NDArray[Any], bool]:
        """Run to the next sample or block of collisions, and take them; `told` if the run itself is asked for them."""
        before, who = self._solver.collisions, recorder.sampler.rows
        logs = recorder.room(self._solver.room(quota), told=told)
        try:
            on = self._advance_freely(end, quota, logs)
        except SolverError:
            recorder.pass_on(logs[: self._solver.collisions - before].copy(), who)
            raise
        except BaseException:
            recorder.sound = False  # somebody broke off amid a run: what was logged may not be all
            raise
        rows = logs[: self._solver.collisions - before].copy()
        recorder.pass_on(rows, who)
        recorder.take()
        recorder.tick()
        return rows, on

    def _is_over(self, last: float) -> bool:
        """Will nobody meet anything any more, as far as can be known?"""
        if np.isfinite(self._solver.patience):
            return self._time - last >= self._solver.patience
        return not len(self._solver.next_together())

    def forget(self, history: History) -> None:
        """Write no more into a history that `remember` gave."""
        if self._solver.name == "exact":
            self._exact.forget(history)

    def _survive(self, edit: editing.Edit, stay: NDArray[np.intp] | None) -> None:
        """Tell the recorder who is left after an edit: `stay`, or whom the edit names."""
        if self._recorder is None:
            return
        count = len(self._recorder.sampler.rows)
        if stay is None:
            stay = np.arange(count) if len(edit.origin) == count else edit.origin
        self._recorder.survive(stay)


class Recorder:
    """A recording under way; close it when the run is over, or use it in a `with`."""

    def __init__(
        self, moment: Any, tape: Tape, sampler: Sampler, pause: float | None, run: Keeping, history: History | None
    ) -> None:
        self.path = tape.path
        self.sampler = sampler
        self.tape = tape
        self.pause = pause
        self.sound = True
        """Is everything that has happened on the tape?"""
        self.goal: dict[str, Any] = {}
        """How long the run is to be, for who resumes it."""
        self._moment = moment
        self._run: Keeping | None = run
        self._history = history
        self._waiting, self._handed = 0, monotonic()
        atexit.register(self.close, complete=False)  # who forgets to close it loses nothing
        self._due = np.inf if pause is None else monotonic() + pause
        self._logs = np.zeros(0, collision_record)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(complete=error is None)

    def __repr__(self) -> str:
        return f"<recorder of {self.path}>"

    def flush(self) -> None:
        """Wait until all that was recorded can be read, and is on the disk."""
        self._hand_over()
        self.tape.writer.flush()

    def close(self, *, complete: bool = True) -> None:
        """End the recording; the run can go on without. With checkpoints, the last one is of now."""
        run, self._run = self._run, None
        if run is None:
            return
        atexit.unregister(self.close)
        run.__dict__.pop("_recorder", None)
        try:
            if self._history is not None:
                run.forget(self._history)
            if self.tape.writer.error is None:
                self._hand_over()
            if self.pause is not None and self.sound and self.tape.writer.error is None:
                self._save(run)
        finally:
            self.tape.writer.close(complete=complete and self.sound)

    def checkpoint(self) -> Path:
        """Write a checkpoint now; gives its name."""
        if self._run is None or not self.sound:
            raise StorageError(self.path, "the recording has ended", "Save before closing it.")
        return self._save(self._run)

    # Called by the run.

    def room(self, count: int, *, told: bool) -> NDArray[Any]:
        """A log for so many collisions; none if nobody wants them."""
        if not (told or self.sampler.wants_collisions):
            return self._logs[:0]
        if len(self._logs) < count:
            self._logs = np.zeros(count, collision_record)
        return self._logs[:count]

    def pass_on(self, rows: NDArray[Any], who: NDArray[np.intp]) -> None:
        """Take what has happened."""
        self.sampler.collided(rows, who, self.tape)
        self._waiting += max(1, len(rows))
        if self._waiting >= BLOCK // 2 or monotonic() - self._handed > LINGER:
            self._hand_over()

    def _hand_over(self) -> None:
        """Give the tape what has gathered: the history, and how far the run has come."""
        self._waiting, self._handed = 0, monotonic()
        self.tape.passed(self._moment.time, self._history.drain(forget=True) if self._history is not None else {})

    def survive(self, stay: NDArray[np.intp]) -> None:
        """Only these balls are left, by their numbers before."""
        if len(stay) < len(self.sampler.rows):
            self.sampler.survive(stay)
            self.tape.edited(self._moment.time, self.sampler.rows)

    def take(self) -> None:
        """Take a sample if one is due."""
        if self.sampler.is_due(self._moment):
            self.sampler.take(self._moment, self.tape)

    def tick(self) -> None:
        """Write a checkpoint if it is time."""
        if monotonic() >= self._due and self._run is not None:
            self._save(self._run)
            self._due = monotonic() + (self.pause or 0.0)

    def _save(self, run: Keeping) -> Path:
        target = checkpoint_of(self.path)
        self._hand_over()
        told = {
            "name": self.path.name,
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


def _pause(value: Any) -> float | None:
    if value is None:
        return None
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not 0.0 <= value < np.inf:
        what = f"{shown(value)} is not a time"
        raise SceneError([Problem("checkpoint", what, "Give the seconds between two checkpoints, such as 60.")])
    return float(value)
