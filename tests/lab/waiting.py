"""Waiting for what another thread does."""

import time
from collections.abc import Callable


def until(true: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for a condition; fail if that takes too long."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)
