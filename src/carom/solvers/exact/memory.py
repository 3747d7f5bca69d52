"""An order of balls in which neighbours in space are neighbours in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
