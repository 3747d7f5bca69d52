"""Ctrl-C: the first press stops the run at its next halt, the second stops it at once."""

import signal
import threading
from types import FrameType
from typing import Any, Self


class Interrupt:
    """As a context: the first Ctrl-C sets `asked`, the second raises KeyboardInterrupt wherever the program is."""

    def __init__(self) -> None:
        self.asked = False
        self.previous: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # only there can signals be caught
            self.previous = signal.signal(signal.SIGINT, self.catch)
        return self

    def __exit__(self, *_: object) -> None:
        if self.previous is not None:
            signal.signal(signal.SIGINT, self.previous)

    def catch(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # the signature of a handler
        """Handle the signal: remember the first, obey the second at once."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed. Call it where a stop leaves everything consistent."""
        if self.asked:
            raise KeyboardInterrupt
