"""Energies of a run: kinetic, and stored by each force."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.kernels.jit import Index, kernel
from carom.solvers.stepped.attraction.tree import attraction_energy
from carom.solvers.stepped.forces.custom import Force
from carom.solvers.stepped.forces.sum import Forces

Floats = NDArray[np.float64]


def kinetic(v: Floats, m: Floats) -> float:
    """Σ m v² / 2, J; v has three columns."""
    return float(0.5 * (m * (v**2).sum(axis=1)).sum())


def potentials(
    forces: Forces, extra: Sequence[Force], t: float, x: Floats, v: Floats, m: Floats, moving: NDArray[np.bool_]
) -> dict[str, float]:
    """What each force has stored, J. Of gravity it is zero at the origin of coordinates, without what is held.

    x and v have three columns and a row for each body that is born.
    """
    stored: dict[str, float] = {}
    if any(forces.gravity):
        stored["gravity"] = float(-(m * numerics.product(x, forces.gravity))[moving].sum())
    if forces.springs:
        stored["links"] = _in_springs(forces, x)
    if forces.hinges and len(forces.hinges.k):
        stored["bends"] = _in_hinges(forces, x)
    if forces.attraction:
        place, accel = np.zeros((2, len(x), 4))
        place[:, :3], accel[:, 3] = x, m
        stored["attraction"] = float(_attraction((0,) * 3, forces.attraction, place, accel, len(x)))
    for force in extra:
        energy = force.energy(t, x, v, m)
        if energy is not None:
            stored[force.name] = stored.get(force.name, 0.0) + energy
    return stored


def _apart(forces: Forces, x: Floats, one: NDArray[np.uint32], two: NDArray[np.uint32]) -> Floats:
    d = x[two] - x[one]
    for axis, period in enumerate(forces.periods):
        if period:
            d[:, axis] -= period * np.rint(d[:, axis] / period)
    return np.asarray(d)


def _in_springs(forces: Forces, x: Floats) -> float:
    """Σ k (l - L)² / 2."""
    springs = forces.springs
    there = springs.ends[:, 1] < len(x)
    length = np.sqrt((_apart(forces, x, *springs.ends[there].T) ** 2).sum(axis=1))
    return float(0.5 * (springs.k[there] * (length - springs.rest[there]) ** 2).sum())


def _in_hinges(forces: Forces, x: Floats) -> float:
    """Σ k (θ - θ0)² / 2."""
    hinges = forces.hinges
    there = hinges.bodies.max(axis=1) < len(x)
    one, middle, two = hinges.bodies[there].T
    a, b = _apart(forces, x, middle, one), _apart(forces, x, middle, two)
    angle = numerics.each(math.atan2, np.sqrt((np.cross(a, b) ** 2).sum(axis=1)), (a * b).sum(axis=1))
    return float(0.5 * (hinges.k[there] * (angle - hinges.rest[there]) ** 2).sum())


@kernel
def _attraction(dim: Any, attraction: Any, place: Any, accel: Any, n: Index) -> float:
    return attraction_energy(dim, attraction, place, accel, n)
