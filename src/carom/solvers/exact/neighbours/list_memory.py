"""What a ball remembers of its last look at its list: when it touches each of those that it names.

If its partner has moved, but it has not itself, the next event is among these. Those that have moved since have seen
the ball where it still is; so of two that will touch, one has that event, or an earlier one. A ball forgets when its
list changes (`lists.forget`).
"""

from typing import Any

import numpy as np

from carom.kernels.jit import Index, inline
from carom.kernels.simd import read, unless, write
from carom.solvers.exact.neighbours.candidate import ball_of
from carom.solvers.exact.neighbours.lists import INSIDE, LINE, SEEN, SHORT


@inline
def keep(lists: Any, i: Index, low: Any, high: Any) -> None:
    """Remember when ball i touches the first eight of its list."""
    if lists.times.size != 0:
        first = np.uint64(i) * np.uint64(SEEN)
        write(lists.times, first, low)
        write(lists.times, first + np.uint64(4), high)


@inline
def recall(lists: Any, balls: Any, i: Index, sight: Any) -> bool:
    """When ball i touches whom its list names, but infinity if they have moved since; False: it has forgotten."""
    if lists.times.size == 0 or lists.heads[np.uint32(i)].bits != SHORT:
        return False
    first = np.uint64(i) * np.uint64(SEEN)
    if np.isnan(lists.times[first]):
        return False
    planned = balls[np.uint32(i)].planned
    for k in range(0, SEEN, 4):
        at = np.uint64(i) * np.uint64(LINE) + np.uint64(INSIDE + k)
        seen = unless(
            read(lists.times, first + np.uint64(k)), planned, moved(lists, balls, at),
            moved(lists, balls, at + np.uint64(1)), moved(lists, balls, at + np.uint64(2)),
            moved(lists, balls, at + np.uint64(3)),
        )  # fmt: skip
        write(sight.times[0], k, seen)
    sight.count[0] = lists.heads[np.uint32(i)].length
    return True


@inline
def moved(lists: Any, balls: Any, at: Index) -> Index:
    """The event that last moved the ball that a word of the pool names."""
    return balls[ball_of(lists.pool[at])].moved
