"""Tell the user that kernels are being compiled, which happens on first use only."""

import time
from typing import Self

from rich.console import Console

from carom.kernels.progress import Compilations


class Announcement:
    """As a context: the first compilation is announced; `seconds` is the time that all of them took."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self.console = console
        self.quiet = quiet
        self.kernels = 0
        self.seconds = 0.0
        self.watch = Compilations(self.start, self.end)

    def __enter__(self) -> Self:
        self.watch.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.watch.__exit__(None, None, None)

    def start(self) -> None:
        """Count a compilation that begins, and announce the first."""
        self.kernels += 1
        if self.kernels == 1 and not self.quiet:
            self.console.print("compiling the kernels: a few seconds, on first use only")

    def end(self, seconds: float) -> None:
        """Add the time of a compilation that is done."""
        self.seconds += seconds


class RunTimer:
    """The wall-clock time of a run from its preparation on, and how much of it went into compiling."""

    def __init__(self, compilation: Announcement) -> None:
        self.compilation = compilation
        self.began = self.prepared = self.ended = time.perf_counter()
        self.compiled = compilation.seconds

    def start(self) -> None:
        """The preparation is done: the run begins."""
        self.prepared, self.compiled = time.perf_counter(), self.compilation.seconds

    def stop(self) -> None:
        """The run is done."""
        self.ended = time.perf_counter()

    @property
    def times(self) -> dict[str, float]:
        """The times of a summary, s."""
        return {
            "running_time": (self.ended - self.prepared) - (self.compilation.seconds - self.compiled),
            "wall_time": self.ended - self.began,
            "compile_time": self.compilation.seconds,
        }
