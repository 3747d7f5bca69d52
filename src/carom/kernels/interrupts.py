"""Ctrl-C amid what must be done to its end: it is noted, heard after it, and never lost.

So is a slice of a run, a step that two threads make, and a step of the compiler of kernels. LLVM calls back into Python
when it hands machine code over. That is where Python notices a Ctrl-C that came meanwhile; but what is raised in such a
call is printed and dropped, and the machine code with it.
"""

import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from numba.core import event

try:  # what Python's module calls, and then makes an enumeration of: ten times as fast, which short runs notice
    _signals: Any = import_module("_signal")
except ImportError:
    _signals = signal
INTERRUPT = int(signal.SIGINT)


def in_main_thread() -> bool:
    """Is this the thread that hears Ctrl-C?"""
    return threading.current_thread() is threading.main_thread()


class Steps(event.Listener):
    """Notes Ctrl-C, and passes it on to whoever listened before; amid a compilation when its next step begins."""

    def __init__(self, before: Any, *, compiling: bool = False) -> None:
        self.before = before
        self.compiling = compiling
        """Is Ctrl-C to be heard between two steps of the compiler, and while that waits for another process?"""
        self.listening = False
        """Is it told of steps of the compiler?"""
        self.process = os.getpid()
        self.noted: deque[tuple[Any, ...]] = deque()

    def note(self, *what: Any) -> None:
        """Ctrl-C, perhaps amid a call from LLVM; not in a process that was forked meanwhile, which compiles nothing."""
        if os.getpid() == self.process:
            self.noted.append(what)
        else:
            self.before(*what)

    def pass_on(self) -> None:
        """Tell whoever listened before, who mostly raises `KeyboardInterrupt`; as often as it was pressed."""
        while self.noted:
            self.before(*self.noted.popleft())

    def on_start(self, _event: Any) -> None:
        """A step of the compiler begins, here or in another thread, which is not to be stopped."""
        if in_main_thread():
            self.pass_on()

    def on_end(self, _event: Any) -> None:
        """A step of the compiler is done, or has failed."""


def at_it() -> Steps | None:
    """What holds Ctrl-C back at present, for whoever would hear it: the main thread."""
    steps = getattr(_signals.getsignal(INTERRUPT), "__self__", None) if in_main_thread() else None
    return steps if isinstance(steps, Steps) else None


def hear() -> None:
    """Here a Ctrl-C that was held back for the compiler does no harm."""
    if (steps := at_it()) and steps.compiling:
        steps.pass_on()


@contextlib.contextmanager
def held_back(*, compiling: bool = False) -> Iterator[Steps]:
    """Hold Ctrl-C back, and pass it on at the end; gives who notes it, if this thread hears it at all.

    With `compiling`, a kernel that is compiled meanwhile can be broken off: nothing has begun then.
    """
    before = _signals.getsignal(INTERRUPT) if in_main_thread() else None
    outer = getattr(before, "__self__", None)
    if isinstance(outer, Steps):  # it is held back already
        yield outer
        return
    steps = Steps(before, compiling=compiling)
    if not callable(before):  # nobody listens
        yield steps
        return
    try:
        _signals.signal(INTERRUPT, steps.note)
    except ValueError:  # not in the first interpreter of the process, which alone is told
        yield steps
        return
    try:
        yield steps
    finally:
        _signals.signal(INTERRUPT, before)
        steps.pass_on()


@contextlib.contextmanager
def let_through() -> Iterator[None]:
    """Hear Ctrl-C at once, where it is held back: while a function of the user is called, which may never end."""
    steps = at_it()
    if steps is None:
        yield
        return
    _signals.signal(INTERRUPT, steps.before)
    try:
        steps.pass_on()
        yield
    finally:
        _signals.signal(INTERRUPT, steps.note)


@contextlib.contextmanager
def heard_between_steps() -> Iterator[None]:
    """Hold Ctrl-C back while the compiler is amid a step."""
    outer = at_it()
    if outer and (outer.listening or not outer.compiling):  # within another kernel, or amid what must not stop
        yield
        return
    with held_back(compiling=True) as steps:
        if at_it() is not steps:  # nobody listens
            yield
            return
        steps.listening = True
        try:
            with event.install_listener("numba:run_pass", steps):
                yield
        finally:
            steps.listening = False
