"""Velocities of a gas at a given temperature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom import numerics

__all__ = ["thermal_velocities"]

FloatArray = NDArray[np.float64]


def thermal_velocities(mass: FloatArray, dimension: int, temperature: float, rng: np.random.Generator) -> FloatArray:
    """Maxwell's velocities, (N, d), scaled so that the kinetic energy is N d T/2 to rounding.

    T is k_B times the temperature, in J: each degree of freedom has T/2 on average. The total momentum is zero, except
    for a single ball, which would stand still.
    """
    velocity = rng.standard_normal((len(mass), dimension)) / np.sqrt(mass)[:, None]
    if len(mass) > 1:
        velocity -= numerics.product(mass, velocity) / mass.sum()
    twice_energy = float(numerics.product(mass, (velocity**2).sum(axis=1)))
    return np.asarray(velocity * np.sqrt(len(mass) * dimension * temperature / twice_energy))
