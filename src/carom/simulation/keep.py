"""Keeping a run: recordings, checkpoints, the history in memory."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem, SceneError, StepWarning, StorageError, StorageWarning
from carom.observe import triggers
from carom.observe.follower import Follower
from carom.observe.observable import names as known
from carom.observe.sampler import Sampler, observables_for
from carom.scene import Scene
from carom.scene.fields.base import shown
from carom.scene.fields.quantities import text
from carom.scene.io.files import dumps
from carom.simulation import edit as editing
from carom.simulation.follow import Following
from carom.simulation.live_balls import Identities
from carom.solvers import choose
from carom.storage.checkpoint import Checkpoint, discard, find_checkpoint, read, recording_of
from carom.storage.hdf5.writer import EDITS
from carom.storage.lock import Lock
from carom.storage.recorder import Recorder
from carom.storage.recording import Recording
from carom.storage.tape import Header, Tape, versions
from carom.thread_warnings import warn_caller

if TYPE_CHECKING:
    from carom.solvers.exact.engine import Engine as ExactEngine
    from carom.solvers.exact.history.history import History
    from carom.solvers.stepped.forces.custom import Force

Floats = NDArray[np.float64]


class Keeping(Following):
    """What can be kept of a run."""

    _wish: choose.Wish
    _identities: Identities
    _recorder: Recorder | None = None
    _text: tuple[Scene, str] | None = None
    """A scene, and it written down: it is large, and changes seldom."""

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: all but who records or measures, who stay with the first."""
        mine = ("_recorder", "_measuring", "_heartbeat", "_beat")
        return {name: value for name, value in self.__dict__.items() if name not in mine}

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

        With neither every nor at, one frame is kept, of now. Of the exact solver with events, `Recording.at` rebuilds
        any other instant; otherwise a `StorageWarning` says that there is no other.

        Recording changes no bit of the run.
        """
        self._between_steps("record")
        self._check_alone("record")
        _check_words(events, force, source)
        target = Path(path)
        count = len(self._scene.balls)
        sampler = Sampler(triggers.triggers_for(every, at), observables_for(observables), events=events, count=count)
        pause = _pause(checkpoint)
        lock = Lock(target)
        lock.acquire()
        history = None
        try:
            if target.exists() and not force:
                raise StorageError(target, "exists already", "Choose another name, or say force=True (--force).")
            sampler.begin(self._as_moment)
            history = self._new_history() if events else None
            if history is not None:
                self._exact.remember(history)
            header, sample = self._header(sampler, source), sampler.preview(self._as_moment)
            columns = history.drain() if history is not None else {}
            tape = Tape.create(target, header, sampler.observables, sample, columns, lock)
        except BaseException:
            if history is not None:
                self.forget(history)
            lock.release()
            raise
        self._recorder = recorder = Recorder(self._as_moment, tape, sampler, pause, history)
        try:
            discard(target)  # it belonged to a file that is gone
            tape.advance_to(self._time, columns)
            recorder.take()
            recorder.flush()
            if pause is not None:
                recorder.checkpoint()
        except BaseException:
            recorder.invalidate()
            with contextlib.suppress(StorageError):  # what went wrong first is told
                recorder.close(complete=False)
            raise
        if every is None and at is None and not recorder.rebuilds:
            message = (
                f"{target}: only the frame of now is kept, and no other instant can be rebuilt. "
                "Give every=0.1 for a frame every 0.1 s, or at=[…]."
            )
            warn_caller(message, StorageWarning)
        return recorder

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

        path         a checkpoint, or a recording that has one beside it. The recording that goes on is the file that
                     is named; of a checkpoint, the file beside it with the same name without `.checkpoint`.
        forces       of one's own, the same as before: code is not saved.
        observables  of one's own, if some were recorded.
        record       False to go on without recording.
        """
        source = find_checkpoint(Path(path))
        saved = read(source)
        target = recording_of(source, saved) if record and saved.recording else None
        run = cls.__new__(cls)
        cls._begin_again(run, saved, forces)
        _tell_what_is_missing(source, saved)
        if target is not None:
            cls._record_again(run, target, saved, observables)
        return run

    def _begin_again(self, saved: Checkpoint, forces: Any) -> None:
        own = tuple(forces) if isinstance(forces, Sequence) else (forces,)
        names = [each.name for each in own]
        if names != saved.wish["forces"]:
            was = ", ".join(saved.wish["forces"]) or "none"
            raise ArgumentError.of("resume.other-forces", where="forces", was=was, given=", ".join(names) or "none")
        told = {name: saved.wish[name] for name in ("step", "integrator", "contacts", "neighbours")}
        self._wish = choose.Wish(cast("choose.SolverChoice", saved.solver), **told, forces=own)
        if problems := self._wish.problems() or _other_parameters(own, saved):
            raise ArgumentError(problems)
        self._scene = saved.scene
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StepWarning)  # it was told when the run began
            self._solver = choose.start(saved.scene, cast("choose.Name", saved.solver), self._wish)
        self._solver.restore(saved.state)
        self._time = saved.time
        self._touched = bool(saved.wish.get("touched", False))
        self._identities = Identities.stored(saved.wish, len(saved.scene.balls))

    def _checkpoint(self, **recorded: Any) -> Checkpoint:
        told = {**self._told(), **self._identities.told()}
        return Checkpoint(self._scene, self._time, self._solver.name, told, self._solver.state(), **recorded)

    def _told(self) -> dict[str, Any]:
        """How the run is solved, with nothing left open."""
        wish = self._wish
        told: dict[str, Any] = {
            "step": None, "integrator": None, "contacts": None, "neighbours": wish.neighbours,
            "forces": [each.name for each in wish.forces], "hooks": 0, "touched": self._touched,
        }  # fmt: skip
        if self._solver.name == "stepped":
            method, hooks = self.method, self._stepped("record").hooks
            told["hooks"] = len(hooks.before) + len(hooks.prepared) + len(hooks.after)
            told |= {"step": method.step, "integrator": method.integrator.name, "contacts": method.contacts}
            told["given"] = [repr(each) for each in self.custom_forces]
        return told

    def _record_again(self, path: Path, saved: Checkpoint, observables: Any) -> None:
        """Go on recording: the rows that the checkpoint vouches for, in a new file, and then what comes."""
        told = saved.recording
        given = {each.name: each for each in observables_for(observables)}
        lacking = [name for name in told["observables"] if name not in given and name not in known()]
        if lacking:
            raise ArgumentError.of(
                "resume.own-observable", where="observables", source=str(path), name=repr(lacking[0])
            )
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
            sampler.resume(self._as_moment, saved.recorder, tape.header.scene)
            sampler.shapes = dict(tape.shapes)
            history = tape.history()
            if history is not None:
                self._exact.remember(history)
        except BaseException:
            if history is not None:
                self.forget(history)
            tape.writer.close(complete=False)
            raise
        self._recorder = Recorder(self._as_moment, tape, sampler, told["pause"], history)
        self._recorder.goal = dict(told["goal"])

    def _header(self, sampler: Sampler, source: str) -> Header:
        whens = [each.described() for each in sampler.triggers]
        scene, walls = self._scene, walls_of(self._solver)
        return Header(scene, self._solver.name, self._told(), walls, sampler.events, whens, source, dict(scene.origin))

    # History.

    def remember(self) -> History:
        """Keep the history in memory from now on: any instant since, bit for bit, by `history.at(t)`."""
        history = self._new_history()
        if history is None:
            raise ArgumentError.of("remember.not-exact", where="remember")
        self._exact.remember(history)
        return history

    def _new_history(self) -> History | None:
        if self._solver.name != "exact":
            return None
        from carom.solvers.exact.history.history import History  # noqa: PLC0415  # Numba is not loaded before something runs

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
        _check_untouched(recording, time)
        told = {name: recording.wish[name] for name in ("step", "integrator", "contacts", "neighbours")}
        run.__init__(recording.scene, solver=recording.solver, check=False, **told)  # type: ignore[misc]  # the joint's
        return run.run(until=time)  # type: ignore[attr-defined,no-any-return]  # as above

    def forget(self, history: History) -> None:
        """Write no more into a history that `remember` gave."""
        if self._solver.name == "exact":
            self._exact.forget(history)

    # Edits.

    def stands(self, what: str) -> None:
        """Refuse what cannot be done amid a step: for recorders."""
        self._between_steps(what)

    def let_go(self) -> None:
        """Nobody records the run any more: for recorders."""
        self.__dict__.pop("_recorder", None)

    @property
    def _recording(self) -> Follower | None:
        """Who records or measures the run, if anyone does and has not lost the thread."""
        who = self._measuring or self._recorder
        return who if who is not None and who.complete else None

    def _check_alone(self, what: str) -> None:
        """Refuse a second one to follow the run."""
        if self._recorder is not None:
            raise ArgumentError.of("record.already", where=what, path=str(self._recorder.path))
        if self._measuring is not None:
            raise ArgumentError.of("record.measuring", where=what)

    def _touch(self) -> None:
        """Note, also in the file, that the run was taken by the hand: its scene alone does not tell it any more."""
        if not self._touched and self._recording is not None:
            self._recording.note_edit()
        super()._touch()

    def _check_edit(self, edit: editing.Edit, stay: NDArray[np.intp] | None) -> None:
        """Refuse an edit that a recording under way has no place for. `stay` tells who is left, of a merger."""
        if self._recording is None:
            return
        self._recording.sampler.check_row_count(len(edit.origin))
        old, new = self._scene, edit.scene
        changed = [name for name in ("attraction", "obstacles") if getattr(old, name) != getattr(new, name)]
        if _shape(old) != _shape(new):
            changed.append("boundary")
        if stay is None:
            rows = self._left(edit)
            changed += ["mass"] if (old.balls.mass[rows] != new.balls.mass).any() else []
            changed += ["radius"] if (old.balls.radius[rows] != new.balls.radius).any() else []
        if changed:
            raise ArgumentError.of("record.no-change", where="record", changed=list(changed))

    def _left(self, edit: editing.Edit) -> NDArray[np.intp]:
        """Who is left after an edit that is no merger, by the numbers before."""
        count = len(self._scene.balls)
        return np.arange(count) if len(edit.origin) == count else edit.origin


def _other_parameters(own: Sequence[Force], saved: Checkpoint) -> list[Problem]:
    """Are parameters of custom forces others than when the run was saved?"""
    if not own:
        return []
    from carom.solvers.stepped.forces.custom_call import packed  # noqa: PLC0415  # Numba is not loaded before something runs

    now = packed([value for each in own for value in each.parameters.values()])
    if np.array_equal(now, saved.state.get("given", np.zeros(0))):
        return []
    return [
        Problem(
            "resume.other-values",
            where="forces",
            saved=list(saved.wish.get("given", ["others"])),
            given=list(map(repr, own)),
        )
    ]


def _pause(value: Any) -> float | None:
    if value is None:
        return None
    if not triggers.is_number(value) or not 0.0 <= value < np.inf:
        raise ArgumentError.of("checkpoint.every", where="checkpoint", value=shown(value))
    return float(value)


def _check_words(events: Any, force: Any, source: Any) -> None:
    """Refuse what is no answer to a question: `events="no"` would count as yes."""
    for where, value in (("events", events), ("force", force)):
        if not isinstance(value, bool | np.bool_):
            raise ArgumentError.of("flag.not-python", where=where, value=shown(value))
    if not isinstance(source, str):
        raise ArgumentError.of("source.not-a-text", where="source", value=shown(source))
    try:
        text(source)
    except SceneError as error:
        raise ArgumentError(problem.inside("source") for problem in error.problems) from None


def walls_of(solver: Any) -> list[str]:
    """The names of all walls, in the order of their numbers."""
    walls: list[str] = []
    with contextlib.suppress(IndexError):
        while True:
            walls.append(solver.wall_name(len(walls)))
    return walls


def _shape(scene: Scene) -> Any:
    """The boundary, whatever it is made of."""
    wall: Any = scene.boundary
    return wall.replace(material="wall") if hasattr(wall, "material") else wall


def _check_untouched(recording: Recording, time: float) -> None:
    """Refuse to play a run again that its scene alone does not tell.

    Mergers come again by themselves. An edit by hand leaves, besides, a row of edits after which as many are left.
    """
    edits = recording.column(EDITS)[:]
    left = np.concatenate([[len(recording.masses)], edits[:, 1]])
    by_hand = bool(((np.diff(left) == 0) & (edits[:, 0] <= time)).any())
    if by_hand or recording.wish.get("touched") or recording.wish.get("hooks"):
        what = "the run was edited, taken by the hand or had hooks, and so cannot be had again from its start"
        raise StorageError(recording.path, what, "Resume it from a checkpoint: Simulation.resume(…).")


def _tell_what_is_missing(path: Path, saved: Checkpoint) -> None:
    """Say what of a saved run cannot be had again."""
    hooks = int(saved.wish.get("hooks", 0))
    if hooks:
        many, it = ("a hook, which is", "it") if hooks == 1 else (f"{hooks} hooks, which are", "them")
        message = f"{path}: the saved run had {many} code and not saved. Add {it} again before running on."
        warn_caller(message, StorageWarning)
    now = versions()
    others = [f"{name} {was} (now {now.get(name)})" for name, was in saved.versions.items() if now.get(name) != was]
    if others:
        message = f"{path}: saved with {', '.join(others)}. The run goes on, but perhaps not to the same bits."
        warn_caller(message, StorageWarning)
