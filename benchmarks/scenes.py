"""The scenes of benchmarks."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from carom import Polygon, Scene, library


def gas(count: int, packing: float, **more: Any) -> Scene:
    """Equal disks in a periodic square; `more` are options of the generator."""
    return library.load("gas", count=count, packing_fraction=packing, seed=1, **more)


def lossy(count: int, packing: float) -> Scene:
    """A gas that loses energy, restitution 0.9."""
    return gas(count, packing).replace(restitution=0.9)


def masses(count: int, packing: float) -> Scene:
    """A gas whose masses spread evenly over a factor of ten."""
    scene = gas(count, packing)
    mass = scene.balls.mass * np.geomspace(1.0, 10.0, count)[np.random.default_rng(2).permutation(count)]
    return scene.replace(balls=scene.balls.replace(mass=mass))


def falling(count: int, packing: float) -> Scene:
    """A gas between walls under a gravity that its thermal motion easily overcomes."""
    scene = gas(count, packing, periodic=False)
    height = scene.boundary.size[1]
    return scene.replace(gravity=(0.0, -0.5 / height))  # the scale height v²/2g is the height of the box


def star(count: int, packing: float, points: int = 12) -> Scene:
    """A gas in a star with equally many outer and reflex corners, cut from a larger box."""
    angle = np.pi * np.arange(2 * points) / points
    reach = np.where(np.arange(2 * points) % 2, 0.7, 1.0)
    share = 0.25 * 0.7 * np.sin(np.pi / points) * points  # of the star in the square around it
    scene = gas(int(count / share), packing, periodic=False)
    half = 0.5 * scene.boundary.size[0]
    corners = half * (1.0 + reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    kept = inside(scene.balls.position, corners, float(scene.balls.radius.max()))
    return scene.replace(boundary=Polygon(vertices=corners.tolist()), balls=scene.balls[np.flatnonzero(kept)])


def inside(places: Any, corners: Any, radius: float) -> Any:
    """Which disks are entirely inside a polygon: an odd number of edges to the right, and none within a radius."""
    odd = np.zeros(len(places), bool)
    clear = np.ones(len(places), bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        t = np.clip((places - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        clear &= np.hypot(*(places - a - t[:, None] * (b - a)).T) > 1.001 * radius
        crosses = (places[:, 1] < a[1]) != (places[:, 1] < b[1])
        at = a[0] + (places[:, 1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1] or 1.0)
        odd ^= crosses & (places[:, 0] < at)
    return odd & clear


def boxed(count: int, packing: float) -> Scene:
    """A gas between hard walls."""
    return gas(count, packing, periodic=False)


def mixed(count: int, packing: float, ratio: float, fraction: float = 0.5) -> Scene:
    """A gas of two sizes, the `fraction` of the larger ones by number; equal masses."""
    return gas(count, packing, fraction=fraction, radius_ratio=ratio)


def spheres(count: int, packing: float) -> Scene:
    """Equal spheres in a periodic cube."""
    return gas(count, packing, dimension=3)


def late(make: Any, *arguments: Any) -> Any:
    """A function that makes a scene when it is needed."""
    return partial(make, *arguments)
