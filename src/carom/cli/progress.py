"""Progress bars: drawn on a terminal only, wiped away at the end."""

import time
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from carom.cli.interrupt import Interrupt

if TYPE_CHECKING:
    from carom.simulation.simulation import Simulation


class ProgressBar:
    """A bar of rich's columns. As a context it is shown; `fields` are the values that text columns name."""

    def __init__(
        self, console: Console, *columns: ProgressColumn, quiet: bool, total: float | None = 1.0, **fields: Any
    ) -> None:
        self.console = console
        hidden = quiet or not console.is_terminal
        self.progress = Progress(*columns, console=console, transient=True, disable=hidden)
        self.task = self.progress.add_task(fields.pop("description", ""), total=total, **fields)

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wipe the bar away."""
        self.progress.stop()

    def show(self, fraction: float, **fields: Any) -> None:
        """Draw the fraction that is done."""
        self.progress.update(self.task, completed=fraction, **fields)


class RunBar(ProgressBar):
    """The bar of a run: fraction, simulated time, collisions per second, time left. Call it with the fraction."""

    def __init__(self, console: Console, simulation: "Simulation", interrupt: Interrupt, *, quiet: bool) -> None:
        super().__init__(
            console,
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("t = {task.fields[time]:.6g} s"),
            TextColumn("{task.fields[rate]:,.0f} collisions/s"),
            TimeRemainingColumn(),
            quiet=quiet,
            time=simulation.time,
            rate=0.0,
        )
        self.simulation = simulation
        self.interrupt = interrupt
        self.last = (time.perf_counter(), simulation.collisions)
        """When the rate was last computed, and the collisions by then."""

    def __call__(self, fraction: float) -> None:
        """Draw the state of the run, and stop it if Ctrl-C was pressed."""
        self.interrupt.check()
        then, before = self.last
        now, collisions = time.perf_counter(), self.simulation.collisions
        if now > then:
            self.show(fraction, time=self.simulation.time, rate=(collisions - before) / (now - then))
            self.last = (now, collisions)
