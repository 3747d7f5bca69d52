"""A candidate for contact is one word: which ball, and which image of it.

Image 13 is the ball itself; 13 ± 1, ± 3 and ± 9 mean that a period of the first, second or third axis is to be added
to the difference of the places, or taken away.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from carom.kernels.jit import Index, inline

BITS: Final = 27  # for the ball
MOST: Final = 1 << BITS  # balls there can be
ITSELF: Final = 13
PLAIN: Final = ITSELF << BITS
PERIODS: Final = 96  # numbers in the table that `period` reads


@inline
def named(j: Index, image: Index) -> int:
    """The word for an image of ball j."""
    return np.uint32(np.uint32(j) | (np.uint32(image) << np.uint32(BITS)))  # type: ignore[return-value]  # as kernels store it


@inline
def ball_of(word: Index) -> int:
    """Which ball a candidate is."""
    return np.uint32(word & np.uint32(MOST - 1))  # type: ignore[return-value]  # unsigned spares a test


@inline
def image_of(word: Index) -> int:
    """Which image of it."""
    return np.uint32(word >> np.uint32(BITS))  # type: ignore[return-value]  # unsigned spares a test


@inline
def mirrored(image: Index) -> int:
    """The image of i that j sees when i sees this image of j."""
    return int(2 * ITSELF - image)


@inline
def period(hood: Any, image: Index, axis: Index) -> float:
    """What is to be added to the difference of the places along an axis, m."""
    return float(hood.periods[np.uint64(32 * axis + image)])


def periods(size: tuple[float, float, float]) -> NDArray[np.float64]:
    """The table that `period` reads."""
    table = np.zeros((3, 32))
    image = np.arange(27)
    for axis in range(3):
        table[axis, :27] = (image // 3**axis % 3 - 1) * size[axis]
    return table.ravel()
