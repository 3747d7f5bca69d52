"""Issue warnings at the line that called carom, and capture them per thread.

`warnings.catch_warnings` changes the handling of warnings of the whole process, so with threads one would capture, or
lose, the warnings of another. Here, one filter and one handler are installed for the process; they do nothing in
threads that do not capture.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["captured_warnings", "warn_caller"]

PACKAGE = __name__.partition(".")[0]

_installing = threading.Lock()
_default_handler = warnings.showwarning
"""The handler of warnings that no thread captures."""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning at the line outside of carom that called it."""
    frame, level = sys._getframe(1), 2  # noqa: SLF001  # `inspect.stack` would read the source of every caller
    while frame.f_back is not None and _is_ours(frame.f_globals):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(names: dict[str, Any]) -> bool:
    """True if these are the global names of a module of carom."""
    return str(names.get("__name__")).partition(".")[0] == PACKAGE


class _Captures(threading.local):
    """The kinds of warnings that this thread captures, each with its messages; the innermost is the last."""

    def __init__(self) -> None:
        self.all: list[tuple[type[Warning], list[str]]] = []

    def of(self, category: type[Warning]) -> list[str] | None:
        """The list for messages of a category; None if it is not captured."""
        return next((messages for kind, messages in reversed(self.all) if issubclass(category, kind)), None)


_captures = _Captures()


class _CapturedHere(type):
    def __subclasscheck__(cls, category: type) -> bool:
        return _captures.of(category) is not None


class _Captured(Warning, metaclass=_CapturedHere):
    """All warnings that the present thread captures, so that a filter for them does nothing in other threads."""


@contextmanager
def captured_warnings(kind: type[Warning] = Warning) -> Iterator[list[str]]:
    """Capture the messages of this thread's warnings of a kind, also repeated ones, instead of showing them."""
    _install()
    messages: list[str] = []
    _captures.all.append((kind, messages))
    try:
        yield messages
    finally:
        _captures.all.pop()


def _install() -> None:
    """Install handler and filter, also again if they were replaced, and forget which warnings were shown already."""
    global _default_handler  # noqa: PLW0603  # the handler of warnings is global, too
    with _installing:
        if warnings.showwarning is not _show:
            _default_handler = warnings.showwarning
            warnings.showwarning = _show
        first = ("always", None, _Captured, None, 0) in warnings.filters[:1]
        warnings.simplefilter("always", _Captured, append=first)  # if present, this only forgets shown warnings


def _show(message: Warning | str, category: type[Warning], *more: Any, **named: Any) -> None:
    messages = _captures.of(category)
    if messages is not None:
        messages.append(str(message))
    else:
        _default_handler(message, category, *more, **named)
