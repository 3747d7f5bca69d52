"""Edits of a live run as values: balls or surroundings that are added, removed or changed.

Nothing here changes the run itself; `Editor` applies an edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.errors import ArgumentError, SceneError
from carom.scene import Ball, Balls, Link, Links, Restitution, Scene
from carom.scene.fields.base import shown
from carom.scene.placement import check

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """Positions, m, and velocities, m/s, of all balls at an instant: rows of three."""

    places: Floats
    velocities: Floats


@dataclass(frozen=True)
class Edit:
    """The scene after an edit, and the origin of its balls."""

    scene: Scene
    """Balls that stay are in it as they were before the run moved them."""
    origin: NDArray[np.intp]
    """For each ball its number before the edit, or -1 if it is new; a changed ball is new."""
    around: bool = False
    """True if anything but balls has changed."""

    def checked_scene(self, motion: Motion, before: Scene | None = None) -> Scene:
        """The scene with the balls at their present positions; a `SceneError` if balls overlap or are misplaced.

        `before` is the scene before the edit, for the stepped solver: pairs that overlapped already are accepted, as
        its steps leave small overlaps in crowds.
        """
        scene = self.unchecked_scene(motion)
        if self._is_clear(scene):
            return scene
        problems = check.problems(scene)
        if problems and before is not None:
            problems = check.problems(scene, excused=self._overlapping(before, motion))
        if problems:
            raise SceneError(problems)
        return scene

    def _is_clear(self, scene: Scene) -> bool:
        """True if a quick check finds that the new balls overlap nothing, and no other ball has changed its number."""
        new = self.origin < 0
        same = not self.around and bool((self.origin == np.arange(len(new)))[~new].all())
        return same and bool(new.any()) and check.is_clear(scene, np.flatnonzero(new))

    def _overlapping(self, before: Scene, motion: Motion) -> NDArray[np.intp]:
        """Pairs of balls that stay and overlapped before the edit."""
        number = np.full(len(before.balls), -1)
        stay = np.flatnonzero(self.origin >= 0)
        number[self.origin[stay]] = stay
        balls = before.balls.replace(position=motion.places[:, : before.dimension])
        pairs = number[check.overlapping(before.replace(balls=balls))]
        return np.asarray(pairs[(pairs >= 0).all(axis=1)])

    def unchecked_scene(self, motion: Motion) -> Scene:
        """The scene with the balls at their present positions, without checks."""
        balls, d = self.scene.balls, self.scene.dimension
        stay = self.origin >= 0
        rows = self.origin[stay]
        places, velocities = np.array(balls.position), np.array(balls.velocity)
        places[stay], velocities[stay] = motion.places[rows, :d], motion.velocities[rows, :d]
        velocities[balls.fixed] = 0.0  # a driven ball moves, but has no velocity of its own
        return self.scene.with_balls(balls.moved(places, velocities))


# Kinds of edits.


def addition(scene: Scene, balls: Ball | Balls | Sequence[Ball | Balls]) -> Edit:
    """Append balls."""
    given: Any = balls
    given = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    for each in given:
        if not isinstance(each, Ball | Balls):
            raise ArgumentError.of("add.not-a-ball", where="add", value=shown(each))
    new = Balls.concatenate(given)
    together = Balls.concatenate([scene.balls, new])
    origin = np.concatenate([np.arange(len(scene.balls)), np.full(len(new), -1)])
    return Edit(scene.with_balls(together), origin)


def removal(scene: Scene, numbers: Sequence[int]) -> Edit:
    """Remove balls; the numbers of later balls decrease."""
    gone = set(numbers)
    stay = _numbers([k for k in range(len(scene.balls)) if k not in gone])
    return Edit(scene.with_only(stay), stay)


def ball_change(scene: Scene, k: int, motion: Motion, changes: dict[str, Any]) -> Edit:
    """Change ball k; its other properties stay as they are now."""
    d = scene.dimension
    present = {"position": motion.places[k, :d], "velocity": motion.velocities[k, :d]}
    ball = scene.balls[k].replace(**{**present, **changes})
    balls = Balls.concatenate([scene.balls[:k], ball, scene.balls[k + 1 :]])
    return Edit(scene.replace(balls=balls), _numbers([j if j != k else -1 for j in range(len(balls))]))


def balls_change(scene: Scene, numbers: Sequence[int], motion: Motion, columns: dict[str, Any]) -> Edit:
    """Change columns of several balls; their other properties stay as they are now."""
    rows = _numbers(numbers)
    if len(np.unique(rows)) < len(rows):
        raise ArgumentError.of("change.ball-twice", where="indices")
    if np.ndim(columns.get("position", rows)) and len(columns.get("position", rows)) != len(rows):
        raise ArgumentError.of("change.places", where="position", places=len(columns["position"]), balls=len(rows))
    d, count = scene.dimension, len(scene.balls)
    some = scene.balls[rows]
    still = np.where(some.fixed[:, None], 0.0, motion.velocities[rows, :d])  # a fixed ball may be driven
    others = some.replace(**{"position": motion.places[rows, :d], "velocity": still, **columns})
    order = np.arange(count)
    order[rows] = count + np.arange(len(rows))
    balls = Balls.concatenate([scene.balls, others])[order]
    return Edit(scene.replace(balls=balls), np.where(order < count, order, -1).astype(np.intp))


def scene_change(scene: Scene, changes: dict[str, Any]) -> Edit:
    """Change anything but the balls."""
    if "balls" in changes:
        raise ArgumentError.of("update.balls", where="balls")
    if "stepping" in changes:
        raise ArgumentError.of("update.stepping", where="stepping")
    other = scene.replace(**changes)
    return Edit(other.replace(balls=scene.balls), _numbers(range(len(other.balls))), around=True)


def merger(scene: Scene, pairs: NDArray[np.intp], motion: Motion) -> tuple[Edit, NDArray[np.intp]]:
    """Merge the balls of each pair into one; also the balls that remain, by their numbers before.

    A merged ball is larger than each of its parts: any ball that it overlaps is merged into it, too.
    """
    while True:
        edit, left = _merged(scene, pairs, motion)
        more = check.overlapping(edit.unchecked_scene(motion))
        if not len(more):
            return edit, left
        pairs = np.concatenate([pairs, left[more]])


def _merged(scene: Scene, pairs: NDArray[np.intp], motion: Motion) -> tuple[Edit, NDArray[np.intp]]:
    """Merge each connected group of pairs into one ball with their mass, momentum, centre of mass, and volume.

    It has the number and the material of the first ball of the group, and the name of the heaviest named one.
    """
    balls, d = scene.balls, scene.dimension
    group = np.arange(len(balls))
    for one, two in pairs:
        group[group == max(group[one], group[two])] = min(group[one], group[two])
    places, velocities = motion.places[:, :d].copy(), motion.velocities[:, :d].copy()
    mass, radius, fixed, names = balls.mass.copy(), balls.radius.copy(), balls.fixed.copy(), list(balls.name or ())
    origin = np.arange(len(balls))
    for first in np.unique(group[np.bincount(group, minlength=len(balls))[group] > 1]):
        members = np.flatnonzero(group == first)
        m = balls.mass[members]
        anchor = members[fixed[members]]
        places[first] = places[anchor[0]] if anchor.size else numerics.product(m, places[members]) / m.sum()
        velocities[first] = 0.0 if anchor.size else numerics.product(m, velocities[members]) / m.sum()
        mass[first], radius[first] = m.sum(), numerics.power(balls.radius[members], d).sum() ** (1.0 / d)
        fixed[first], origin[first] = anchor.size > 0, -1
        if names:
            named = [k for k in members[np.argsort(-m)] if names[k]]
            names[first] = names[named[0]] if named else None
    stay = np.flatnonzero(group == np.arange(len(balls)))
    merged = balls.replace(
        position=places, velocity=velocities, mass=mass, radius=radius, fixed=fixed, name=names or None
    )[stay]
    return Edit(scene.replace(balls=merged, **scene.connections_of(stay)), origin[stay]), stay


def link_addition(scene: Scene, link: Link, motion: Motion) -> Edit:
    """Append a link; its default length is the present distance of its ends."""
    if link.length is None:
        i, j = link.between
        apart = numerics.length(motion.places[j] - motion.places[i])
        link = link.replace(length=apart) if apart > 0.0 else link
    return scene_change(scene, {"links": Links.concatenate([scene.links, link])})


def link_removal(scene: Scene, pair: set[int]) -> Edit:
    """Remove all links between two balls."""
    gone = np.asarray(np.isin(scene.links.between, list(pair)).all(axis=1))
    if not gone.any():
        raise ArgumentError.of("unlink.none", where="unlink", balls=sorted(pair))
    return scene_change(scene, {"links": scene.links[~gone]})


def wall_change(scene: Scene, restitution: float | Restitution | None, material: Any) -> Edit:
    """Change the restitution or the material of the walls."""
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
