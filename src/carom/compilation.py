"""Noticing that kernels are being compiled, which happens on first use only."""

import threading
import time
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import Any, Self


class Compilations:
    """While it is entered, `begins` is called when a compilation begins, and `ends` with its time in s when it is done.

    A kernel that calls another compiles it on the way, so that compilations nest: only the outermost counts. With
    `here`, only those of the thread that entered count.
    """

    def __init__(
        self, begins: Callable[[], object], ends: Callable[[float], object] | None = None, *, here: bool = False
    ) -> None:
        self.begins = begins
        self.ends = ends
        self.here = here
        self.thread = 0
        self.depth = 0
        self.began = 0.0
        self.listener: Any = None
        self.events: Any = import_module("numba.core.event")

    def __enter__(self) -> Self:
        watch = self
        self.thread = threading.get_ident()

        class Listener(self.events.Listener):  # type: ignore[misc,name-defined]  # Numba has no types here
            def on_start(self, event: Any) -> None:  # noqa: ARG002  # Numba's signature
                watch.start()

            def on_end(self, event: Any) -> None:  # noqa: ARG002  # Numba's signature
                watch.end()

        self.listener = Listener()
        self.events.register("numba:compile", self.listener)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.events.unregister("numba:compile", self.listener)

    def start(self) -> None:
        """A compilation begins."""
        if self.here and threading.get_ident() != self.thread:
            return
        self.depth += 1
        if self.depth == 1:
            self.began = time.perf_counter()
            self.begins()

    def end(self) -> None:
        """A compilation is done."""
        if self.here and threading.get_ident() != self.thread:
            return
        self.depth -= 1
        if self.depth == 0 and self.ends is not None:
            self.ends(time.perf_counter() - self.began)
