"""Tell a user that kernels are being compiled, which happens on first use only."""

import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import TracebackType
from typing import Any, Self

from carom.kernels.numba_version import require_known_numba

_LISTENING: set[int] = set()
"""Ids of the `Compilations` that are entered, each of which tells it in its own way."""


@cache
def announce() -> None:
    """From now on, tell the user at a terminal, once, that kernels are being compiled.

    Nothing is said while the command line, the laboratory or a worker listens: they tell it themselves.
    """
    terminal = sys.stderr
    if terminal is None or not terminal.isatty():
        return
    told: list[bool] = []

    def begins() -> None:
        if not (told or _LISTENING):
            told.append(True)
            terminal.write("carom compiles for this kind of scene, on first use only: some seconds\n")

    _register(begins, lambda: None)


def _register(begins: Callable[[], object], ends: Callable[[], object]) -> Any:
    """A listener that Numba calls from now on; None where this release of Numba calls none."""
    require_known_numba()
    try:
        private = import_module("carom.kernels.numba_private")
    except (ImportError, AttributeError, TypeError):  # `compilers` tells what is missing
        return None
    made = private.Listener(begins, ends)
    private.add_compilation_listener(made)
    return made


class Compilations:
    """Calls `begins` when a compilation begins, and `ends` with its time in s when it is done, while it is entered.

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

    def __enter__(self) -> Self:
        self.thread = threading.get_ident()
        self.listener = _register(self.start, self.end)
        _LISTENING.add(id(self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _LISTENING.discard(id(self))
        if self.listener is not None:
            import_module("carom.kernels.numba_private").remove_compilation_listener(self.listener)

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
