"""Memory for pasts: one pool for all benches of this process, shared evenly among their runs."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from carom.lab.server.machine import physical_memory

POOL = physical_memory() // 8
"""Bytes for the pasts of all runs, undo included."""
COPIES = 150_000_000
"""Largest memory for the copies of a run, bytes."""
UNDO = 3
"""Copies that undo holds may take this many times more."""
HISTORY = 200_000_000
"""Largest memory for the histories of a run, bytes."""

RUNS: WeakSet[Any] = WeakSet()
"""All runs of this process that have a past."""


def share_of(most: int) -> int:
    """The share of a limit that a run may use, given the number of runs."""
    whole = (COPIES * (1 + UNDO) + HISTORY) * max(len(RUNS), 1)
    return most if whole <= POOL else most * POOL // whole
