"""How many substeps a step of a pile has: enough that it neither shakes nor sinks."""

from __future__ import annotations

import math

import numpy as np

from carom import numerics
from carom.scene import Scene

SUBSTEPS, MOST_SUBSTEPS = 4, 64
"""Of a step of a pile of like balls; one may do beside a cloth, whose springs ask for short steps by themselves."""
SHAKING = 0.035
"""Where q g h² / r is more, with substeps of h, and balls that bear q times their own weight, a pile shakes."""
LIKE = 4.0
"""Up to this load a ball counts as like the others: balls of one density, with radii of 1 to 4."""
CHAIN = 4.0
"""A chain of light balls that bears a heavy one is softer than its load says by this and its length, by trial."""
MOST_BY_LOAD = 256
"""Substeps where heavy balls may lie on light ones."""
HEAVIEST = 1000.0
"""The load up to which a column of light balls was found to stand, with so many substeps."""


def substeps_for(scene: Scene, step: float) -> int:
    """The number of substeps: q g h² / r stays below a number found by trial, up to a limit.

    A contact that has not learnt its load yet overlaps by 0.62 q g h², for its stiffness goes with the mass of the
    lighter ball; and a sweep over the contacts stops a heavy ball by no more than a light one can pass on.
    """
    fewest = 1 if len(scene.triangles) else SUBSTEPS
    like = int(np.clip(math.ceil(step * _rate(scene)), fewest, MOST_SUBSTEPS))
    load = heaviest_load(scene)
    if load <= LIKE:
        return like
    return max(like, min(math.ceil(step * _rate(scene) * math.sqrt(1.0 + CHAIN * (load - LIKE))), MOST_BY_LOAD))


def heaviest_load(scene: Scene) -> float:
    """How many times its own weight the lightest ball bears of the heaviest, if this lies on as many as it covers."""
    balls = scene.balls
    moving = ~balls.fixed & (balls.radius > 0.0)
    if not moving.any():
        return 1.0
    m, r = balls.mass[moving], balls.radius[moving]
    covered = (r / r.min()) ** (scene.dimension - 1)
    return float((m / covered).max() / m.min())


def largest_load(scene: Scene, step: float) -> float:
    """The largest load that does not sink in, with as many substeps as there can be."""
    like = step * _rate(scene)
    return min(HEAVIEST, LIKE + max((MOST_BY_LOAD / like) ** 2 - 1.0, 0.0) / CHAIN) if like > 0.0 else math.inf


def _rate(scene: Scene) -> float:
    """sqrt(q g / (r SHAKING)), 1/s, of like balls: q is the number of layers."""
    balls = scene.balls
    moving = ~balls.fixed & (balls.radius > 0.0)
    radius = float(balls.radius[moving].min(initial=np.inf))
    g = numerics.length(scene.gravity)
    layers = float(moving.sum() ** (1.0 / scene.dimension))
    if scene.boundary.box is not None:
        base = float(np.prod(np.delete(scene.boundary.box.size, int(np.argmax(np.abs(scene.gravity))))))
        layers = float(numerics.power(2.0 * balls.radius[moving], scene.dimension).sum()) / (base * 2.0 * radius)
    return float(np.sqrt(max(layers, 1.0) * g / (SHAKING * radius)))
