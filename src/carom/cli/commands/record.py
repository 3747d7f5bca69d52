"""`carom run --out`, `carom resume`, `carom export`: recordings of runs."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from carom.cli.compilation import Announcement, RunTimer
from carom.cli.progress import ProgressBar
from carom.cli.sources import RECORDINGS, named_in_errors, require_place, require_writable
from carom.cli.terminal import Mistake, complain, notice
from carom.errors import MAX_PATH_LENGTH, StorageError, StorageWarning, visible
from carom.solvers.registry import CARDS
from carom.thread_warnings import captured_warnings

if TYPE_CHECKING:
    from carom.cli.commands.run import Ending, Goal
    from carom.simulation.simulation import Simulation
    from carom.storage.recorder import Recorder

STOPPED_BY_FILE = "by a file that cannot be written"
"""The ending of a run whose recording cannot be written any more."""
TIME_UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class RecordingOptions:
    """What `carom run` records, and where."""

    out: Path
    every: float | None = None
    at: Sequence[float] = ()
    events: bool = True
    observe: Sequence[str] = ()
    checkpoint: float | None = None
    force: bool = False

    def check(self) -> None:
        """Mistake, before any work is done, if the run cannot be recorded so."""
        require_writable(self.out, force=self.force, nouns="recordings", suffixes=RECORDINGS)
        if self.every is not None and self.every <= 0.0:
            raise Mistake("--every: 0 is not a time between two frames. Give seconds above 0, such as 0.1.")

    def begin(self, simulation: "Simulation", source: str, goal: "Goal") -> "Recorder":
        """Start to record a simulation."""
        source = visible(source, longest=MAX_PATH_LENGTH)  # a path may have any characters
        with captured_warnings(StorageWarning):  # `hint` says it in terms of the command line
            recorder = simulation.record(
                self.out,
                every=self.every,
                at=self.at or None,
                events=self.events,
                observables=self.observe,
                checkpoint=self.checkpoint,
                force=self.force,
                source=source,
            )
        recorder.goal = {"until": goal.until, "collisions": goal.collisions, "source": source}
        try:
            if self.checkpoint is not None:
                recorder.checkpoint()  # the first one that has the goal
        except StorageError:
            with suppress(StorageError):
                recorder.close(complete=False)
            raise
        return recorder

    def hint(self, solver: str) -> str:
        """A hint if only the first frame is recorded and no other can be reconstructed; else empty."""
        if self.every is not None or self.at or (self.events and CARDS[solver].keeps_history):
            return ""
        return f"{self.out}: only the first frame will be recorded. Add --every 0.1 for one every 0.1 s, or --at T."


def duration(text: str) -> float:
    """Parse a time such as 60, 60s, 5min or 1h, in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(s|min|h)?", text.strip())
    if not found:
        raise Mistake(f"{text!r} is not a time. Give seconds such as 60s, or 5min, or 1h.")
    return float(found[1]) * TIME_UNITS[found[2] or ""]


def finish(recorder: "Recorder", ending: "Ending", *, quiet: bool) -> "Ending":
    """Close a recording, with a checkpoint if the run has not reached its goal; return how the run ended."""
    whole, saved = recorder.tape.writer.error is None, None
    try:
        with captured_warnings(StorageWarning) as words:
            try:
                if ending.code and recorder.complete and whole:
                    saved = recorder.checkpoint()
            finally:
                recorder.close(complete=whole)
    except StorageError as error:
        return ending if ending.error else replace(ending, stopped=STOPPED_BY_FILE, code=1, error=str(error))
    for word in words:
        complain(word)
    if not quiet:
        if saved is not None:
            complain(f"{saved}: the run can continue from here: carom resume {recorder.path}")
        describe(recorder.path)
    return ending


def describe(path: Path) -> None:
    """Print what a recording contains."""
    from carom.storage.recording import Recording

    with Recording(path) as recording:
        met = recording.collisions
        parts = [f"{len(recording):,} frame{'s' * (len(recording) != 1)}"]
        parts += [f"{len(met):,} collisions"] if met is not None else []
        parts += [f"{len(recording.observables)} observables"] if recording.observables else []
        parts += [f"{path.stat().st_size / 1e6:.1f} MB"]
        parts += ["any instant can be reconstructed from it"] if recording.exact and len(recording) == 1 else []
        complain(f"{path}: {', '.join(parts)}")


def resume(source: Path, until: float | None, collisions: int | None, *, as_json: bool, quiet: bool) -> int:
    """Continue a run and its recording from the last checkpoint, and print a summary."""
    from carom.cli.commands.run import Goal, advance, show
    from carom.cli.summary import summarise
    from carom.simulation.simulation import Simulation

    with Announcement(notice(), quiet=quiet) as compilation, named_in_errors(str(source)):
        timer = RunTimer(compilation)
        goal = _goal(source, until, collisions)
        simulation = Simulation.resume(source)
        recorder = simulation.recorder
        original = recorder.goal if recorder is not None else {}
        if recorder is not None:
            recorder.goal = {**original, "until": goal.until, "collisions": goal.collisions}
        energy, before = float(simulation.energy), simulation.collisions
        timer.start()
        left = Goal(goal.until, None if goal.collisions is None else goal.collisions - before)
        ending = advance(simulation, left, quiet=quiet)
        timer.stop()
    if recorder is not None:
        ending = finish(recorder, ending, quiet=quiet)
    summary = summarise(
        simulation,
        energy,
        scene=str(original.get("source") or source),
        stopped=ending.stopped if ending.code else goal.met_by(simulation),
        error=ending.error,
        saved=None,
        **timer.times,
    )
    rate = (simulation.collisions - before) / summary.wall_time if summary.wall_time > 0.0 else None
    show(replace(summary, collisions_per_second=rate), as_json=as_json, quiet=quiet)
    return ending.code


def _goal(source: Path, until: float | None, collisions: int | None) -> "Goal":
    """The goal of a resumed run, given now or by its checkpoint; Mistake before any file changes."""
    from carom.cli.commands.run import Goal
    from carom.simulation.simulation import Simulation
    from carom.storage.checkpoint import find_checkpoint, read

    saved = read(find_checkpoint(source))
    original = saved.recording.get("goal") or {}
    given = until is not None or collisions is not None
    goal = Goal(until, collisions) if given else Goal(original.get("until"), original.get("collisions"))
    if goal.until is None and goal.collisions is None:
        what = "the checkpoint does not say how long the run lasts"
        raise Mistake(f"{source}: {what}. Say --until SECONDS, or --collisions NUMBER.")
    if goal.until is not None and goal.until < saved.time:
        raise Mistake(f"{source}: the run stands at {saved.time:.9g} s, beyond that. Say a later --until.")
    if goal.collisions is not None:
        met = Simulation.resume(source, record=False).collisions
        if goal.collisions < met:
            raise Mistake(f"{source}: the run has had {met} collisions, beyond that. Say a larger --collisions.")
    return goal


def export(source: Path, target: Path, *, force: bool, quiet: bool) -> int:
    """Write a recording in another format."""
    from carom.storage import exports

    if target.suffix.lower() not in exports.WRITERS:
        raise Mistake(f"{target}: the suffix names no format. Use {' or '.join(exports.WRITERS)}.")
    require_place(target, force=force)
    columns = TextColumn(target.name), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with ProgressBar(notice(), *columns, quiet=quiet) as bar:
        exports.export(source, target, bar.show)
    if not quiet:
        complain(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
    return 0
