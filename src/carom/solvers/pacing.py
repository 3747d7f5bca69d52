"""How far a run goes on before it listens for Ctrl-C.

A kernel is deaf while it works. So a run is cut into slices of about a tenth of a second, after each of which nothing
is half done. Slices change no bit of the motion: kernels go on where they were.
"""

from dataclasses import dataclass

SLICE = 0.1
"""Seconds of wall-clock time that a slice takes, at most, as far as the last one tells."""


@dataclass
class Pace:
    """The size of a slice in some unit: doubled while slices are short, halved when one was long."""

    size: float

    @property
    def whole(self) -> int:
        """The size as a whole number, at least 1."""
        return max(1, int(min(self.size, 2.0**62)))

    def learn(self, seconds: float, *, full: bool) -> None:
        """A slice took so long; `full` if nothing but its size ended it."""
        if seconds > SLICE:
            self.size *= 0.5
        elif full and seconds < 0.5 * SLICE:
            self.size *= 2.0
