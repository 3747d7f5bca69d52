"""The frames of a recording that are measured, and observables sampled from them and from the collisions between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.observe.observable import Observable
from carom.observe.series import Series
from carom.storage.collision_reader import CollisionReader
from carom.storage.recorded_frame import RecordedFrame
from carom.storage.recording import Recording

MAX_FRAMES = 2048
"""Largest number of frames that are measured; a longer recording is thinned out evenly."""
COLLISIONS_PER_READ = 1 << 18
"""Collisions that are in memory at once."""
PASSES = 8
"""Approximate number of passes over the frames in one analysis, for the progress."""
CHECKED_FRAMES = 9
"""Number of frames that are checked for being taken at collisions."""
CACHE_BYTES = 1 << 28
"""Frames of at most this size together are kept in memory; others are read again for each pass, bytes."""


class FrameSequence:
    """The part of a recording that is measured: some of its frames, and the collisions between them."""

    def __init__(
        self,
        recording: Recording,
        since: float = -np.inf,
        most: int = MAX_FRAMES,
        progress: Callable[[float], object] | None = None,
    ) -> None:
        self.recording = recording
        self._progress, self._frames_read = progress, 0
        self.indices = select_frames(recording, since, most)
        self.times = recording.times[self.indices]
        size = len(self.indices) * 24 * recording.masses.size * recording.dimension
        self._cache: list[RecordedFrame] | None = [] if size <= CACHE_BYTES else None
        self._low = 0
        self._block: NDArray[Any] | None = None
        self._collision_times: NDArray[np.float64] = np.zeros(0)

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[RecordedFrame]:
        """The frames in order of time."""
        for row in range(len(self)):
            if self._cache is None:
                frame = self.frame(row)
            else:
                if row == len(self._cache):
                    self._cache.append(self.frame(row))
                frame = self._cache[row]
            self._report_progress()
            yield frame

    def frame(self, row: int) -> RecordedFrame:
        """One of the frames, read anew."""
        k = int(self.indices[row])
        return RecordedFrame(self.recording, self.recording[k], k)

    def _report_progress(self) -> None:
        """Report the finished part of the passes."""
        self._frames_read += 1
        if self._progress is not None and self._frames_read % 16 == 0:
            self._progress(min(1.0, self._frames_read / (PASSES * len(self))))

    def thin_out(self, most: int) -> list[RecordedFrame]:
        """At most `most` of the frames, evenly spaced."""
        step = max(1, -(-len(self) // most))
        return [frame for k, frame in enumerate(self) if k % step == 0]

    @cached_property
    def log(self) -> CollisionReader | None:
        """All collisions of the recording; None if they were not recorded."""
        return self.recording.collisions

    def collisions(self, begin: float, end: float) -> Iterator[NDArray[Any]]:
        """The collisions with begin < time <= end, in parts that fit into memory; fastest if requested in order.

        A frame at the time of a collision shows the state just after it.
        """
        log = self.log
        if log is None or not len(log):
            return
        if self._block is None or (self._low and begin < self._collision_times[0]):
            self._load(0)
        while self._block is not None:
            low, high = np.searchsorted(self._collision_times, [begin, end], side="right")
            if high > low:
                yield self._block[low:high]
            after = self._low + len(self._collision_times)
            if high < len(self._collision_times) or after >= len(log):
                return
            self._load(after)

    def _load(self, low: int) -> None:
        """Read the collisions from this index on into memory."""
        if self.log is not None:
            self._low, self._block = low, self.log[low : low + COLLISIONS_PER_READ]
            self._collision_times = np.ascontiguousarray(self._block["time"])


def at_collisions(frames: FrameSequence) -> bool:
    """True if the frames were taken at collisions, not at fixed times."""
    log = frames.log
    if log is None or len(frames) < 2:
        return False
    return all(len(log.between(t, np.nextafter(t, np.inf))) > 0 for t in frames.times[1:CHECKED_FRAMES].tolist())


def select_frames(recording: Recording, since: float, most: int = MAX_FRAMES) -> NDArray[np.intp]:
    """The indices of the frames from a time on, thinned out evenly to at most `most`."""
    times = recording.times
    first = int(np.searchsorted(times, since))
    step = max(1, -(-(len(times) - first) // most))
    return np.arange(first, len(times), step)


def sample_observables(
    frames: FrameSequence, observables: Sequence[Observable], only: Sequence[RecordedFrame] | None = None
) -> dict[str, Series]:
    """Sample observables at the frames, or only at the given ones, starting at the first of them."""
    values: dict[str, list[object]] = {each.name: [] for each in observables}
    listeners = [each for each in observables if each.wants_collisions]
    before: RecordedFrame | None = None
    times = []
    for frame in frames if only is None else only:
        if before is None:
            for each in observables:
                each.begin(frame)
        elif listeners:
            for rows in frames.collisions(before.time, frame.time):
                for each in listeners:
                    each.collide(rows)
        for each in observables:
            values[each.name].append(each.sample(frame))
        times.append(frame.time)
        before = frame
    return {
        each.name: Series(
            each.name, each.symbol, each.unit, np.array(times), np.array(values[each.name]), each.columns(),
            each.over_interval,
        )
        for each in observables
    }  # fmt: skip
