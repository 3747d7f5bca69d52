"""A scene as plain tables, lists, numbers and words, as files hold them; what is at its default is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from carom.scene.balls import Ball, Balls
from carom.scene.boundary import Boundary, Box, Obstacle, Open
from carom.scene.columns import Materials
from carom.scene.materials import Restitution
from carom.scene.model import Scene
from carom.scene.polygon import Circle, Polygon

FEW = 100
"""Up to so many balls are written one table each; more, as a table of columns."""


def document(scene: Scene) -> dict[str, Any]:
    """The scene in the order in which a person would write it."""
    content: dict[str, Any] = {
        "name": scene.name,
        "description": scene.description,
        "look_at": scene.look_at,
        "gravity": list(scene.gravity) if any(scene.gravity) or _needs_gravity(scene) else [],
        "restitution": _restitution(scene.restitution),
        "contact_time": scene.contact_time,
        "view": {"y_down": True} if scene.view.y_down else {},
        "boundary": {} if isinstance(scene.boundary, Open) else _solid(scene.boundary),
        "obstacles": [_solid(solid) for solid in scene.obstacles],
        "balls": _balls(scene.balls),
    }
    return {key: value for key, value in content.items() if value not in (None, "", [], {})}


def _needs_gravity(scene: Scene) -> bool:
    """Does nothing but the gravity tell that an empty scene has three dimensions?"""
    told = not isinstance(scene.boundary, Open) or len(scene.balls) or scene.obstacles
    return not told and scene.dimension != 2


def _restitution(restitution: Restitution) -> float | dict[str, Any] | None:
    between, at_walls = restitution.ball_ball, restitution.ball_wall
    if restitution.pairs:
        pairs = [{"materials": list(pair.materials), "value": pair.value} for pair in restitution.pairs]
        return {"ball_ball": between, "ball_wall": at_walls, "pairs": pairs}
    if between != at_walls:
        return {"ball_ball": between, "ball_wall": at_walls}
    return None if between == 1.0 else between


def _solid(part: Boundary | Obstacle) -> dict[str, Any]:
    content: dict[str, Any] = {"kind": part.kind}
    if isinstance(part, Box):
        content["size"] = list(part.size)
        if any(part.periodic):
            content["periodic"] = _alike(part.periodic)
    elif isinstance(part, Circle):
        content |= {"centre": list(part.centre), "radius": part.radius}
    elif isinstance(part, Polygon):
        content["vertices"] = [list(vertex) for vertex in part.vertices]
        if any(part.bulges):
            content["bulges"] = list(part.bulges)
    if not isinstance(part, Open):
        material = _alike(part.material) if isinstance(part.material, tuple) else part.material
        content |= {} if material == "wall" else {"material": material}
    if isinstance(part, Polygon) and part.holes:
        content["holes"] = [_solid(hole) for hole in part.holes]
    return content


def _alike(values: Sequence[Any]) -> Any:
    """One value if all are the same, else the list of them."""
    return values[0] if len(set(values)) == 1 else list(values)


def _balls(balls: Balls) -> list[dict[str, Any]] | dict[str, Any]:
    return [_ball(ball) for ball in balls] if len(balls) <= FEW else _columns(balls)


def _ball(ball: Ball) -> dict[str, Any]:
    content: dict[str, Any] = {"position": list(ball.position)}
    if any(ball.velocity):
        content["velocity"] = list(ball.velocity)
    return content | _changed(ball, ("mass", "radius", "fixed", "material", "name"))


def _changed(ball: Ball, names: Iterable[str]) -> dict[str, Any]:
    """The fields that are not at their default."""
    return {name: getattr(ball, name) for name in names if getattr(ball, name) != Ball.model_fields[name].default}


def _columns(balls: Balls) -> dict[str, Any]:
    content: dict[str, Any] = {"position": balls.position.tolist()}
    if balls.velocity.any():
        content["velocity"] = balls.velocity.tolist()
    for name in ("mass", "radius", "fixed"):
        column = getattr(balls, name)
        value = column[0].item() if (column == column[0]).all() else column.tolist()
        if value != Balls.model_fields[name].default:
            content[name] = value
    if balls.material.names != ("ball",):
        content["material"] = _words(balls.material)
    if balls.name:
        content["name"] = [name or "" for name in balls.name]
    return content


def _words(materials: Materials) -> str | list[str]:
    names = np.array(materials.names)
    return materials.names[0] if len(names) == 1 else names[materials.codes].tolist()
