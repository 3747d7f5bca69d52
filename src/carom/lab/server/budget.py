"""So many a second, and so many at once."""

from __future__ import annotations

import time
from collections.abc import Callable


class Budget:
    """What may be spent: it fills up at a rate, to a most."""

    def __init__(self, rate: float, most: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self.most = most
        self.clock = clock
        self.left = most
        self.at = clock()

    def spend(self, amount: float = 1.0) -> bool:
        """Spend some more; False if that is too much, and then nothing is spent."""
        now = self.clock()
        self.left = min(self.most, self.left + self.rate * (now - self.at))
        self.at = now
        if self.left < amount:
            return False
        self.left -= amount
        return True

    def owe(self, amount: float) -> None:
        """So much was spent, whether it was there or not."""
        self.left -= amount
