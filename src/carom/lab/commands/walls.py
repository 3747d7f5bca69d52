"""Commands of walls: choose, drag and move corners."""

from __future__ import annotations

from typing import Any

from carom.lab.bench.session import Does, Session
from carom.lab.commands.arguments import direction, refusal, vector
from carom.lab.commands.arguments import index as one_of
from carom.scene import Box, Scene
from carom.scene.shapes.base import Shape

Corner = tuple[str | int, int]
""""boundary" or the number of an obstacle, and the number of the corner."""


def corners(scene: Scene) -> list[tuple[Corner, tuple[float, float]]]:
    """All movable corners and their positions, as the stage shows them."""
    if scene.dimension != 2:
        return []
    shapes: list[tuple[str | int, Shape]] = [("boundary", scene.boundary), *enumerate(scene.obstacles)]
    return [((name, k), place) for name, part in shapes for k, place in enumerate(part.handles)]


def select_corner(session: Session, steps: Any) -> None:
    """Choose the next or previous corner of a wall, and clear the selection; arrow keys then move the corner."""
    known = [corner for corner, _ in corners(session.track.scene)]
    if not known:
        raise refusal("corner.none")
    by = direction("steps", steps)
    here = known.index(session.corner) if session.corner in known else (-1 if by > 0 else 0)
    session.selected, session.corner = (), known[(here + by) % len(known)]


def nudge_corner(session: Session, axis: int, by: float) -> None:
    """Move the chosen corner along an axis, m."""
    place = dict(corners(session.track.scene)).get(session.corner)  # type: ignore[arg-type]  # None is no key of it
    if session.corner is None or place is None:
        raise refusal("corner.gone")
    to = [*place]
    to[axis] += by
    drag_corner(session, *session.corner, to)


def drag_corner(session: Session, shape: Any, corner: Any, position: Any) -> None:
    """Move a corner of the boundary or of an obstacle."""
    session.settle()
    sim = session.track.sim.copy()
    scene = sim.scene
    to = vector("position", position, scene.dimension)[:2]
    if shape == "boundary":
        changes: dict[str, Any] = {"boundary": _with_corner(scene.boundary, corner, to)}
    else:
        k = one_of("shape", shape, len(scene.obstacles))
        other = _with_corner(scene.obstacles[k], corner, to)
        changes = {"obstacles": (*scene.obstacles[:k], other, *scene.obstacles[k + 1 :])}
    sim.change_scene(**changes)
    session.edit("drag-corner", sim, about=("drag-corner", str(shape), corner))


def _with_corner(part: Shape, corner: Any, to: tuple[float, ...]) -> Shape:
    if part.handles:
        return part.with_handle(one_of("corner", corner, len(part.handles)), to)
    if isinstance(part, Box):
        if one_of("corner", corner, 4) != 2:
            raise refusal("corner.of-box", where="corner")
        return part.replace(size=(*to, *part.size[2:]))
    raise refusal("corner.no-polygon", where="shape", kind=part.kind)


DOES: Does = {"drag-corner": drag_corner, "select-corner": select_corner}
