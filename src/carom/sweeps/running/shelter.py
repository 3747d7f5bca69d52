"""Calls that start processes, made so that Ctrl-C reaches this process alone.

A terminal sends Ctrl-C to all processes of a command. A worker that gets it while it is being started dies with a
traceback, and whoever starts it takes that for a failure.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from multiprocessing import resource_tracker
from threading import Thread
from typing import TypeVar

Made = TypeVar("Made")

PULSE = 0.1
"""s between two looks whether the call has ended."""


def _block() -> None:
    """Block SIGINT in this thread: threads and processes inherit that from the thread that begins them."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # beginning it later would unblock the signal again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def sheltered(call: Callable[[], Made], waiting: Callable[[], object], undo: Callable[[Made], object]) -> Made:
    """What a call gives. It is made in a thread where SIGINT is blocked, as it then is in all that it starts.

    `waiting` is called meanwhile. If it raises, or Ctrl-C does, the call is waited for, and `undo` gets what it gave.
    """
    made: list[Made] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            _block()
            made.append(call())
        except BaseException as error:  # it is raised where the call was asked for
            failed.append(error)

    thread = Thread(target=work, name="carom starts workers", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(PULSE)
            waiting()
    except BaseException:
        thread.join()
        for each in made:
            undo(each)
        raise
    if failed:
        raise failed[0]
    return made[0]
