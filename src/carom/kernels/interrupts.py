"""Ctrl-C amid what must be done to its end: it is deferred, delivered afterwards, and never lost.

Runs defer it during a slice, and during a step that two threads make. What concerns the compiler of kernels stands in
`compiler_interrupts`.
"""

import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator
from importlib import import_module
from typing import Any

try:  # what Python's module calls, and then makes an enumeration of: ten times as fast, which short runs notice
    _signals: Any = import_module("_signal")
except ImportError:
    _signals = signal
INTERRUPT = int(signal.SIGINT)


def in_main_thread() -> bool:
    """Is this the thread to which Python delivers Ctrl-C?"""
    return threading.current_thread() is threading.main_thread()


class PendingInterrupts:
    """Receives Ctrl-C in place of the handler from before, and delivers it to that handler later."""

    def __init__(self, handler: Any, *, stop_compiler: bool = False) -> None:
        self.handler = handler
        self.stop_compiler = stop_compiler
        """May Ctrl-C break off a compilation?"""
        self.between_passes = False
        """Is it delivered between two passes of the compiler?"""
        self.process = os.getpid()
        self.received: deque[tuple[Any, ...]] = deque()

    def receive(self, *what: Any) -> None:
        """Keep a Ctrl-C for later; a process that was forked meanwhile has nothing to finish, and gets it at once."""
        if os.getpid() == self.process:
            self.received.append(what)
        else:
            self.handler(*what)

    def deliver(self) -> None:
        """Call the handler from before, which mostly raises `KeyboardInterrupt`, once for each Ctrl-C."""
        while self.received:
            self.handler(*self.received.popleft())


def pending_interrupts() -> PendingInterrupts | None:
    """What defers Ctrl-C at present; None if nothing does, and in every thread but the main one."""
    pending = getattr(_signals.getsignal(INTERRUPT), "__self__", None) if in_main_thread() else None
    return pending if isinstance(pending, PendingInterrupts) else None


def check_interrupts() -> None:
    """Deliver a Ctrl-C that waits for the compiler: called where the compiler has nothing half done."""
    if (pending := pending_interrupts()) and pending.stop_compiler:
        pending.deliver()


@contextlib.contextmanager
def defer_interrupts(*, stop_compiler: bool = False) -> Iterator[PendingInterrupts]:
    """Defer Ctrl-C to the end; gives what receives it, if this thread receives it at all.

    With `stop_compiler`, Ctrl-C breaks off a compilation on the way: nothing has begun then.
    """
    handler = _signals.getsignal(INTERRUPT) if in_main_thread() else None
    outer = getattr(handler, "__self__", None)
    if isinstance(outer, PendingInterrupts):  # it is deferred already
        yield outer
        return
    pending = PendingInterrupts(handler, stop_compiler=stop_compiler)
    if not callable(handler):  # the process ignores Ctrl-C
        yield pending
        return
    try:
        _signals.signal(INTERRUPT, pending.receive)
    except ValueError:  # not in the first interpreter of the process, which alone receives signals
        yield pending
        return
    try:
        yield pending
    finally:
        _signals.signal(INTERRUPT, handler)
        pending.deliver()


@contextlib.contextmanager
def allow_interrupts() -> Iterator[None]:
    """Deliver Ctrl-C at once, also where it is deferred: while a function of the user runs, which may never end."""
    pending = pending_interrupts()
    if pending is None:
        yield
        return
    _signals.signal(INTERRUPT, pending.handler)
    try:
        pending.deliver()
        yield
    finally:
        _signals.signal(INTERRUPT, pending.receive)
