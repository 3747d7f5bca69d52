"""Warnings, each told at the line that led to it, and to the thread that caused it.

`warnings.catch_warnings` swaps what the whole process does with warnings, and benches and runs of studies have threads
of their own: one would hear, or lose, what another was told. Here, filter and ear are the process's, stay where they
are, and do nothing for threads that do not listen.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["heard", "warn_caller"]

PACKAGE = __name__.partition(".")[0]

_installing = threading.Lock()
_otherwise = warnings.showwarning
"""What is done with warnings that nobody here listens to."""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line that called into carom, however deep inside carom that becomes known."""
    frame, level = sys._getframe(1), 2  # noqa: SLF001  # `inspect.stack` would read the source of every caller
    while frame.f_back is not None and _is_ours(frame.f_globals):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(names: dict[str, Any]) -> bool:
    """Are these the global names of a module of carom?"""
    return str(names.get("__name__")).partition(".")[0] == PACKAGE


class _Listeners(threading.local):
    """What this thread listens to, and what it has heard; the innermost is the last."""

    def __init__(self) -> None:
        self.all: list[tuple[type[Warning], list[str]]] = []

    def of(self, category: type[Warning]) -> list[str] | None:
        """Where to note a warning; None if nobody listens to it."""
        return next((told for kind, told in reversed(self.all) if issubclass(category, kind)), None)


_here = _Listeners()


class _HeardHere(type):
    def __subclasscheck__(cls, category: type) -> bool:
        return _here.of(category) is not None


class _Heard(Warning, metaclass=_HeardHere):
    """All warnings that the present thread listens to, so that a filter for them is no filter for other threads."""


@contextmanager
def heard(kind: type[Warning] = Warning) -> Iterator[list[str]]:
    """The words of this thread's warnings of a kind while it lasts, each time they are said; they are not shown."""
    _install()
    told: list[str] = []
    _here.all.append((kind, told))
    try:
        yield told
    finally:
        _here.all.pop()


def _install() -> None:
    """Hear all warnings; again, if someone has put back what was before, and those again that were said already."""
    global _otherwise  # noqa: PLW0603  # warnings are the whole process's, and so is this
    with _installing:
        if warnings.showwarning is not _show:
            _otherwise = warnings.showwarning
            warnings.showwarning = _show
        first = ("always", None, _Heard, None, 0) in warnings.filters[:1]
        warnings.simplefilter("always", _Heard, append=first)  # if it is there, what was said is forgotten, no more


def _show(message: Warning | str, category: type[Warning], *more: Any, **named: Any) -> None:
    told = _here.of(category)
    if told is not None:
        told.append(str(message))
    else:
        _otherwise(message, category, *more, **named)
