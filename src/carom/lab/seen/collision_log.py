"""The log of the last collisions, in chunks that are immutable once full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.solvers.collision_record import NOBODY, collision_record

Rows = NDArray[Any]

MAX_ROWS = 100_000
"""Collisions in a log."""
CHUNK = 4096
"""Rows of a full chunk, which copies of a log share."""


@dataclass(frozen=True)
class CollisionLog:
    """Collisions in the order of time, as rows of `collision_record`. Immutable: `extended` returns another log."""

    chunks: tuple[Rows, ...] = ()
    oldest: float = np.inf
    """Time of the first forgotten collision; infinite if there is none."""

    def __len__(self) -> int:
        return sum(map(len, self.chunks))

    def extended(self, rows: Rows, limit: int = MAX_ROWS) -> CollisionLog:
        """A log with more rows; complete chunks at the start are forgotten if there are too many."""
        if not len(rows):
            return self
        chunks = list(self.chunks)
        if chunks and len(chunks[-1]) < CHUNK:
            rows = np.concatenate([chunks.pop(), rows])
        chunks.append(rows)
        left, first = sum(map(len, chunks)), float(chunks[0]["time"][0])
        total = left
        while len(chunks) > 1 and left - len(chunks[0]) >= limit:
            left -= len(chunks.pop(0))
        if left > 2 * limit:
            chunks = [chunks[0][-limit:].copy()]
            left = limit
        return CollisionLog(tuple(chunks), min(self.oldest, first) if left < total else self.oldest)

    def until(self, time: float) -> CollisionLog:
        """The part up to a time."""
        chunks = [chunk[: np.searchsorted(chunk["time"], time, side="right")] for chunk in self.chunks]
        oldest = self.oldest if self.oldest <= time else np.inf
        return CollisionLog(tuple(chunk for chunk in chunks if len(chunk)), oldest)

    def before(self, time: float) -> float | None:
        """The time of the last collision before a time."""
        for chunk in reversed(self.chunks):
            k = int(np.searchsorted(chunk["time"], time, side="left"))
            if k:
                return float(chunk["time"][k - 1])
        return None

    def after(self, time: float) -> float | None:
        """The time of the first collision after a time."""
        for chunk in self.chunks:
            k = int(np.searchsorted(chunk["time"], time, side="right"))
            if k < len(chunk):
                return float(chunk["time"][k])
        return None

    def last(self, count: int, until: float = np.inf) -> Rows:
        """The last rows, up to a time."""
        found: list[Rows] = []
        for chunk in reversed(self.until(until).chunks):
            found.insert(0, chunk[-count:] if count else chunk[:0])
            count -= len(found[0])
            if count <= 0:
                break
        return np.concatenate(found) if found else np.zeros(0, collision_record)

    def last_of(self, ball: int, until: float) -> Any | None:
        """The last row of a ball, up to a time."""
        for chunk in reversed(self.until(until).chunks):
            rows = np.flatnonzero((chunk["a"] == ball) | ((chunk["b"] == ball) & (chunk["b"] != NOBODY)))
            if len(rows):
                return chunk[rows[-1]]
        return None

    def since(self, begin: float, end: float) -> Iterator[Rows]:
        """The rows between two times, chunk by chunk."""
        for chunk in self.chunks:
            low = np.searchsorted(chunk["time"], begin, side="right")
            high = np.searchsorted(chunk["time"], end, side="right")
            if low < high:
                yield chunk[low:high]

    def times(self, most: int) -> tuple[float, ...]:
        """Times of at most `most` collisions, spread evenly over the log."""
        total = len(self)
        if not total:
            return ()
        step = -(-total // most)
        found: list[float] = []
        begin = 0
        for chunk in self.chunks:
            found += chunk["time"][(-begin) % step :: step].tolist()
            begin += len(chunk)
        return tuple(found)
