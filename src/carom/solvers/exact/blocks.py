"""Blocks of eight words: how cells and buckets hold a few numbers each, with room for more."""

import numpy as np

from carom.physics.jit import law


@law
def word(block: int, k: int) -> int:
    """Where word k of a block stands in the flat array."""
    return np.uint64(block) * np.uint64(8) + np.uint64(k)  # type: ignore[return-value]  # unsigned spares a test for negative indices
