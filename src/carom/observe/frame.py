"""An instant of a run, as it is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """Where the balls were at a time, and how fast: a row a ball, in the scene's order, a column an axis.

    Rows of balls that were not born yet, or were gone, hold NaN. The arrays are read-only.
    """

    time: float
    """s."""
    positions: Floats
    """m."""
    velocities: Floats
    """m/s."""
    turns: NDArray[np.int64] | None = None
    """How many times each ball had gone round each periodic axis; None where no axis is periodic."""

    def __post_init__(self) -> None:
        for array in (self.positions, self.velocities, self.turns):
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Who was there."""
        return ~np.isnan(self.positions[:, 0])

    def unwrapped(self, sizes: Floats | None) -> Floats:
        """Places as if periodic axes did not end, m; `sizes` are those of the box."""
        if self.turns is None or sizes is None:
            return self.positions
        return np.asarray(self.positions + np.where(self.turns != 0, self.turns * sizes, 0.0))
