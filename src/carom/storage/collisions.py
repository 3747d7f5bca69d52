"""The collisions of a recording."""

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
from carom.storage.hdf5.chunks import BLOCK, Rows
from carom.storage.hdf5.opening import broken

if TYPE_CHECKING:
    from carom.storage.recording import Recording

LOG = "carom/collisions/"


class Collisions:
    """All collisions of a recording, read as they are asked for."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._columns = {name: recording.column(f"{LOG}{name}") for name in collision_record.names or ()}

    def __len__(self) -> int:
        return len(self._columns["time"])

    @property
    def count(self) -> int:
        """How many."""
        return len(self)

    @property
    def times(self) -> Rows:
        """When, s."""
        return self._columns["time"]

    def __getitem__(self, which: int | slice) -> Any:
        """A slice gives an array as `Simulation.collide` does, with `to_pandas`; a number, one row of it."""
        if not isinstance(which, slice):
            k = self._number(which)
            return self[k : k + 1][0]
        start, stop, step = which.indices(len(self))
        low, high = (start, stop) if step > 0 else (stop + 1, start + 1)
        columns = {name: rows[low : max(low, high)] for name, rows in self._columns.items()}
        out = np.zeros(len(columns["time"]), collision_record)
        for name, column in columns.items():
            if column.ndim > 1:  # a file holds as many numbers of a vector as there are dimensions
                out[name][:, : column.shape[1]] = column
            else:
                out[name] = column
        self._check(out)
        rows = out[::step] if step > 0 else out[::-1][::-step]
        return CollisionArray.of(rows, self._recording.dimension, self._recording.walls)

    def _number(self, which: Any) -> int:
        """The number of a collision, counted from the front."""
        if isinstance(which, bool) or not isinstance(which, int | np.integer):
            raise ArgumentError.of("recording.collision", where="collisions", value=shown(which))
        if not -len(self) <= which < len(self):
            raise IndexError(f"there is no collision {which}: there are {len(self)}")
        return int(which) % len(self)

    def _check(self, rows: NDArray[Any]) -> None:
        """Who reads them looks up what they name: it must be there."""
        balls, walls = len(self._recording.masses), len(self._recording.walls)
        kind, a, b, wall = (rows[name] for name in ("kind", "a", "b", "wall"))
        between = kind == BALL
        partner = np.where(between, b < balls, b == NOBODY) & (between | (wall < walls) | (wall == NOBODY))
        if not ((kind >= BALL) & (kind <= CLOTH) & (a < balls) & partner).all():
            raise broken(self._recording.path, "collisions name balls or walls that are not there")

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), BLOCK):
            yield from self[start : start + BLOCK]

    def between(self, t0: float, t1: float) -> NDArray[Any]:
        """The collisions from t0 on, up to but not at t1, s."""
        for t in (t0, t1):
            if not is_number(t):
                raise ArgumentError.of("time.not-a-time", where="between", value=shown(t))
        low, high = (_first(self.times, len(self), t) for t in (t0, t1))
        return self[low : max(low, high)]  # type: ignore[no-any-return]  # a slice gives an array


def _first(times: Rows, count: int, t: float) -> int:
    """The number of the first time that is not before t, by halving: the times may be too many to read."""
    low, high = 0, count
    while high - low > 4096:
        middle = (low + high) // 2
        if times[middle] < t:
            low = middle + 1
        else:
            high = middle
    return low + int(np.searchsorted(times[low:high], t))
