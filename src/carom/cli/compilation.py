"""Tell the user that kernels are being compiled, which happens on first use only."""

import time
from importlib import import_module
from types import TracebackType
from typing import Any, Self

from rich.console import Console


class Announcement:
    """While it is entered, the first compilation is announced; `seconds` is the time that all of them took.

    A kernel that calls another compiles it on the way, so that compilations nest: only the outermost is timed.
    """

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self.console = console
        self.quiet = quiet
        self.kernels = 0
        self.seconds = 0.0
        self.depth = 0
        self.began = 0.0
        self.listener: Any = None
        self.events: Any = import_module("numba.core.event")

    def __enter__(self) -> Self:
        announcement = self

        class Listener(self.events.Listener):  # type: ignore[misc,name-defined]  # Numba has no types here
            def on_start(self, event: Any) -> None:  # noqa: ARG002  # Numba's signature
                announcement.start()

            def on_end(self, event: Any) -> None:  # noqa: ARG002  # Numba's signature
                announcement.end()

        self.listener = Listener()
        self.events.register("numba:compile", self.listener)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.events.unregister("numba:compile", self.listener)

    def start(self) -> None:
        """A compilation begins."""
        if self.depth == 0:
            self.began = time.perf_counter()
        self.depth += 1
        self.kernels += 1
        if self.kernels == 1 and not self.quiet:
            self.console.print("compiling the kernels: a few seconds, on first use only")

    def end(self) -> None:
        """A compilation is done."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began
