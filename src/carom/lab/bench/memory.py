"""Memory for the past: one pool for all benches of this process, shared evenly among their runs."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from carom.lab.server.machine import physical_memory

POOL = physical_memory() // 8
"""Bytes for the pasts of all runs, with what undo holds."""
COPIES = 150_000_000
"""Bytes for the copies of a run, at most,"""
UNDO = 3
"""and so many times as many for those that undo holds,"""
HISTORY = 200_000_000
"""and for the histories of a run."""

RUNS: WeakSet[Any] = WeakSet()
"""All runs of this process that have a past."""


def share_of(most: int) -> int:
    """What a run may use of that, with as many others as there are."""
    whole = (COPIES * (1 + UNDO) + HISTORY) * max(len(RUNS), 1)
    return most if whole <= POOL else most * POOL // whole
