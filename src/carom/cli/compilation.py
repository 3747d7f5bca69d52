"""Tell the user that kernels are being compiled, which happens on first use only."""

from types import TracebackType
from typing import Self

from rich.console import Console

from carom.kernels.progress import Compilations


class Announcement:
    """While it is entered, the first compilation is announced; `seconds` is the time that all of them took."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self.console = console
        self.quiet = quiet
        self.kernels = 0
        self.seconds = 0.0
        self.watch = Compilations(self.start, self.end)

    def __enter__(self) -> Self:
        self.watch.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.watch.__exit__(kind, error, trace)

    def start(self) -> None:
        """A compilation begins."""
        self.kernels += 1
        if self.kernels == 1 and not self.quiet:
            self.console.print("compiling the kernels: a few seconds, on first use only")

    def end(self, seconds: float) -> None:
        """A compilation is done."""
        self.seconds += seconds
