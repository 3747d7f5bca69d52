"""Overlaps of balls with each other and the walls, from the geometry alone."""

from itertools import pairwise, product

import numpy as np

from carom import Box, Circle, Polygon, Scene


def deepest_overlap(scene: Scene) -> float:
    """The deepest overlap of two balls, or of a ball and a wall, m; negative or zero when there is none.

    A ball that has left the region counts with the distance of its centre from it and its radius.
    """
    return max(deepest_pair(scene), deepest_wall(scene))


def periods(scene: Scene) -> list[float]:
    if not isinstance(scene.boundary, Box):
        return [0.0] * scene.dimension
    return [size if around else 0.0 for size, around in zip(scene.boundary.size, scene.boundary.periodic, strict=True)]


def deepest_pair(scene: Scene) -> float:
    balls = scene.balls
    x, r, fixed = balls.position, balls.radius, balls.fixed
    d = x[:, None, :] - x[None, :, :]
    for axis, period in enumerate(periods(scene)):
        if period:
            d[..., axis] -= period * np.round(d[..., axis] / period)
    gap = np.sqrt((d**2).sum(axis=-1)) - (r[:, None] + r[None, :])
    np.fill_diagonal(gap, np.inf)
    gap[fixed[:, None] & fixed[None, :]] = np.inf
    return float(-gap.min(initial=np.inf))


def deepest_wall(scene: Scene) -> float:
    moving = ~scene.balls.fixed
    x, r = scene.balls.position[moving], scene.balls.radius[moving]
    boundary = scene.boundary
    worst = [-np.inf]
    if isinstance(boundary, Box):
        for axis, around in enumerate(boundary.periodic):
            edge = 0.0 if around else r
            worst += [float((edge - x[:, axis]).max()), float((x[:, axis] + edge - boundary.size[axis]).max())]
    elif isinstance(boundary, Circle):
        worst.append(float((np.linalg.norm(x - boundary.centre, axis=1) + r - boundary.radius).max()))
    elif isinstance(boundary, Polygon):
        worst.append(float(depth_outside(boundary, x, r).max()))
        worst += [depth_in(hole, x, r) for hole in boundary.holes]
    for obstacle in scene.obstacles:
        for shift in product(*[(-p, 0.0, p) if p else (0.0,) for p in periods(scene)]):
            worst.append(depth_in(obstacle, x + np.array(shift), r))
    return max(worst)


def depth_in(solid: Circle | Polygon, x: np.ndarray, r: np.ndarray) -> float:
    """How deep a ball reaches into a solid."""
    if isinstance(solid, Circle):
        return float((r + solid.radius - np.linalg.norm(x - solid.centre, axis=1)).max())
    away, inside = distance(solid, x)
    return float((r + np.where(inside, away, -away)).max())


def depth_outside(polygon: Polygon, x: np.ndarray, r: np.ndarray) -> np.ndarray:
    """How far each ball reaches out of a polygon."""
    away, inside = distance(polygon, x)
    return r + np.where(inside, -away, away)


def distance(polygon: Polygon, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distance of points from an outline, and whether they are inside; arcs are measured as arcs."""
    points = np.array(polygon.vertices)
    bulges = polygon.bulges or (0.0,) * len(points)
    away, winding = np.full(len(x), np.inf), np.zeros(len(x))
    for p, q, bulge in zip(points, np.roll(points, -1, axis=0), bulges, strict=True):
        if bulge:
            near, turn = from_arc(p, q, bulge, x)
        else:
            chord = q - p
            s = np.clip((x - p) @ chord / (chord @ chord), 0.0, 1.0)
            near, turn = np.linalg.norm(x - p - s[:, None] * chord, axis=1), turning(x, np.array([p, q]))
        away, winding = np.minimum(away, near), winding + turn
    return away, np.abs(winding) > np.pi


def turning(x: np.ndarray, path: np.ndarray) -> np.ndarray:
    """The angle by which the direction from each point to a path's runner turns."""
    total = np.zeros(len(x))
    for p, q in pairwise(path):
        a, b = p - x, q - x
        total += np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1))
    return total


def from_arc(p: np.ndarray, q: np.ndarray, bulge: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    chord = q - p
    length = float(np.hypot(*chord))
    right = np.array([chord[1], -chord[0]]) / length
    half = 2.0 * np.arctan(bulge)  # signed: half the angle of the arc
    centre = (p + q) / 2 - right * (length / 2) / np.tan(half)
    radius = abs(length / 2 / np.sin(half))
    offset = x - centre
    reach = np.linalg.norm(offset, axis=1)
    towards = right * np.sign(bulge)
    on_arc = offset @ towards >= np.cos(half) * reach
    ends = np.minimum(np.linalg.norm(x - p, axis=1), np.linalg.norm(x - q, axis=1))
    near = np.where(on_arc, np.abs(reach - radius), ends)
    apex = centre + towards * radius
    # Inside or outside, for the winding: the path by the apex, corrected where a point lies between it and the arc.
    turn = turning(x, np.array([p, apex, q]))
    if not len(x):
        return near, turn
    segment = (reach < radius) & (offset @ towards >= np.cos(half) * radius)
    triangle = np.abs(turning(x, np.array([p, apex, q, p]))) > np.pi
    return near, turn + np.where(segment & ~triangle, 2.0 * np.pi * np.sign(bulge), 0.0)
