"""The state from which a run goes on after an edit: who stays keeps the anchor, and so the motion to the last bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.solvers.exact.balls import MOVING, Anchors
from carom.solvers.exact.world import Contact, World

Floats = NDArray[np.float64]


def carried(
    before: World,
    scene: Scene,
    origin: NDArray[np.intp],
    now: float,
    places: Floats,
    velocities: Floats,
    *,
    around: bool,
) -> World:
    """The world of an edited scene; `origin` is each ball's number before, or -1. Now is in s after the origin."""
    world = World.of(scene)
    _carry(before.anchors, world.anchors, origin, now)
    if around:
        _anchor_here(world.anchors, now, places, velocities, everyone=before.gravity != world.gravity)
    if scene.contact_time is None:
        world.contact = Contact(*map(max, world.contact, before.contact))
    world.origin, world.now, world.epoch_end = before.origin, now, before.epoch_end
    world.counts = {**before.counts, "still": 0, "idle": 0}
    return world


def _carry(old: Anchors, new: Anchors, origin: NDArray[np.intp], now: float) -> None:
    """Give the rows of `new` that come from a row of `old` its anchor; the others are anchored now."""
    stay = origin >= 0
    rows = origin[stay]
    new.time[:] = now
    for name in MOVING:
        getattr(new, name)[stay] = getattr(old, name)[rows]


def _anchor_here(anchors: Anchors, now: float, places: Floats, velocities: Floats, *, everyone: bool) -> None:
    """Anchor balls now, free: everyone when gravity has changed, else those on a wall that may be gone."""
    rows = np.flatnonzero((anchors.rest_on >= 0) | (everyone & ~anchors.fixed))
    anchors.place[rows] = places[rows]
    anchors.velocity[rows] = velocities[rows]
    anchors.time[rows] = now
    anchors.rest_on[rows] = -1
