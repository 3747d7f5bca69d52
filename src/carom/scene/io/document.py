"""Convert a scene to plain tables, lists, numbers and texts for files, without defaults."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.scene.balls import Ball, Balls
from carom.scene.fields.base import Part
from carom.scene.fields.columns import Materials
from carom.scene.fields.quantities import LARGEST
from carom.scene.forces import Attraction, Drag
from carom.scene.friction import Coulomb, Friction
from carom.scene.links import Bends, Links
from carom.scene.materials import Restitution
from carom.scene.model import Scene
from carom.scene.shapes.box import Open
from carom.scene.stepping import Stepping

MAX_TABLES = 100
"""Largest number of balls with one table each; more are written as columns."""


def document(scene: Scene) -> dict[str, Any]:
    """A scene as a table, with keys in the usual order."""
    content: dict[str, Any] = {
        "name": scene.name,
        "description": scene.description,
        "look_at": scene.look_at,
        "gravity": _gravity(scene),
        "drag": _drag(scene.drag),
        "attraction": _attraction(scene.attraction),
        "restitution": _restitution(scene.restitution),
        "friction": _friction(scene.friction),
        "contact_time": scene.contact_time,
        "stepping": _changed(scene.stepping, Stepping.model_fields),
        "view": {"y_down": True} if scene.view.y_down else {},
        "boundary": scene.boundary.table() if scene.boundary != Open() else {},
        "obstacles": [solid.table() for solid in scene.obstacles],
        "balls": _balls(scene.balls),
        "links": _rows(scene.links),
        "bends": _rows(scene.bends),
        "triangles": scene.triangles.tolist(),
    }
    return {key: value for key, value in content.items() if value not in (None, "", [], {})}


def _needs_gravity(scene: Scene) -> bool:
    """True if only gravity determines that an empty scene is in 3D."""
    determined = any(not part.flat for part in (scene.boundary, *scene.obstacles))
    return not determined and not len(scene.balls) and scene.dimension != 2


def _gravity(scene: Scene) -> list[float] | dict[str, Any]:
    if scene.planet is not None:
        named = {"G": scene.planet.G, "M": scene.planet.M, "R": scene.planet.R}
        return named | _changed(scene.planet, ("down",))
    return list(scene.gravity) if any(scene.gravity) or _needs_gravity(scene) else []


def _drag(drag: Drag | None) -> float | dict[str, Any] | None:
    if drag is None:
        return None
    return _changed(drag, Drag.model_fields) if drag.quadratic else drag.linear


def _attraction(attraction: Attraction | None) -> dict[str, Any] | None:
    """A table; it always has G, as an empty table would be left out."""
    return None if attraction is None else {"G": attraction.G} | _changed(attraction, Attraction.model_fields)


def _restitution(restitution: Restitution) -> float | dict[str, Any] | None:
    between, at_walls = restitution.ball_ball, restitution.ball_wall
    if restitution.pairs:
        pairs = [{"materials": list(pair.materials), "value": pair.value} for pair in restitution.pairs]
        return {"ball_ball": between, "ball_wall": at_walls, "pairs": pairs}
    if between != at_walls:
        return {"ball_ball": between, "ball_wall": at_walls}
    return None if between == 1.0 else between


def _friction(friction: Friction) -> Any:
    between, at_walls = _coulomb(friction.ball_ball), _coulomb(friction.ball_wall)
    if friction.pairs:
        pairs = [{"materials": list(pair.materials), "value": _coulomb(pair.value)} for pair in friction.pairs]
        return {"ball_ball": between, "ball_wall": at_walls, "pairs": pairs}
    if between != at_walls:
        return {"ball_ball": between, "ball_wall": at_walls}
    return between or None


def _coulomb(value: Coulomb) -> float | dict[str, float]:
    return value.static if value.static == value.dynamic else {"static": value.static, "dynamic": value.dynamic}


def _balls(balls: Balls) -> list[dict[str, Any]] | dict[str, Any]:
    return [_ball(ball) for ball in balls] if len(balls) <= MAX_TABLES else _columns(balls)


def _ball(ball: Ball) -> dict[str, Any]:
    content: dict[str, Any] = {"position": list(ball.position)}
    if any(ball.velocity):
        content["velocity"] = list(ball.velocity)
    return content | _changed(ball, ("mass", "radius", "fixed", "material", "name", "born"))


def _changed(part: Part, names: Iterable[str]) -> dict[str, Any]:
    """The fields that differ from their defaults."""
    fields = type(part).model_fields
    return {name: getattr(part, name) for name in names if getattr(part, name) != fields[name].default}


def _columns(balls: Balls) -> dict[str, Any]:
    content: dict[str, Any] = {"position": balls.position.tolist()}
    if balls.velocity.any():
        content["velocity"] = balls.velocity.tolist()
    for name in ("mass", "radius", "fixed", "born"):
        value = _column(getattr(balls, name))
        if value != Balls.model_fields[name].default:
            content[name] = value
    if balls.material.names != ("ball",):
        content["material"] = _words(balls.material)
    if balls.name:
        content["name"] = [name or "" for name in balls.name]
    return content


def _column(column: NDArray[Any]) -> Any:
    """One value if all are equal, else the list of values."""
    return column[0].item() if (column == column[0]).all() else column.tolist()


def _rows(rows: Links | Bends) -> list[dict[str, Any]] | dict[str, Any]:
    first, *others = rows.columns()
    if len(rows) <= MAX_TABLES:
        return [{first: list(getattr(row, first)), **_changed(row, others)} for row in rows]
    content = {first: rows.numbers.tolist()}
    for name in others:
        column = getattr(rows, name)
        content[name] = _column(np.where(np.isinf(column), LARGEST, column))  # JSON has no infinity
    return content


def _words(materials: Materials) -> str | list[str]:
    names = np.array(materials.names)
    return materials.names[0] if len(names) == 1 else names[materials.codes].tolist()
