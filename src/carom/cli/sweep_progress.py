"""The progress of a sweep: how many runs have ended, how fast, and how much time is left."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

from carom.cli.interrupt import Interrupt
from carom.cli.progress import ProgressBar
from carom.cli.summary import count

if TYPE_CHECKING:
    from carom.sweeps.running.driver import Progress


LINE_INTERVAL = 60.0  # s between two lines of progress where there is no terminal


class SweepBar(ProgressBar):
    """The bar of a sweep; without a terminal, one line per minute. Remarks are printed once each, anywhere.

    limit  longest time of a run, s, if there is a limit
    """

    def __init__(self, console: Console, interrupt: Interrupt, *, quiet: bool, limit: float | None = None) -> None:
        super().__init__(
            console, TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"), quiet=quiet, total=None, description="starting", figures="",
        )  # fmt: skip
        self.interrupt, self.quiet, self.limit = interrupt, quiet, limit
        self.next_line = LINE_INTERVAL  # s after the start at which the next line is due
        self.said: set[str] = set()

    def __call__(self, now: "Progress") -> None:
        """Draw the progress, and stop the sweep if Ctrl-C was pressed."""
        self.interrupt.check()
        for note in now.notes:
            self.say(note)
        if now.kept:
            self.say(f"{count(now.kept, 'run')} had ended before, and will not be repeated", "kept")
        elif any("belong to the study any more" in note for note in now.notes):
            self.say("no earlier run belongs to the study as it is now: all runs start anew", "kept")
        if now.phase == "running" and now.workers and (wait := self.estimate(now)) is not None:
            one = capped(now.run_seconds, self.limit) if now.run_seconds is not None else None
            per_run = "" if one is None else f", {duration(one)} per run"
            self.say(f"on {count(now.workers, 'worker')}{per_run}: about {duration(wait)}", "estimate")
        if not self.console.is_terminal and now.seconds >= self.next_line and not self.quiet:
            self.console.print(
                f"{now.phase}: " + ", ".join(filter(None, (f"{now.ended:,} of {now.total:,}", figures(now))))
            )
            self.next_line = now.seconds + LINE_INTERVAL
        what = now.note or now.phase
        self.progress.update(self.task, description=what, total=now.total, completed=now.ended, figures=figures(now))

    def estimate(self, now: "Progress") -> float | None:
        """The time that the whole sweep takes, s, as estimated before its first run has ended."""
        if now.run_seconds is None:
            return now.left
        if now.ended > now.kept or now.left is None:  # short runs: some have ended before the first report
            return (now.total - now.kept) * capped(now.run_seconds, self.limit) / now.workers
        return now.left * capped(now.run_seconds, self.limit) / now.run_seconds if now.run_seconds else now.left

    def say(self, line: str, key: str = "") -> None:
        """Print a line once; lines with the same key count as one."""
        if (key or line) not in self.said and not self.quiet:
            self.console.print(line)
        self.said.add(key or line)


def figures(now: "Progress") -> str:
    """The text after the bar: failures, rate, time left."""
    bad = now.failed + now.timed_out
    parts = [f"{bad:,} failed"] if bad else []
    parts += [f"{now.rate:,.3g} runs/s"] if now.rate else []
    parts += [f"{duration(now.left)} left"] if now.left is not None else []
    return ", ".join(parts)


def capped(seconds: float, limit: float | None) -> float:
    """The time of a run, s, up to its limit."""
    return seconds if limit is None else min(seconds, limit)


def duration(seconds: float) -> str:
    """A wall-clock time for people: 12 ms, 3.4 s, 2 min 5 s, 3 h 20 min, 2 d 4 h."""
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
