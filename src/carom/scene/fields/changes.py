"""Keyword arguments for changes of balls, links and scenes, typed for type checkers and completion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from carom.scene.balls import Ball, Balls
    from carom.scene.forces import Attraction, Drag, GravityLike
    from carom.scene.friction import Coulomb, Friction
    from carom.scene.links import Bend, Bends, Link, Links
    from carom.scene.materials import Restitution
    from carom.scene.model import View
    from carom.scene.shapes.base import Boundary, Obstacle
    from carom.scene.stepping import Stepping
    from carom.scene.structures import Structure

__all__ = ["BallChanges", "BallsChanges", "LinkOptions", "SceneChanges", "SurroundingsChanges"]


class BallChanges(TypedDict, total=False):
    """Changes of one ball."""

    position: ArrayLike
    velocity: ArrayLike
    mass: float
    radius: float
    fixed: bool
    material: str
    name: str | None
    born: float


class BallsChanges(TypedDict, total=False):
    """Changes of several balls: one value for all, or one per ball."""

    position: ArrayLike
    velocity: ArrayLike
    mass: ArrayLike
    radius: ArrayLike
    fixed: ArrayLike
    material: str | Sequence[str] | ArrayLike
    name: Sequence[str | None] | None
    born: ArrayLike


class LinkOptions(TypedDict, total=False):
    """Options of a link besides its balls and its stiffness."""

    damping: float
    length: float | None
    breaking: float | None


class SurroundingsChanges(TypedDict, total=False):
    """Changes of a running scene: all fields but balls and stepping."""

    boundary: Boundary
    links: Links | Sequence[Link | Links]
    bends: Bends | Sequence[Bend | Bends]
    triangles: ArrayLike
    structures: Sequence[Structure]
    obstacles: Sequence[Obstacle]
    gravity: GravityLike
    drag: float | Drag | None
    attraction: Attraction | None
    restitution: float | Restitution
    friction: float | Coulomb | Friction
    contact_time: float | None
    name: str
    description: str
    look_at: str
    view: View


class SceneChanges(SurroundingsChanges, total=False):
    """Arguments of `Scene.replace`."""

    balls: Balls | Sequence[Ball | Balls]
    stepping: Stepping
