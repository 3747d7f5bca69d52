"""Boundary, obstacles and fixed balls as one table of wall features, which the laws of `physics.walls` read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.physics.walls import BOWL, CORNER, DOME, NO_BALL, PIN, PLANE, SEGMENT, wall_record
from carom.scene import Box, Scene
from carom.scene.shapes.features import Cuboid, Feature, Plane, Prism, Room, Round
from carom.scene.shapes.outline import Outline

Records = NDArray[Any]
WHOLE = -2.0  # a cosine that no direction falls below: the whole circle
FLAT = 1e-8  # an angle at which a ball cannot tell a corner from a wall, rad: it would stand out by 1e-17 of its radius


class WallTable:
    """The table, with the names of its rows and of the materials that they are made of."""

    def __init__(self, scene: Scene) -> None:
        self.names: list[str] = []
        self.materials: list[str] = []
        self._rows: list[Records] = []
        if scene.dimension in scene.boundary.exact_in:
            self._add_features(scene.boundary.walls)
        for k, obstacle in enumerate(scene.obstacles):
            if scene.dimension in obstacle.exact_in:
                self._add_features(obstacle.solids(f"obstacle {k}"))
        self._add_pins(scene)
        records = np.concatenate(self._rows) if self._rows else np.zeros(0, wall_record)
        self.records = with_images(records, scene.boundary.box, float(scene.balls.radius.max(initial=0.0)))
        self.records["slack"] = 65536.0 * np.finfo(float).eps * extent(self.records, scene.boundary.box)

    def name(self, row: int) -> str:
        """What a wall is called: "x-", "edge 3", "hole 0", "obstacle 1 corner 2" and so on."""
        return self.names[int(self.records["label"][row])]

    def _add(self, names: Sequence[str], kind: int, materials: Iterable[str]) -> Records:
        """Append blank rows and give them to the caller to fill."""
        rows = np.zeros(len(names), wall_record)
        rows["kind"] = kind
        rows["ball"] = NO_BALL
        rows["cosine"] = WHOLE
        rows["label"] = np.arange(len(self.names), len(self.names) + len(names))
        self.names.extend(names)
        for row, material in zip(rows, materials, strict=False):
            row["material"] = self._material(material)
        self._rows.append(rows)
        return rows

    def _material(self, name: str) -> int:
        if name not in self.materials:
            self.materials.append(name)
        return self.materials.index(name)

    def _add_features(self, features: Iterable[Feature]) -> None:
        for feature in features:
            match feature:
                case Room():
                    self._add_features(feature.faces)
                case Plane():
                    self._add_plane(feature)
                case Round():
                    self._add_round(feature)
                case Prism():
                    self._add_outline(feature)
                    self._add_features(feature.holes)
                case Cuboid():
                    raise NotImplementedError("this solver has no law for a block: give it an outline")

    def _add_plane(self, plane: Plane) -> None:
        row = self._add([plane.name], PLANE, [plane.material])
        for axis, place, normal in zip("xyz", plane.point, plane.unit_normal, strict=False):
            row[f"p{axis}"], row[f"n{axis}"] = place, normal

    def _add_round(self, wall: Round) -> None:
        row = self._add([wall.name], BOWL if wall.inside else DOME, [wall.material])
        row["px"], row["py"], row["pz"] = (*wall.centre, 0.0)[:3]
        row["r"] = wall.radius

    def _add_outline(self, prism: Prism) -> None:
        """Edges and corners; the region is on the left of the edges, or on the right if the outline is solid."""
        outline, side = prism.outline, 1.0 if prism.inside else -1.0
        prefix = f"{prism.name} ".lstrip()
        edges = [f"{prefix}edge {k}" for k in range(len(outline.start))]
        rows = self._add(edges, SEGMENT, prism.materials)
        length = np.hypot(*outline.chord.T)
        tangent = outline.chord / length[:, None]
        rows["px"], rows["py"] = outline.start.T
        rows["tx"], rows["ty"] = tangent.T
        rows["nx"], rows["ny"] = -side * tangent[:, 1], side * tangent[:, 0]
        rows["length"] = length
        bend_edges(rows, outline, side)
        sharp = np.flatnonzero(side * turning(outline) < -FLAT)
        corners = self._add([f"{prefix}corner {k}" for k in sharp], CORNER, [prism.materials[k] for k in sharp])
        corners["px"], corners["py"] = outline.start[sharp].T

    def _add_pins(self, scene: Scene) -> None:
        """Fixed balls; their material is a ball's, and is looked up among those of the balls."""
        balls = scene.balls
        fixed = np.flatnonzero(balls.fixed)
        if not fixed.size:
            return
        rows = self._add([f"ball {k}" for k in fixed], PIN, ())
        rows["material"] = balls.material.codes[fixed]
        rows["ball"] = fixed
        rows["px"], rows["py"] = balls.position[fixed, :2].T
        if balls.dimension == 3:
            rows["pz"] = balls.position[fixed, 2]
        rows["r"] = balls.radius[fixed]


def turning(outline: Outline) -> NDArray[np.float64]:
    """By what angle one turns left at each vertex, from the end of one edge to the beginning of the next."""
    along = numerics.each(math.atan2, outline.chord[:, 1], outline.chord[:, 0])
    swing = 2.0 * numerics.each(math.atan, outline.bulge)  # an arc begins and ends so much off its chord
    turn = (along - swing) - np.roll(along + swing, 1)
    return np.asarray(np.remainder(turn + np.pi, 2.0 * np.pi) - np.pi)


def bend_edges(rows: Records, outline: Outline, side: float) -> None:
    """Turn the bulged edges of an outline into arcs: bowls where they bend away from the region, else domes."""
    curved = outline.bulge != 0.0
    if not curved.any():
        return
    bulge, centre = outline.bulge[curved], outline.centre[curved]
    middle = (outline.apex[curved] - centre) / outline.radius[curved, None]
    arcs = rows[curved]
    arcs["kind"] = np.where(side * bulge > 0.0, BOWL, DOME)
    arcs["px"], arcs["py"] = centre.T
    arcs["nx"], arcs["ny"] = middle.T
    arcs["r"] = outline.radius[curved]
    arcs["cosine"] = (1.0 - bulge**2) / (1.0 + bulge**2)  # of twice the arc tangent, half the arc's angle
    rows[curved] = arcs


def with_images(records: Records, box: Box | None, reach: float) -> Records:
    """The walls, and in periodic space those of their images that a ball inside the box can touch."""
    if box is None or not any(box.periodic) or not records.size:
        return records
    steps = [(-1, 0, 1) if periodic else (0,) for periodic in box.periodic]
    parts = []
    for step in product(*steps):
        shifted = records.copy()
        near = np.ones(records.size, dtype=bool)
        for axis, count in enumerate(step):
            place = "xyz"[axis]
            shifted[f"p{place}"] += count * box.size[axis]
            if count:
                size = shifted["r"] + shifted["length"] + reach
                near &= shifted["kind"] != PLANE
                near &= (shifted[f"p{place}"] + size >= 0.0) & (shifted[f"p{place}"] - size <= box.size[axis])
        parts.append(shifted[near])
    return np.concatenate(parts)


def extent(records: Records, box: Box | None) -> float:
    """The largest coordinate of the walls, m."""
    largest = max(box.size) if box is not None else 0.0
    if records.size:
        size = records["r"] + records["length"]
        largest = max(largest, *(float((np.abs(records[f"p{axis}"]) + size).max()) for axis in "xyz"))
    return largest


def wall_bounds(records: Records) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The corners of a box round all walls but planes; empty (infinite the wrong way round) when there are none."""
    walls = records[records["kind"] != PLANE]
    centre = np.stack([walls["px"], walls["py"], walls["pz"]], axis=1)
    end = centre + np.stack(
        [walls["tx"] * walls["length"], walls["ty"] * walls["length"], 0.0 * walls["length"]], axis=1
    )
    end[walls["kind"] != SEGMENT] = centre[walls["kind"] != SEGMENT]
    reach = walls["r"][:, None]
    low = np.minimum(centre, end) - reach
    high = np.maximum(centre, end) + reach
    return low.min(axis=0, initial=np.inf), high.max(axis=0, initial=-np.inf)
