"""What a step of an integrator does to an oscillation, and so how long it may be.

For x'' = -γ x' - ω² x a step is a matrix M of (x, v dt), which depends on z = ω dt and g = γ dt alone. It is stable if
no eigenvalue is beyond the unit circle, which of a 2×2 matrix is so if |tr M| ≤ 1 + det M and det M ≤ 1 (E. I. Jury,
Theory and Application of the z-Transform Method, 1964): eigenvalues that fall together on the circle, where an undamped
oscillation begins to grow, are no trouble to these two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from carom.solvers.stepped.integrators.cards import Integrator

Matrix = NDArray[np.float64]

ROUNDING = 1e-12
"""What rounding may add to a trace or a determinant, which are about 1."""
MESH, FARTHEST = 0.01, 20.0
"""How closely z and g are looked at, and how far: the steps of an explicit integrator end long before."""
DIGITS = 9
"""Significant digits of a limit."""


def amplification(one: Integrator, z: float, g: float = 0.0) -> Matrix:
    """M for z = ω dt and g = γ dt, as the kernels step."""
    if one.kind == "runge-kutta":
        return _by_slopes(one, np.array([[0.0, 1.0], [-z * z, -g]]))
    if one.kind == "splitting":
        return _by_parts(one, z, g)
    return _by_verlet(z, g)


def _by_verlet(z: float, g: float) -> Matrix:
    """Verlet: x' = x + w + α/2, α' = -z² x' - g (w + α), w' = w + (α + α')/2.

    With damping, α is no function of x and w but a third number: it was asked with the velocity before.
    """
    if g == 0.0:
        return np.array([[1.0 - 0.5 * z * z, 1.0], [-z * z * (1.0 - 0.25 * z * z), 1.0 - 0.5 * z * z]])
    x, w, pull = np.eye(3)
    place = x + w + 0.5 * pull
    later = -z * z * place - g * (w + pull)
    return np.array([place, w + 0.5 * (pull + later), later])


def _by_slopes(one: Integrator, slope: Matrix) -> Matrix:
    """A Runge-Kutta method: 1 + Σ b_i K_i with K_i = A (1 + Σ a_ij K_j)."""
    slopes: list[Matrix] = []
    for row in one.stages:
        slopes.append(slope @ sum((part * each for part, each in zip(row, slopes, strict=True)), np.eye(2)))
    return np.asarray(sum((part * each for part, each in zip(one.weights, slopes, strict=True)), np.eye(2)))


def _by_parts(one: Integrator, z: float, g: float) -> Matrix:
    """A splitting: drifts x += c w, and kicks w += c α, with α of the middle of the kick where it depends on w."""
    result = np.eye(2)
    for move, c in one.moves:
        half = 1.0 - 0.5 * c * g  # of α at the middle of a kick
        part = [[1.0, c], [0.0, 1.0]] if move == "drift" else [[1.0, 0.0], [-c * z * z * half, 1.0 - c * g * half]]
        result = np.array(part) @ result
    return result


def is_stable(matrix: Matrix) -> bool:
    """Does no motion grow?"""
    if len(matrix) > 2:
        return growth(matrix) <= 1.0 + ROUNDING
    trace, determinant = float(np.trace(matrix)), float(np.linalg.det(matrix))
    return abs(trace) <= 1.0 + determinant + ROUNDING and determinant <= 1.0 + ROUNDING


def growth(matrix: Matrix) -> float:
    """The spectral radius: by so much the motion grows in a step that grows most."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


@cache
def stable_oscillation(one: Integrator) -> float:
    """The largest ω dt up to which an undamped oscillation does not grow; 0 if any does."""
    return _largest(lambda z: is_stable(amplification(one, z)))


@cache
def stable_damping(one: Integrator) -> float:
    """The largest γ dt up to which a velocity that is damped does not grow."""
    return _largest(lambda g: is_stable(amplification(one, 0.0, g)))


@cache
def bearable_oscillation(one: Integrator) -> float:
    """The largest ω dt that is of use: a stable one, or, of an integrator that has none, one that grows slowly.

    It gains less energy in a period 2π/ω than it has: growing by ρ in a step, ρ^(4π/z) ≤ 2.
    """

    def slow(z: float) -> bool:
        return 4.0 * math.pi / z * math.log(growth(amplification(one, z))) <= math.log(2.0)

    return stable_oscillation(one) or _largest(slow)


def _largest(holds: Callable[[float], bool]) -> float:
    """The largest number up to which something holds; 0 if it does nowhere."""
    low = 0.0
    while low + MESH <= FARTHEST and holds(low + MESH):
        low += MESH
    if low == 0.0:
        return 0.0
    high = low + MESH
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if holds(middle) else (low, middle)
    scale = 10.0 ** (DIGITS - 1 - math.floor(math.log10(low)))
    return math.floor(low * scale) / scale
