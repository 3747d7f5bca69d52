"""The progress of a sweep: how many runs have ended, how fast, how long still."""

from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from carom.cli.interrupt import Interrupt
from carom.cli.summary import count

if TYPE_CHECKING:
    from carom.sweeps.running.driver import Progress as Told


A_LINE = 60.0  # s between two lines on how far it is, where there is no terminal


class Bar:
    """Follows a sweep; drawn on a terminal only, a line a minute elsewhere. Other lines are printed once, anywhere.

    limit  s that a run may take, if there is a limit.
    """

    def __init__(self, console: Console, interrupt: Interrupt, *, quiet: bool, limit: float | None = None) -> None:
        self.console, self.interrupt, self.quiet, self.limit = console, interrupt, quiet, limit
        self.line = A_LINE  # s after the start at which the next one is due
        self.progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"),
            console=console, transient=True, disable=quiet or not console.is_terminal,
        )  # fmt: skip
        self.task = self.progress.add_task("starting", total=None, told="")
        self.said: set[str] = set()

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Wipe the bar away."""
        self.progress.stop()

    def __call__(self, now: "Told") -> None:
        """Draw how far it is, and stop the sweep if Ctrl-C was pressed."""
        self.interrupt.heed()
        for note in now.notes:
            self.say(note)
        if now.kept:
            self.say(f"{count(now.kept, 'run')} had ended before, and will not be done again", "kept")
        elif any("not wanted any more" in note for note in now.notes):
            self.say("none of the runs that had ended counts for the study as it is now: all are done anew", "kept")
        if now.phase == "running" and now.workers and (wait := self.estimate(now)) is not None:
            one = capped(now.run_seconds, self.limit) if now.run_seconds is not None else None
            a_run = "" if one is None else f", {duration(one)} a run"
            self.say(f"on {count(now.workers, 'worker')}{a_run}: about {duration(wait)}", "estimate")
        if not self.console.is_terminal and now.seconds >= self.line and not self.quiet:
            self.console.print(
                f"{now.phase}: " + ", ".join(filter(None, (f"{now.ended:,} of {now.total:,}", figures(now))))
            )
            self.line = now.seconds + A_LINE
        what = now.note or now.phase
        self.progress.update(self.task, description=what, total=now.total, completed=now.ended, told=figures(now))

    def estimate(self, now: "Told") -> float | None:
        """s for all that this sweep has to do, as it is known before the first run has ended."""
        if now.run_seconds is None:
            return now.left
        if now.ended > now.kept or now.left is None:  # short runs: some have ended before anything could be told
            return (now.total - now.kept) * capped(now.run_seconds, self.limit) / now.workers
        return now.left * capped(now.run_seconds, self.limit) / now.run_seconds if now.run_seconds else now.left

    def say(self, line: str, key: str = "") -> None:
        """Print a line, once."""
        if (key or line) not in self.said and not self.quiet:
            self.console.print(line)
        self.said.add(key or line)


def figures(now: "Told") -> str:
    """What stands behind the bar."""
    bad = now.failed + now.timed_out
    parts = [f"{bad:,} failed"] if bad else []
    parts += [f"{now.rate:,.3g} runs/s"] if now.rate else []
    parts += [f"{duration(now.left)} left"] if now.left is not None else []
    return ", ".join(parts)


def capped(seconds: float, limit: float | None) -> float:
    """s that a run takes, at most as long as it may."""
    return seconds if limit is None else min(seconds, limit)


def duration(seconds: float) -> str:
    """A time to wait as people say it: 12 ms, 3.4 s, 2 min 5 s, 3 h 20 min, 2 d 4 h."""
    if seconds < 0.9995:
        return f"{1000.0 * seconds:.3g} ms"
    if seconds < 59.95:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    for size, large, unit, small in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // unit
            return f"{whole // size} {large}" + (f" {rest} {small}" if rest else "")
    return f"{whole} s"
