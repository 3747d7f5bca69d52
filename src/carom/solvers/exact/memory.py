"""Arrays that begin on a cache line, and an order of balls in which neighbours in space are neighbours in memory."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import PAGE

LINE = 128  # bytes: two cache lines, which processors fetch together

# Where in a page of memory the few bytes begin that each event reads and writes: apart from each other, and always the
# same beside the frame of the main loop (`jit.own_page`, which tells why). That takes most of a page, so that they
# cannot be apart from all of it; these places were measured to be good.
CLOCK, COUNTS, TIMES, FOUND, HEAP_TIMES, HEAP_BALLS = 0x800, 0x900, 0xA00, 0xC00, 0xD00, 0xD80
ROW, ROUND = 32, 1024  # items by which two rows are apart in their pages; items that are whole pages


def aligned(count: int, dtype: Any) -> NDArray[Any]:
    """An array of zeros that begins on a cache line."""
    return placed(count, dtype, 0, LINE)


def placed(count: int, dtype: Any, place: int, block: int = PAGE) -> NDArray[Any]:
    """An array of zeros that begins so many bytes after a page does, or another block of memory."""
    kind = np.dtype(dtype)
    raw = np.zeros(count * kind.itemsize + block, np.uint8)
    first = (place - raw.ctypes.data) % block
    return raw[first : first + count * kind.itemsize].view(kind)


def two_rows(least: int, dtype: Any, place: int) -> NDArray[Any]:
    """Two rows of at least so many items, at their places in pages."""
    room = -(-(least - ROW) // ROUND) * ROUND + ROW
    return placed(2 * room, dtype, place).reshape(2, room)


def twin(thing: Any, memo: dict[int, Any]) -> Any:
    """A deep copy whose arrays have the same places in their pages, and share a block of memory where these do."""
    if isinstance(thing, tuple):
        items = [twin(each, memo) for each in thing]
        return type(thing)(*items) if hasattr(thing, "_fields") else tuple(items)
    if not isinstance(thing, np.ndarray):
        return copy.deepcopy(thing, memo)
    block = thing if thing.base is None else thing.base
    if id(block) not in memo:
        memo[id(block)] = placed(block.nbytes, np.uint8, block.ctypes.data % PAGE)
        memo[id(block)][:] = block.reshape(-1).view(np.uint8)
    return np.ndarray(thing.shape, thing.dtype, memo[id(block)], thing.ctypes.data - block.ctypes.data, thing.strides)


class Twinned:
    """Has deep copies whose arrays stand in memory as its own do, so that they are as fast."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A deep copy by `twin`."""
        other = memo[id(self)] = object.__new__(type(self))
        other.__dict__.update({name: twin(each, memo) for name, each in self.__dict__.items()})
        return other


def curve_order(places: NDArray[np.float64]) -> NDArray[np.intp]:
    """The order of the points along Morton's curve (the bits of the coordinates interleaved)."""
    low, high = places.min(axis=0), places.max(axis=0)
    scale = np.where(high > low, high - low, 1.0)
    grid = ((places - low) / scale * (2**20 - 1)).astype(np.uint64)
    key = np.zeros(len(places), np.uint64)
    for axis in range(places.shape[1]):
        key |= spread(grid[:, axis]) << np.uint64(axis)
    return np.argsort(key, kind="stable")


def spread(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Put two zero bits between the bits of each number below 2^21."""
    for shift, mask in (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    ):
        x = (x | (x << np.uint64(shift))) & np.uint64(mask)
    return x
