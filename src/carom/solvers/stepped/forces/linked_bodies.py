"""Connected groups of bodies: those of one group pass through each other, those of two do not.

Each body has a uint32: the lowest row of the part that links join it to, its own where none does. The highest bit marks
a corner of a cloth, which collides with no ball: a ball meets the triangles of the cloth.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Index, inline, noinline
from carom.scene import Scene

WOVEN: Final = 0x80000000
PART: Final = 0x7FFFFFFF


def linked_of(scene: Scene, row: NDArray[np.intp]) -> NDArray[np.uint32]:
    """The group of each row, and whether it is woven; empty where there are no links or cloths."""
    if not len(scene.links) and not len(scene.triangles):
        return np.zeros(0, np.uint32)
    linked = np.empty(len(row), np.uint32)
    part = scene.links.groups(len(row))
    lowest = np.full(len(row), len(row))
    np.minimum.at(lowest, part, row)
    linked[row] = lowest[part]
    linked[np.unique(row[scene.triangles])] |= np.uint32(WOVEN)
    return linked


def alone(linked: NDArray[np.uint32]) -> bool:
    """Is there only one group that could collide, and so none to collide with?"""
    return linked.size > 0 and np.unique(linked[linked < WOVEN]).size < 2


@inline
def root(linked: Any, i: Index) -> Index:
    """The lowest row of the part of body i, as far as it is known."""
    k = np.uint64(i)
    while np.uint64(linked[k] & PART) != k:
        k = np.uint64(linked[k] & PART)
    return k


@noinline
def part_anew(linked: Any, ends: Any, limit: Any) -> None:
    """Find the connected groups again, after links have broken (their limit is NaN).

    Union by the lower row: what a body points at is never above it, so one pass upward makes all point at the lowest.
    """
    for k in range(linked.size):
        linked[np.uint64(k)] = (linked[np.uint64(k)] & WOVEN) | k
    for m in range(limit.size):
        link = np.uint64(m)
        if not np.isnan(limit[link]):
            a, b = root(linked, ends[link, 0]), root(linked, ends[link, 1])
            low, high = min(a, b), max(a, b)
            linked[high] = np.uint64(linked[high] & WOVEN) | low
    for k in range(linked.size):
        i = np.uint64(k)
        linked[i] = (linked[i] & WOVEN) | (linked[np.uint64(linked[i] & PART)] & PART)
