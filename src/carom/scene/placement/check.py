"""Check the positions of the balls of a scene: overlaps, and balls outside or across walls.

Contacts and overlaps by rounding are accepted. Fixed balls may overlap each other and the walls. Balls that cannot
collide may overlap: linked balls, corners of a cloth, balls that pass through each other, and balls that are not born.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.errors import Problem, first_problems
from carom.messages.phrase import Phrase
from carom.scene.agreement import periods
from carom.scene.balls import Balls
from carom.scene.fields.columns import Flags, Floats
from carom.scene.model import Scene
from carom.scene.placement.overlaps import ROUNDING, TOLERANCE, BallImages, overlapping_pairs
from carom.scene.shapes.features import Prism, Room, Round, Solid

__all__ = ["is_clear", "overlapping", "problems"]

Indices = NDArray[np.intp]

PILE_OVERLAP = 0.05
"""Overlap that is accepted where balls pile up, as a part of the radius: contacts in a pile are soft."""

MAX_QUICK = 16
"""Largest number of balls that are compared with all others."""
_MAX_LISTED = 20


@dataclass(frozen=True)
class _Findings:
    """The first problems of one kind, and their number. `complete` is False if there may be more."""

    first: list[Problem]
    total: int
    complete: bool = True


def problems(scene: Scene, excused: NDArray[np.integer] | None = None) -> list[Problem]:
    """Problems with the positions of the balls: at most twenty, and one with the number of others.

    Pairs of balls that are `excused`, as rows of two numbers, may overlap.
    """
    found = [*_at_boundary(scene), *_at_polygons(scene), *_at_solids(scene), *_overlaps(scene, excused)]
    listed = [problem for sort in found for problem in sort.first]
    at_least = not all(sort.complete for sort in found)
    return first_problems(listed, sum(sort.total for sort in found), at_least=at_least, limit=_MAX_LISTED)


def is_clear(scene: Scene, rows: Indices) -> bool:
    """True if a quick check finds that these balls overlap nothing; if False, `problems` decides."""
    box, balls = scene.boundary.box, scene.balls
    if len(rows) > MAX_QUICK or scene.obstacles or (box is None and scene.boundary.bounded):
        return False
    place, radius = balls.position[rows], balls.radius[rows]
    if box is not None:
        size, depth = np.array(box.size), np.where(box.periodic, 0.0, radius[:, None])
        if not ((depth <= place) & (place <= size - depth) & (2.0 * radius[:, None] <= size)).all():
            return False
    around = np.array(_periods(scene))
    finite = np.where(np.isfinite(around), around, 0.0)
    apart = place[:, None] - balls.position
    with np.errstate(over="ignore"):  # at such distances balls do not overlap
        apart -= finite * np.round(apart / around)
        near = (apart * apart).sum(axis=2) <= (radius[:, None] + balls.radius) ** 2
    near[np.arange(len(rows)), rows] = False
    return not near.any()


def _described(balls: Indices, describe: Callable[[int], Problem]) -> _Findings:
    return _Findings([describe(int(ball)) for ball in balls[:_MAX_LISTED]], len(balls))


def _slack(scene: Scene) -> Floats:
    """Accepted overlap of each ball with a wall, m: a part of the radius, and the rounding of its position."""
    balls = scene.balls
    part = PILE_OVERLAP if scene.piles_up else TOLERANCE
    slack: Floats = part * balls.radius + ROUNDING * np.abs(balls.position).max(axis=1, initial=0.0)
    return slack


# --- the boundary


def _at_boundary(scene: Scene) -> Iterator[_Findings]:
    for wall in scene.boundary.walls:
        if isinstance(wall, Room):
            for axis, periodic in enumerate(wall.periodic):
                yield from (_along_period if periodic else _between_faces)(scene, wall, axis)
        elif isinstance(wall, Prism):
            yield from _in_prism(scene, wall)
        elif isinstance(wall, Round):
            yield _in_round(scene, wall)


def _along_period(scene: Scene, box: Room, axis: int) -> Iterator[_Findings]:
    """Check along a periodic axis: centres are in the box, and balls do not overlap their own images."""
    balls = scene.balls
    length, name, place = box.size[axis], "xyz"[axis], balls.position[:, axis]

    def outside(ball: int) -> Problem:
        return Problem("ball.outside-period", ball=ball, axis=name, place=place[ball], period=length)

    def too_large(ball: int) -> Problem:
        diameter = 2.0 * balls.radius[ball]
        return Problem("ball.meets-itself", ball=ball, diameter=diameter, period=length, axis=name)

    yield _described(np.flatnonzero((place < 0.0) | (place > length)), outside)
    yield _described(np.flatnonzero(2.0 * balls.radius > length * (1.0 + TOLERANCE)), too_large)


def _between_faces(scene: Scene, box: Room, axis: int) -> Iterator[_Findings]:
    """Check along an axis with walls: moving balls are between them."""
    balls = scene.balls
    place, slack = balls.position[:, axis], _slack(scene) + ROUNDING * box.size[axis]
    for sign, depth in (("-", place), ("+", box.size[axis] - place)):
        bad = np.flatnonzero((depth < balls.radius - slack) & ~balls.fixed)
        yield _described(bad, partial(_beyond, balls, depth, Phrase("place.wall", name=f"{'xyz'[axis]}{sign}")))


def _beyond(balls: Balls, depth: Floats, wall: Phrase, ball: int) -> Problem:
    """The problem of a ball whose centre is at the distance `depth`, m, inside of a wall: beyond it, or across it."""
    if depth[ball] < 0.0:
        return Problem("ball.outside", ball=ball, beyond=-depth[ball], wall=wall)
    return Problem("ball.across", ball=ball, wall=wall, depth=depth[ball], radius=balls.radius[ball])


def _in_round(scene: Scene, wall: Round) -> _Findings:
    balls, depth = scene.balls, wall.distance(scene.balls.position)
    slack = _slack(scene) + ROUNDING * wall.radius
    bad = np.flatnonzero((depth < balls.radius - slack) & ~balls.fixed)
    name = Phrase("place.circle" if len(wall.centre) == scene.dimension else "place.cylinder")
    return _described(bad, partial(_beyond, balls, depth, name))


def _in_prism(scene: Scene, wall: Prism) -> Iterator[_Findings]:
    """Check that moving balls are inside the outline; its holes are checked as solids."""
    balls = scene.balls
    moving = np.flatnonzero(~balls.fixed)
    inside, away, edge = _near_outline(scene, wall, moving, (0.0, 0.0))
    slack = _slack(scene)[moving]
    outside = ~inside & (away > slack)
    across = ~outside & (away < balls.radius[moving] - slack)

    def describe_outside(ball: int) -> Problem:
        place = ", ".join(f"{x:.12g}" for x in balls.position[ball])
        return Problem("ball.outside-polygon", ball=ball, place=place)

    def describe_across(ball: int) -> Problem:
        index = int(np.searchsorted(moving, ball))
        wall = Phrase("place.edge", k=edge[index])
        return Problem("ball.across", ball=ball, wall=wall, depth=away[index], radius=balls.radius[ball])

    yield _described(moving[outside], describe_outside)
    yield _described(moving[across], describe_across)


def _near_outline(scene: Scene, prism: Prism, which: Indices, shift: Sequence[float]) -> tuple[Flags, Floats, Indices]:
    """For each ball: whether its centre is inside, its distance from a near outline, m, and the nearest edge."""
    balls = scene.balls
    position = balls.position[which, :2] - shift  # in space, a prism along z
    reach = float((balls.radius[which] + 2.0 * _slack(scene)[which]).max(initial=0.0))
    away, edge = prism.outline.distance(position, reach)
    return prism.outline.contains(position), away, edge


# --- solids


def _solids(scene: Scene) -> Iterator[tuple[Phrase, Solid]]:
    """All solids with their names: the holes of the boundary, and the obstacles."""
    for wall in scene.boundary.walls:
        if isinstance(wall, Prism):
            yield from ((Phrase("place.hole", k=index), hole) for index, hole in enumerate(wall.holes))
    for index, obstacle in enumerate(scene.obstacles):
        yield from ((Phrase("place.obstacle", k=index), feature) for feature in obstacle.solids())


def _is_sphere(scene: Scene, solid: Solid) -> bool:
    """True for solid circles, in 3D spheres, which are checked together with the balls."""
    return isinstance(solid, Round) and len(solid.centre) == scene.dimension


def _periods(scene: Scene) -> list[float]:
    return periods(scene.boundary, scene.dimension)


def _at_polygons(scene: Scene) -> Iterator[_Findings]:
    """Check that no moving ball is inside or across a solid polygon or its images."""
    shifts = [(-p, 0.0, p) if np.isfinite(p) else (0.0,) for p in _periods(scene)[:2]]
    for name, solid in _solids(scene):
        if isinstance(solid, Prism):
            for shift in product(*shifts):
                yield _at_polygon(scene, solid, name, shift)


def _at_polygon(scene: Scene, solid: Prism, name: Phrase, shift: Sequence[float]) -> _Findings:
    balls = scene.balls
    lower, upper = solid.outline.box[0].min(axis=0) + shift, solid.outline.box[1].max(axis=0) + shift
    margin = balls.radius[:, None]
    place = balls.position[:, :2]
    near = ((place + margin >= lower) & (place - margin <= upper)).all(axis=1)
    which = np.flatnonzero(near & ~balls.fixed)
    inside, away, edge = _near_outline(scene, solid, which, shift)
    slack = _slack(scene)[which]
    bad = (inside & (away > slack)) | (away < balls.radius[which] - slack)

    def describe(ball: int) -> Problem:
        index = int(np.searchsorted(which, ball))
        if inside[index]:
            return Problem("ball.inside", ball=ball, name=name)
        radius = balls.radius[ball]
        return Problem("ball.overlaps-edge", ball=ball, name=name, away=away[index], edge=edge[index], radius=radius)

    return _described(which[bad], describe)


def _at_solids(scene: Scene) -> Iterator[_Findings]:
    """Check that no moving ball is inside or across another solid."""
    balls = scene.balls
    for name, solid in _solids(scene):
        if not isinstance(solid, Prism) and not _is_sphere(scene, solid):
            away = solid.distance(balls.position)
            bad = np.flatnonzero((away < balls.radius - _slack(scene)) & ~balls.fixed)
            yield _described(bad, partial(_in_solid, balls, away, name))


def _in_solid(balls: Balls, away: Floats, name: Phrase, ball: int) -> Problem:
    if away[ball] < 0.0:
        return Problem("ball.inside-deep", ball=ball, name=name, depth=-away[ball])
    return Problem("ball.overlaps", ball=ball, name=name, away=away[ball], radius=balls.radius[ball])


# --- pairs


def overlapping(scene: Scene) -> Indices:
    """Pairs of balls that overlap and can collide, as rows."""
    pairs, _ = overlapping_pairs(_bodies(scene, ()), _periods(scene))
    return pairs[_can_collide(scene, pairs)]


def _bodies(scene: Scene, circles: Sequence[Round]) -> BallImages:
    """Balls, and solid circles after them; where balls pile up, with radii reduced by the accepted overlap."""
    balls = scene.balls
    return BallImages(
        np.concatenate([balls.position, *(np.array([circle.centre]) for circle in circles)]),
        np.concatenate([balls.radius * (1.0 - (PILE_OVERLAP if scene.piles_up else 0.0)), [c.radius for c in circles]]),
        np.concatenate([balls.fixed, np.ones(len(circles), dtype=np.bool_)]),
        np.arange(len(balls) + len(circles)),
    )


def _overlaps(scene: Scene, excused: NDArray[np.integer] | None = None) -> Iterator[_Findings]:
    """Check for balls that overlap each other or a solid circle, except excused pairs."""
    balls = scene.balls
    circles = [(name, solid) for name, solid in _solids(scene) if isinstance(solid, Round) and _is_sphere(scene, solid)]
    bodies = _bodies(scene, [circle for _, circle in circles])
    around = _periods(scene)
    pairs, complete = overlapping_pairs(bodies, around)
    pairs = pairs[_can_collide(scene, pairs)]
    if excused is not None:
        known, place = (np.sort(rows, axis=1) @ (len(bodies.radius), 1) for rows in (excused, pairs))
        pairs = pairs[~np.isin(place, known)]

    def describe(index: int) -> Problem:
        one, other = pairs[index].tolist()
        apart = _apart(bodies.position[one] - bodies.position[other], around)
        if other >= len(balls):
            name, circle = circles[other - len(balls)]
            radii = balls.radius[one] + circle.radius
            return Problem("ball.overlaps-circle", ball=one, name=name, apart=apart, radii=radii)
        radii = balls.radius[one] + balls.radius[other]
        return Problem("balls.overlap", one=one, other=other, apart=apart, radii=radii)

    found = _described(np.arange(len(pairs)), describe)
    yield _Findings(found.first, found.total, complete)


def _can_collide(scene: Scene, pairs: NDArray[np.int64]) -> Flags:
    """Mask of pairs, of balls or of a ball and a solid circle, that exist at the start and can collide."""
    count = len(scene.balls)
    part, ignored = scene.links.groups(count), scene.balls.born > 0.0
    ignored[scene.triangles.ravel()] = True
    one, other = pairs.T
    solid = other >= count
    mate = np.where(solid, one, other)
    passing = scene.attraction is not None and scene.attraction.touch == "pass"
    free = (part[one] != part[mate]) & ~ignored[one] & ~ignored[mate] & (not passing)
    return np.asarray(solid | free)


def _apart(between: Floats, around: Sequence[float]) -> float:
    """The distance, m, in periodic space to the nearest image."""
    nearest = [x - p * round(x / p) if np.isfinite(p) else x for x, p in zip(between.tolist(), around, strict=True)]
    return numerics.length(nearest)
