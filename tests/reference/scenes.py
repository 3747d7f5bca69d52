"""Scenes for tests: made from a seed, or from plain formulas where the very bits matter."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom import Ball, Balls, Box, Scene
from carom.scene.placement import check


def scattered(
    seed: int,
    size: Sequence[float],
    count: int,
    radius: tuple[float, float],
    mass: tuple[float, float] = (0.5, 2.0),
    margin: float = 0.0,
) -> Balls:
    """Balls at random places between walls of the size, none nearer to a wall or to each other than the margin."""
    rng = np.random.default_rng(seed)
    r = rng.uniform(*radius, count)
    sides = np.array(size)
    places: list[Any] = []
    for _ in range(100_000):
        k = len(places)
        if k == count:
            break
        p = rng.uniform(r[k] + margin, sides - (r[k] + margin))
        if all(np.linalg.norm(p - q) > r[k] + r[j] + margin for j, q in enumerate(places)):
            places.append(p)
    assert len(places) == count, "the balls do not fit"
    velocity = rng.normal(size=(count, len(size)))
    return Balls(position=np.array(places), velocity=velocity, mass=rng.uniform(*mass, count), radius=r)


def box_scene(seed: int, periodic: Sequence[bool], count: int = 24, **others: Any) -> Scene:
    """A gas of mixed masses and radii in a box of unequal sides."""
    size = (1.0, 1.125, 0.875)[: len(periodic)]
    balls = scattered(seed, size, count, (0.03, 0.07) if len(size) == 2 else (0.05, 0.11))
    return Scene(boundary=Box(size=size, periodic=periodic), balls=balls, **others)


def weyl(k: int, step: float) -> float:
    """The k-th point in [0, 1) of a low-discrepancy sequence, whose bits do not depend on a library."""
    return math.fmod(k * step, 1.0)


def lattice_scene(rows: int, d: int, periodic: Sequence[bool], radius: float = 0.375, **others: Any) -> Scene:
    """rows^d balls on a square lattice of spacing 1, with velocities by a formula in exact fractions."""
    count = rows**d
    index = np.arange(count)
    places = np.stack([(index // rows**axis) % rows + 0.5 for axis in range(d)], axis=1)
    steps = (0.6180339887498949, 0.41421356237309515, 0.7320508075688772)
    velocity = np.array([[weyl(k + 1, step) - 0.5 for step in steps[:d]] for k in range(count)])
    return Scene(
        boundary=Box(size=(float(rows),) * d, periodic=periodic),
        balls=Balls(
            position=places, velocity=velocity, mass=1.0 + 0.25 * (index % 4), radius=radius - (index % 3) / 16.0
        ),
        **others,
    )


def filled(scene: Scene, low: Sequence[float], high: Sequence[float], radii: Sequence[float], seed: int) -> Scene:
    """Add a ball of each radius at a free place in a box; masses 1/2 to 2, speeds about 1."""
    rng = np.random.default_rng(seed)
    for radius in radii:
        for _ in range(1000):
            ball = Ball(
                position=rng.uniform(low, high),
                velocity=rng.normal(size=len(low)),
                mass=rng.uniform(0.5, 2.0),
                radius=radius,
            )
            trial = scene.replace(balls=[scene.balls, ball] if len(scene.balls) else [ball])
            if not check.problems(trial):
                scene = trial
                break
        else:
            raise AssertionError("the balls do not fit")
    return scene
