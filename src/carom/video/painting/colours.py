"""Colours and drawn radii of balls, as in the laboratory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.views.palette import Palette

Floats = NDArray[np.float64]

STAR_MASS_RATIO = 10.0
"""With attraction, a body heavier than any other by this factor is drawn as a star."""


def rgb(colour: str) -> Floats:
    """A colour, "#rrggbb", as three numbers from 0 to 1."""
    return np.array([int(colour[at : at + 2], 16) / 255.0 for at in (1, 3, 5)])


def mixed(one: Floats, other: Floats, part: float) -> Floats:
    """Mix two colours; `part` is the fraction of the other one."""
    return np.asarray((1.0 - part) * one + part * other)


def ball_colours(scene: Scene, palette: Palette) -> Floats:
    """Colours of the balls by material, individual for balls with a name: rows of red, green, blue."""
    balls = scene.balls
    of = balls.material.codes.astype(np.intp)
    named = [k for k, name in enumerate(balls.name or ()) if name]
    of[named] = len(balls.material.names) + np.arange(len(named))
    kinds = np.array([rgb(palette.plain), *map(rgb, palette.materials)])
    colours = kinds[np.where(of > 0, (of - 1) % len(palette.materials) + 1, 0)]
    shining = star(scene)
    if shining is not None:
        colours[shining] = rgb(palette.star)
    return np.asarray(colours)


def star(scene: Scene) -> int | None:
    """The number of the body that is drawn as a star; None if there is none."""
    mass = scene.balls.mass
    if scene.attraction is None or len(mass) < 2:
        return None
    heaviest = int(np.argmax(mass))
    return heaviest if STAR_MASS_RATIO * float(np.delete(mass, heaviest).max()) < mass[heaviest] else None


def min_radius(count: int) -> float:
    """Smallest drawn radius, px: larger for few balls, so that planets are visible."""
    return 0.75 if count > 2000 else 1.25 if count > 200 else 2.5 if count > 20 else 3.5


def shown_radii(radii: Floats, scales: Floats, count: int, unit: float) -> Floats:
    """Drawn radii, px: to scale, but large enough to be visible."""
    least = min_radius(count) * unit
    return np.maximum(radii * scales, np.where(radii > 0.0, least, max(1.25 * unit, least)))
