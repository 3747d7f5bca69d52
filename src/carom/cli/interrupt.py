"""Ctrl-C: the first asks the run to stop at its next halt, the second stops at once."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupt:
    """While it is entered, one Ctrl-C sets `asked` and a second raises KeyboardInterrupt wherever the program is."""

    def __init__(self) -> None:
        self.asked = False
        self.previous: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # only there can signals be caught
            self.previous = signal.signal(signal.SIGINT, self.catch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.previous is not None:
            signal.signal(signal.SIGINT, self.previous)

    def catch(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # the signature of a handler
        """Note the wish; a second one is urgent."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def heed(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed: called where stopping leaves everything in order."""
        if self.asked:
            raise KeyboardInterrupt
