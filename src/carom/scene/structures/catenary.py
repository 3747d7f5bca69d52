"""The curve of a hanging rope."""

from __future__ import annotations

from math import asinh, atanh, hypot, sinh, sqrt

import numpy as np

from carom import numerics
from carom.scene.fields.columns import Floats

TAUT = 1e-12
"""Relative excess length below which a line is straight: it would sag by a millionth, within rounding."""
_STEEPEST = 700.0
"""Upper bound for u: sinh(700) is near the largest float."""


def hanging(start: Floats, end: Floats, length: float, count: int) -> Floats:
    """Points at equal distances along a hanging line of a length, m, between two places; y is up.

    Straight if the places are as far apart as the length or further; else the catenary between them,
    y = a cosh((x - c) / a) + const, where x is along the level.
    """
    way = end - start
    rise = float(way[1])
    level = way.copy()
    level[1] = 0.0
    run = numerics.length(level)
    if length <= hypot(run, rise) * (1.0 + TAUT):
        return np.linspace(start, end, count)
    s = np.linspace(0.0, length, count)
    along, up = _loop(s, rise, length) if run == 0.0 else _catenary(s, run, rise, length)
    position: Floats = start + along[:, None] * (level / run if run else level)
    position[:, 1] += up
    position[0], position[-1] = start, end
    return position


def _loop(s: Floats, rise: float, length: float) -> tuple[Floats, Floats]:
    """Horizontal and vertical coordinates of a line that hangs straight down and up again, m."""
    lowest = (length - rise) / 2.0
    return np.zeros_like(s), np.abs(s - lowest) - lowest


def _catenary(s: Floats, run: float, rise: float, length: float) -> tuple[Floats, Floats]:
    """Horizontal and vertical coordinates at distances s along the curve, from its start, m.

    With u = run / 2a the length obeys sinh(u) / u = sqrt(length² - rise²) / run, and its lowest point is at
    c = run / 2 - a artanh(rise / length).
    """
    u = _sinh_over(sqrt((length - rise) * (length + rise)) / run)
    a = run / (2.0 * u)
    begin = atanh(rise / length) - u  # (x - c) / a at the start
    now = numerics.each(asinh, s / a + sinh(begin))
    mean, half = (now + begin) / 2.0, (now - begin) / 2.0
    return a * (now - begin), 2.0 * a * numerics.each(sinh, mean) * numerics.each(sinh, half)


def _sinh_over(ratio: float) -> float:
    """Solve sinh(u) / u = ratio > 1 for u > 0 by bisection, to the last bits."""
    low, high = 0.0, _STEEPEST
    while low < (middle := (low + high) / 2.0) < high:
        if sinh(middle) < ratio * middle:
            low = middle
        else:
            high = middle
    return high
