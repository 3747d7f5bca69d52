"""The colour of each ball, as the laboratory has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.views.palette import Palette

Floats = NDArray[np.float64]

MUCH_HEAVIER = 10.0
"""Where bodies attract each other, one that is so many times as heavy as any other shines."""


def rgb(colour: str) -> Floats:
    """A colour, "#rrggbb", as three numbers from 0 to 1."""
    return np.array([int(colour[at : at + 2], 16) / 255.0 for at in (1, 3, 5)])


def mixed(one: Floats, other: Floats, part: float) -> Floats:
    """So large a part of the other."""
    return np.asarray((1.0 - part) * one + part * other)


def ball_colours(scene: Scene, palette: Palette) -> Floats:
    """By material, and of its own for each ball with a name: rows of red, green, blue."""
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
    """The body about which all others go; None if there is none."""
    mass = scene.balls.mass
    if scene.attraction is None or len(mass) < 2:
        return None
    heaviest = int(np.argmax(mass))
    return heaviest if MUCH_HEAVIER * float(np.delete(mass, heaviest).max()) < mass[heaviest] else None


def least_radius(count: int) -> float:
    """Radius below which no ball is drawn, px: few may be larger, so that planets are seen."""
    return 0.75 if count > 2000 else 1.25 if count > 200 else 2.5 if count > 20 else 3.5


def shown_radii(radii: Floats, scales: Floats, count: int, unit: float) -> Floats:
    """Radii on the picture, px: to scale, and never too small to be seen."""
    least = least_radius(count) * unit
    return np.maximum(radii * scales, np.where(radii > 0.0, least, max(1.25 * unit, least)))
