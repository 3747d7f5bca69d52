"""Editing a live run: who comes, goes or changes, and the state from which the run goes on.

Nothing here touches the run itself: an edit is a value, and so is what becomes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import Problem, SceneError
from carom.scene import Ball, Balls, Restitution, Scene
from carom.world import placement
from carom.world.anchors import Anchors, World

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Moment:
    """A run as it stands: its anchors, and where all balls are now, in rows of three."""

    world: World
    time: float
    """Now, s after the world's origin."""
    places: Floats
    velocities: Floats


@dataclass(frozen=True)
class Edit:
    """What is to exist, and where its balls come from."""

    scene: Scene
    """Balls that stay are in it as they were when they were last edited."""
    origin: NDArray[np.intp]
    """Of each ball its number before, or -1 if it is new; a changed ball is new."""
    around: bool = False
    """Has anything changed that is not a ball?"""

    def outcome(self, moment: Moment) -> tuple[Scene, World]:
        """The scene as it is now, and the world in which the run goes on; a `SceneError` if that cannot be.

        Balls that stay keep their anchors, and so their motion to the last bit.
        """
        scene = self._present(moment)
        problems = placement.problems(scene)
        if problems:
            raise SceneError(problems)
        before, world = moment.world, World.of(self.scene)
        _carry(before.anchors, world.anchors, self.origin, moment.time)
        if self.around:
            _anchor_here(world.anchors, moment, everyone=before.gravity != world.gravity)
        if self.scene.contact_time is None:
            world.contact_time = max(world.contact_time, before.contact_time)
        world.origin, world.now, world.events, world.counts = before.origin, moment.time, before.events, before.counts
        return scene, world

    def _present(self, moment: Moment) -> Scene:
        """The scene with the balls that stay where they are now."""
        balls, d = self.scene.balls, self.scene.dimension
        stay = self.origin >= 0
        rows = self.origin[stay]
        places, velocities = np.array(balls.position), np.array(balls.velocity)
        places[stay], velocities[stay] = moment.places[rows, :d], moment.velocities[rows, :d]
        return self.scene.replace(balls=balls.replace(position=places, velocity=velocities))


# What can be edited.


def addition(scene: Scene, balls: Ball | Balls | Sequence[Ball | Balls]) -> Edit:
    """More balls, after those that are there."""
    new = Balls.concatenate(balls if isinstance(balls, Sequence) else [balls])
    together = Balls.concatenate([scene.balls, new])
    return Edit(scene.replace(balls=together), _numbers([*range(len(scene.balls)), *(-1 for _ in range(len(new)))]))


def removal(scene: Scene, indices: int | Sequence[int]) -> Edit:
    """Fewer balls; those after them move up."""
    gone = {_index(scene, k) for k in ([indices] if isinstance(indices, int | np.integer) else indices)}
    stay = _numbers([k for k in range(len(scene.balls)) if k not in gone])
    return Edit(scene.replace(balls=scene.balls[stay]), stay)


def ball_change(scene: Scene, index: int, moment: Moment, changes: dict[str, Any]) -> Edit:
    """Another ball in the place of one; what is not said is as it is now."""
    k, d = _index(scene, index), scene.dimension
    present = {"position": moment.places[k, :d], "velocity": moment.velocities[k, :d]}
    ball = scene.balls[k].replace(**{**present, **changes})
    balls = Balls.concatenate([scene.balls[:k], ball, scene.balls[k + 1 :]])
    return Edit(scene.replace(balls=balls), _numbers([j if j != k else -1 for j in range(len(balls))]))


def scene_change(scene: Scene, changes: dict[str, Any]) -> Edit:
    """The same balls among other things."""
    if "balls" in changes:
        remedy = "Use add, remove or change for balls."
        raise SceneError([Problem("balls", "cannot be changed together with the rest of a running scene", remedy)])
    other = scene.replace(**changes)
    return Edit(other.replace(balls=scene.balls), _numbers(range(len(other.balls))), around=True)


def wall_change(scene: Scene, restitution: float | Restitution | None, material: Any) -> Edit:
    """The same balls between walls that do something else, or are made of something else."""
    changes: dict[str, Any] = {}
    if isinstance(restitution, Restitution):
        changes["restitution"] = restitution
    elif restitution is not None:
        changes["restitution"] = scene.restitution.replace(ball_wall=restitution)
    if material is not None:
        changes["boundary"] = scene.boundary.replace(material=material)
    return scene_change(scene, changes)


def _numbers(values: Sequence[int]) -> NDArray[np.intp]:
    return np.array(values, dtype=np.intp)


def _index(scene: Scene, index: int) -> int:
    count = len(scene.balls)
    given: Any = index
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not -count <= given < count:
        raise SceneError([Problem("index", f"there is no ball {given!r}", f"Use a number from 0 to {count - 1}.")])
    return int(given) % count


# What becomes of the anchors.


def _carry(old: Anchors, new: Anchors, origin: NDArray[np.intp], now: float) -> None:
    """Give the rows of `new` that come from a row of `old` its anchor; the others are anchored now."""
    stay = origin >= 0
    rows = origin[stay]
    new.time[:] = now
    for name in ("place", "velocity", "time", "hit", "rest_on", "streak", "turns"):
        getattr(new, name)[stay] = getattr(old, name)[rows]


def _anchor_here(anchors: Anchors, moment: Moment, *, everyone: bool) -> None:
    """Anchor balls now, free: everyone when gravity has changed, else those on a wall that may be gone."""
    rows = np.flatnonzero((anchors.rest_on >= 0) | (everyone & ~anchors.fixed))
    anchors.place[rows] = moment.places[rows]
    anchors.velocity[rows] = moment.velocities[rows]
    anchors.time[rows] = moment.time
    anchors.rest_on[rows] = -1
