"""Observables taken along a recording, from its frames and collisions, as a recorder would have taken them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.analysis.stills import Still
from carom.observe.observable import Observable
from carom.observe.series import Series
from carom.storage.collision_reader import CollisionReader
from carom.storage.recording import Recording

MOST = 2048
"""So many frames are looked at, at most; a longer recording is thinned out evenly."""
BLOCK = 1 << 18
"""Collisions that are in memory at once."""
ROUNDS = 8
"""All measurements together go through the frames about so many times."""
LOOKED_AT = 9
"""Frames from which one can tell whether they were taken at collisions."""
KEPT = 1 << 28
"""Bytes that frames may take to be kept in memory, instead of being read again for each measurement."""


class Reel:
    """The part of a recording that is measured: some of its frames, and the collisions between them."""

    def __init__(
        self,
        recording: Recording,
        since: float = -np.inf,
        most: int = MOST,
        progress: Callable[[float], object] | None = None,
    ) -> None:
        self.recording = recording
        self._progress, self._seen = progress, 0
        self.frames = chosen(recording, since, most)
        self.times = recording.times[self.frames]
        size = len(self.frames) * 24 * recording.masses.size * recording.dimension
        self._kept: list[Still] | None = [] if size <= KEPT else None
        self._low = 0
        self._block: NDArray[Any] | None = None
        self._moments: NDArray[np.float64] = np.zeros(0)

    def __len__(self) -> int:
        return len(self.frames)

    def __iter__(self) -> Iterator[Still]:
        """The frames, one after the other."""
        for row, k in enumerate(self.frames):
            if self._kept is None:
                still = self._still(int(k))
            else:
                if row == len(self._kept):
                    self._kept.append(self._still(int(k)))
                still = self._kept[row]
            self._tell()
            yield still

    def _tell(self) -> None:
        """Tell how far it is."""
        self._seen += 1
        if self._progress is not None and self._seen % 16 == 0:
            self._progress(min(1.0, self._seen / (ROUNDS * len(self))))

    def _still(self, k: int) -> Still:
        return Still(self.recording, self.recording[k])

    def thinned(self, most: int) -> list[Still]:
        """Some of the frames, at most so many."""
        step = max(1, -(-len(self) // most))
        return [still for k, still in enumerate(self) if k % step == 0]

    @cached_property
    def log(self) -> CollisionReader | None:
        """All collisions of the recording, opened once for all frames; None if they were not recorded."""
        return self.recording.collisions

    def collisions(self, begin: float, end: float) -> Iterator[NDArray[Any]]:
        """Those after a time, up to and at another, in parts that fit into memory; best asked for in order.

        A frame that falls on a collision shows what is just after it.
        """
        log = self.log
        if log is None or not len(log):
            return
        if self._block is None or (self._low and begin < self._moments[0]):
            self._load(0)
        while self._block is not None:
            low, high = np.searchsorted(self._moments, [begin, end], side="right")
            if high > low:
                yield self._block[low:high]
            after = self._low + len(self._moments)
            if high < len(self._moments) or after >= len(log):
                return
            self._load(after)

    def _load(self, low: int) -> None:
        """Have the collisions from this number on in memory."""
        if self.log is not None:
            self._low, self._block = low, self.log[low : low + BLOCK]
            self._moments = np.ascontiguousarray(self._block["time"])


def at_collisions(reel: Reel) -> bool:
    """Were the frames taken at collisions, rather than at times?"""
    log = reel.log
    if log is None or len(reel) < 2:
        return False
    return all(len(log.between(t, np.nextafter(t, np.inf))) > 0 for t in reel.times[1:LOOKED_AT].tolist())


def chosen(recording: Recording, since: float, most: int = MOST) -> NDArray[np.intp]:
    """The numbers of the frames that are measured: those from a time on, thinned out evenly."""
    times = recording.times
    first = int(np.searchsorted(times, since))
    step = max(1, -(-(len(times) - first) // most))
    return np.arange(first, len(times), step)


def taken(reel: Reel, observables: Sequence[Observable], stills: Sequence[Still] | None = None) -> dict[str, Series]:
    """Series of the observables at the frames (all, or those that are given), beginning at the first of them."""
    values: dict[str, list[object]] = {each.name: [] for each in observables}
    listeners = [each for each in observables if each.wants_collisions]
    before: Still | None = None
    times = []
    for still in reel if stills is None else stills:
        if before is None:
            for each in observables:
                each.begin(still)
        elif listeners:
            for rows in reel.collisions(before.time, still.time):
                for each in listeners:
                    each.collide(rows)
        for each in observables:
            values[each.name].append(each.sample(still))
        times.append(still.time)
        before = still
    return {
        each.name: Series(
            each.name, each.symbol, each.unit, np.array(times), np.array(values[each.name]), each.columns(),
            each.over_interval,
        )
        for each in observables
    }  # fmt: skip
