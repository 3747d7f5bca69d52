"""Warnings about steps, each to the thread that caused it.

`warnings.catch_warnings` swaps what the whole process does with warnings, and benches run in threads of their own: one
would hear, or lose, what another was told.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from carom.errors import StepWarning

_listening: dict[int, list[str]] = {}
"""What was heard, by the thread that listens."""
_installing = threading.Lock()
_otherwise = warnings.showwarning
"""What is done with warnings that nobody here listens to."""


@contextmanager
def step_warnings() -> Iterator[list[str]]:
    """The words of the `StepWarning`s of this thread, while it lasts."""
    _install()
    thread = threading.get_ident()
    outer = _listening.get(thread)
    heard: list[str] = []
    _listening[thread] = heard
    try:
        yield heard
    finally:
        if outer is None:
            del _listening[thread]
        else:
            _listening[thread] = outer


def _install() -> None:
    """Hear all warnings; again, if someone has put back what was before."""
    global _otherwise  # noqa: PLW0603  # warnings are the whole process's, and so is this
    with _installing:
        if warnings.showwarning is not _show:
            _otherwise = warnings.showwarning
            warnings.showwarning = _show
        if ("always", None, StepWarning, None, 0) not in warnings.filters[:1]:
            warnings.simplefilter("always", StepWarning)


def _show(message: Warning | str, category: type[Warning], *more: Any, **named: Any) -> None:
    heard = _listening.get(threading.get_ident())
    if heard is not None and issubclass(category, StepWarning):
        heard.append(str(message))
    else:
        _otherwise(message, category, *more, **named)
