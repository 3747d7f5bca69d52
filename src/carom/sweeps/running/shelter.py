"""Starts processes so that Ctrl-C reaches only this process.

A terminal sends Ctrl-C to all processes of a command. A worker that gets it while it is being started dies with a
traceback, which its parent would report as a failure.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from multiprocessing import resource_tracker
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")

POLL_INTERVAL = 0.1
"""s between two checks whether the call has ended."""


def _block() -> None:
    """Block SIGINT in this thread, and in threads and processes that it starts."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # starting it later would unblock the signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def shield_from_interrupts(
    call: Callable[[], Result], waiting: Callable[[], object], undo: Callable[[Result], object]
) -> Result:
    """Call a function in a thread where SIGINT is blocked, also for all processes it starts; return its result.

    `waiting` is called meanwhile. If it raises, or after Ctrl-C, the result of the call is passed to `undo`.
    """
    made: list[Result] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            _block()
            made.append(call())
        except BaseException as error:  # raised again by the caller
            failed.append(error)

    thread = Thread(target=work, name="carom starts workers", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_INTERVAL)
            waiting()
    except BaseException:
        thread.join()
        for each in made:
            undo(each)
        raise
    if failed:
        raise failed[0]
    return made[0]
