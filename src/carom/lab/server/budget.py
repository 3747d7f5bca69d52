"""Rate limits: a number per second, and a number at once."""

from __future__ import annotations

import time
from collections.abc import Callable


class Budget:
    """A token bucket: it fills at a rate, up to a maximum."""

    def __init__(self, rate: float, most: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self.most = most
        self.clock = clock
        self.left = most
        self.at = clock()

    def spend(self, amount: float = 1.0) -> bool:
        """Spend an amount; False, and nothing is spent, if there is not enough."""
        now = self.clock()
        self.left = min(self.most, self.left + self.rate * (now - self.at))
        self.at = now
        if self.left < amount:
            return False
        self.left -= amount
        return True

    def owe(self, amount: float) -> None:
        """Spend an amount even if there is not enough."""
        self.left -= amount
