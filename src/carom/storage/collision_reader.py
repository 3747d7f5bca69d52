"""Reads the collisions of a recording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.collisions import CollisionArray
from carom.observe.triggers import is_number
from carom.scene.fields.base import shown
from carom.solvers.collision_record import BALL, CLOTH, NOBODY, collision_record
from carom.storage.hdf5.chunks import ROWS_PER_READ, StoredColumn
from carom.storage.hdf5.open_file import broken_error

if TYPE_CHECKING:
    from carom.storage.recording import Recording

LOG = "carom/collisions/"


class CollisionReader:
    """All collisions of a recording, read from the file on access."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._columns = {name: recording.column(f"{LOG}{name}") for name in collision_record.names or ()}

    def __len__(self) -> int:
        return len(self._columns["time"])

    @property
    def count(self) -> int:
        """The number of collisions."""
        return len(self)

    @property
    def times(self) -> StoredColumn:
        """The times of the collisions, s."""
        return self._columns["time"]

    def __getitem__(self, which: int | slice) -> Any:
        """A slice gives an array like that of `Simulation.collide`, with `to_pandas`; an index gives one row."""
        if not isinstance(which, slice):
            k = self._number(which)
            return self[k : k + 1][0]
        start, stop, step = which.indices(len(self))
        low, high = (start, stop) if step > 0 else (stop + 1, start + 1)
        columns = {name: rows[low : max(low, high)] for name, rows in self._columns.items()}
        out = np.zeros(len(columns["time"]), collision_record)
        for name, column in columns.items():
            if column.ndim > 1:  # vectors in the file have as many components as the scene has dimensions
                out[name][:, : column.shape[1]] = column
            else:
                out[name] = column
        self._check(out)
        rows = out[::step] if step > 0 else out[::-1][::-step]
        return CollisionArray.of(rows, self._recording.dimension, self._recording.walls)

    def _number(self, which: Any) -> int:
        """The index of a collision, counted from the front."""
        if isinstance(which, bool) or not isinstance(which, int | np.integer):
            raise ArgumentError.of("recording.collision", where="collisions", value=shown(which))
        if not -len(self) <= which < len(self):
            raise IndexError(f"there is no collision {which}: there are {len(self)}")
        return int(which) % len(self)

    def _check(self, rows: NDArray[Any]) -> None:
        """Check that the balls and walls of collisions exist, as readers look them up."""
        balls, walls = len(self._recording.masses), len(self._recording.walls)
        kind, a, b, wall = (rows[name] for name in ("kind", "a", "b", "wall"))
        between = kind == BALL
        partner = np.where(between, b < balls, b == NOBODY) & (between | (wall < walls) | (wall == NOBODY))
        if not ((kind >= BALL) & (kind <= CLOTH) & (a < balls) & partner).all():
            raise broken_error(self._recording.path, "collisions name balls or walls that are not there")

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), ROWS_PER_READ):
            yield from self[start : start + ROWS_PER_READ]

    def between(self, t0: float, t1: float) -> NDArray[Any]:
        """The collisions with t0 <= time < t1, s."""
        for t in (t0, t1):
            if not is_number(t):
                raise ArgumentError.of("time.not-a-time", where="between", value=shown(t))
        low, high = (_first(self.times, len(self), t) for t in (t0, t1))
        return self[low : max(low, high)]  # type: ignore[no-any-return]  # a slice gives an array


def _first(times: StoredColumn, count: int, t: float) -> int:
    """The index of the first time that is not before t, by bisection: there may be too many times to read."""
    low, high = 0, count
    while high - low > 4096:
        middle = (low + high) // 2
        if times[middle] < t:
            low = middle + 1
        else:
            high = middle
    return low + int(np.searchsorted(times[low:high], t))
