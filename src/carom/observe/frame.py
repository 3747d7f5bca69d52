"""A frame: positions and velocities of all balls at one time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """Positions and velocities at one time: one row per ball in the scene's order, one column per axis.

    The rows of balls that did not exist then (not yet born, or removed) hold NaN. The arrays are read-only.
    """

    time: float
    """s."""
    positions: Floats
    """m."""
    velocities: Floats
    """m/s."""
    turns: NDArray[np.int64] | None = None
    """Image counts: how many periods each ball had crossed along each axis; None if no axis is periodic."""

    def __post_init__(self) -> None:
        for array in (self.positions, self.velocities, self.turns):
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which balls existed."""
        return ~np.isnan(self.positions[:, 0])

    def unwrapped(self, sizes: Floats | None) -> Floats:
        """Unwrapped positions, m: continuous across periodic boundaries; `sizes` are those of the box."""
        if self.turns is None or sizes is None:
            return self.positions
        return np.asarray(self.positions + np.where(self.turns != 0, self.turns * sizes, 0.0))
