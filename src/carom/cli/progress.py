"""The progress bar of a run: how far, simulated time, collisions a second, time left."""

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from carom.cli.interrupt import Interrupt

if TYPE_CHECKING:
    from carom.simulation.simulation import Simulation


class Bar:
    """Follows a simulation while it runs; drawn on a terminal only. Call it with the fraction that is done."""

    def __init__(self, console: Console, simulation: "Simulation", interrupt: Interrupt, *, quiet: bool) -> None:
        self.simulation = simulation
        self.interrupt = interrupt
        self.progress = Progress(
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("t = {task.fields[time]:.6g} s"),
            TextColumn("{task.fields[rate]:,.0f} collisions/s"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self.task = self.progress.add_task("", total=1.0, time=simulation.time, rate=0.0)
        self.seen = (time.perf_counter(), simulation.collisions)

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def __call__(self, fraction: float) -> None:
        """Draw the state of the run, and stop it if Ctrl-C was pressed."""
        self.interrupt.heed()
        then, before = self.seen
        now, collisions = time.perf_counter(), self.simulation.collisions
        if now > then:
            rate = (collisions - before) / (now - then)
            self.progress.update(self.task, completed=fraction, time=self.simulation.time, rate=rate)
            self.seen = (now, collisions)
