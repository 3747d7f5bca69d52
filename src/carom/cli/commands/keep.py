"""`carom run --out`, `carom resume`, `carom export`: runs in files."""

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from carom.cli.compilation import Announcement
from carom.cli.sources import named_in_errors
from carom.cli.terminal import Mistake, complain, notice
from carom.errors import LONGEST_PATH, StorageError, StorageWarning, visible
from carom.solvers.registry import CARDS
from carom.thread_warnings import heard

if TYPE_CHECKING:
    from carom.cli.commands.run import Ending, Goal
    from carom.simulation.simulation import Simulation
    from carom.storage.recorder import Recorder

RECORDINGS = (".h5", ".hdf5", ".h5md")
"""Endings of recordings."""
UNWRITTEN = "by a file that cannot be written"
"""How a run ended whose recording has no room any more."""
PARTS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Keep:
    """What `carom run` is to record, and where."""

    out: Path
    every: float | None = None
    at: Sequence[float] = ()
    events: bool = True
    observe: Sequence[str] = ()
    checkpoint: float | None = None
    force: bool = False

    def check(self) -> None:
        """Stop before any work is done if it cannot be."""
        if self.out.suffix.lower() not in RECORDINGS:
            raise Mistake(f"{self.out}: recordings end with {' or '.join(RECORDINGS)}. Give the file such an ending.")
        if not self.out.parent.is_dir():
            raise Mistake(f"{self.out}: there is no folder {self.out.parent}. Make it first.")
        if self.out.exists() and not self.force:
            raise Mistake(f"{self.out} exists already. Choose another name, or overwrite it with --force.")
        if self.every is not None and self.every <= 0.0:
            raise Mistake("--every: 0 is not a time between two frames. Give seconds above 0, such as 0.1.")

    def begin(self, simulation: "Simulation", source: str, goal: "Goal") -> "Recorder":
        """Record a simulation from now on."""
        source = visible(source, longest=LONGEST_PATH)  # a path may have any letters
        with heard(StorageWarning):  # `hint` says it in the words of the command line
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
                recorder.checkpoint()  # one that knows the goal
        except StorageError:
            with suppress(StorageError):
                recorder.close(complete=False)
            raise
        return recorder

    def hint(self, solver: str) -> str:
        """A word to whoever keeps no frame but the first, where no other can be rebuilt; empty if all is well."""
        if self.every is not None or self.at or (self.events and CARDS[solver].keeps_history):
            return ""
        return f"{self.out}: only the first frame will be kept. Say --every 0.1 for one every 0.1 s, or --at T."


def duration(text: str) -> float:
    """A time such as 60, 60s, 5min or 1h, in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(s|min|h)?", text.strip())
    if not found:
        raise Mistake(f"{text!r} is not a time. Give seconds such as 60s, or 5min, or 1h.")
    return float(found[1]) * PARTS[found[2] or ""]


def finish(recorder: "Recorder", ending: "Ending", *, quiet: bool) -> "Ending":
    """Close a recording; one whose run has not reached its goal can be resumed. Gives how the run ended, all told."""
    whole, saved = recorder.tape.writer.error is None, None
    try:
        with heard(StorageWarning) as words:
            try:
                if ending.code and recorder.complete and whole:
                    saved = recorder.checkpoint()
            finally:
                recorder.close(complete=whole)
    except StorageError as error:
        return ending if ending.error else replace(ending, stopped=UNWRITTEN, code=1, error=str(error))
    for word in words:
        complain(word)
    if not quiet:
        if saved is not None:
            complain(f"{saved}: the run can go on from here: carom resume {recorder.path}")
        tell(recorder.path)
    return ending


def tell(path: Path) -> None:
    """Say what a recording holds."""
    from carom.storage.recording import Recording

    with Recording(path) as recording:
        met = recording.collisions
        parts = [f"{len(recording):,} frame{'s' * (len(recording) != 1)}"]
        parts += [f"{len(met):,} collisions"] if met is not None else []
        parts += [f"{len(recording.observables)} observables"] if recording.observables else []
        parts += [f"{path.stat().st_size / 1e6:.1f} MB"]
        parts += ["any instant can be rebuilt from it"] if recording.exact and len(recording) == 1 else []
        complain(f"{path}: {', '.join(parts)}")


def resume(source: Path, until: float | None, collisions: int | None, *, as_json: bool, quiet: bool) -> int:
    """Go on with a run from its last checkpoint, recording too, and print its summary."""
    from carom.cli.commands.run import Goal, advance, show
    from carom.cli.summary import summarise
    from carom.simulation.simulation import Simulation

    with Announcement(notice(), quiet=quiet) as compilation, named_in_errors(str(source)):
        began = time.perf_counter()
        goal = _goal(source, until, collisions)
        simulation = Simulation.resume(source)
        recorder = simulation.recorder
        told = recorder.goal if recorder is not None else {}
        if recorder is not None:
            recorder.goal = {**told, "until": goal.until, "collisions": goal.collisions}
        energy, before = float(simulation.energy), simulation.collisions
        prepared, compiled = time.perf_counter(), compilation.seconds
        left = Goal(goal.until, None if goal.collisions is None else goal.collisions - before)
        ending = advance(simulation, left, quiet=quiet)
        ended = time.perf_counter()
    if recorder is not None:
        ending = finish(recorder, ending, quiet=quiet)
    summary = summarise(
        simulation,
        energy,
        scene=str(told.get("source") or source),
        stopped=ending.stopped if ending.code else goal.met_by(simulation),
        error=ending.error,
        saved=None,
        running_time=(ended - prepared) - (compilation.seconds - compiled),
        wall_time=ended - began,
        compile_time=compilation.seconds,
    )
    rate = (simulation.collisions - before) / summary.wall_time if summary.wall_time > 0.0 else None
    show(replace(summary, collisions_per_second=rate), as_json=as_json, quiet=quiet)
    return ending.code


def _goal(source: Path, until: float | None, collisions: int | None) -> "Goal":
    """How long the run is to be, as said now or in its checkpoint: looked at before any file is touched."""
    from carom.cli.commands.run import Goal
    from carom.simulation.simulation import Simulation
    from carom.storage.checkpoint import find_checkpoint, read

    saved = read(find_checkpoint(source))
    told = saved.recording.get("goal") or {}
    given = until is not None or collisions is not None
    goal = Goal(until, collisions) if given else Goal(told.get("until"), told.get("collisions"))
    if goal.until is None and goal.collisions is None:
        what = "the checkpoint does not say how long the run is to be"
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
        raise Mistake(f"{target}: the ending tells no format. Use {' or '.join(exports.WRITERS)}.")
    if target.exists() and not force:
        raise Mistake(f"{target} exists already. Choose another name, or overwrite it with --force.")
    console = notice()
    bar = Progress(
        TextColumn(target.name), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        console=console, transient=True, disable=quiet or not console.is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task("", total=1.0)
        exports.export(source, target, lambda fraction: bar.update(task, completed=fraction))
    if not quiet:
        complain(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
    return 0
