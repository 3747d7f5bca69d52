"""Ctrl-C while a kernel is compiled: it stops the compiler between two of its passes.

LLVM calls back into Python when it hands machine code over. That is where Python notices a Ctrl-C that came meanwhile;
but what is raised in such a call is printed and dropped, and the machine code with it. So Ctrl-C is deferred during a
pass.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from numba.core import event

from carom.kernels.interrupts import PendingInterrupts, defer_interrupts, in_main_thread, pending_interrupts


class _Passes(event.Listener):
    """Delivers Ctrl-C when a pass begins."""

    def __init__(self, pending: PendingInterrupts) -> None:
        self.pending = pending

    def on_start(self, _event: Any) -> None:
        """A pass begins: here, or in another thread, which Ctrl-C is not to stop."""
        if in_main_thread():
            self.pending.deliver()

    def on_end(self, _event: Any) -> None:
        """A pass is done, or has failed."""


@contextlib.contextmanager
def interrupts_between_passes() -> Iterator[None]:
    """Defer Ctrl-C during each pass of the compiler, and deliver it between two."""
    outer = pending_interrupts()
    if outer and (outer.between_passes or not outer.stop_compiler):  # within another kernel, or what must not stop
        yield
        return
    with defer_interrupts(stop_compiler=True) as pending:
        if pending_interrupts() is not pending:  # this thread receives no Ctrl-C
            yield
            return
        pending.between_passes = True
        try:
            with event.install_listener("numba:run_pass", _Passes(pending)):
                yield
        finally:
            pending.between_passes = False
