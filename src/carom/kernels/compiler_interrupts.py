"""Ctrl-C while a kernel is compiled: it stops the compiler between two of its passes.

LLVM calls back into Python when it hands machine code over. That is where Python notices a Ctrl-C that came meanwhile;
but what is raised in such a call is printed and dropped, and the machine code with it. So Ctrl-C is deferred during a
pass.
"""

import contextlib
from collections.abc import Iterator

from carom.kernels.interrupts import defer_interrupts, in_main_thread, pending_interrupts
from carom.kernels.numba_private import at_each_pass


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

        def deliver() -> None:
            """A pass begins: here, or in another thread, which Ctrl-C is not to stop."""
            if in_main_thread():
                pending.deliver()

        pending.between_passes = True
        try:
            with at_each_pass(deliver):
                yield
        finally:
            pending.between_passes = False
