"""Boundary and obstacles as a table of forbidden regions, which the laws of `physics.regions` read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom import numerics
from carom.errors import SceneError
from carom.physics.regions import (
    ARC,
    BALL,
    BLOCK,
    CORNER,
    CYLINDER,
    HALF_SPACE,
    OUTLINE,
    SEGMENT,
    edge_record,
    region_record,
)
from carom.scene import Box, Scene
from carom.scene.shapes.features import Cuboid, Feature, Plane, Prism, Room, Round
from carom.scene.shapes.outline import Outline

Records = NDArray[Any]
Floats = NDArray[np.float64]

WIDEST = 2.0 * np.pi / 3.0  # angle of a piece of an arc, rad: below half a circle, so that two lines bound it
SPIKE = 1e-8  # length of the sum of two unit normals that are opposite, but for rounding
MOST_MATERIALS = 256


class Regions(NamedTuple):
    """The table: regions, features of outlines, names by label, and the materials that they are made of."""

    regions: Records
    edges: Records
    names: list[str]
    materials: list[str]


def regions_of(scene: Scene) -> Regions:
    """The forbidden regions of a scene."""
    table = RegionTable()
    table.add(scene.features, scene.dimension)
    if scene.boundary.box is not None:
        table.add_images(scene.boundary.box, float(scene.balls.radius.max(initial=0.0)))
    return table.finished()


class RegionTable:
    """Regions, one after the other, from plain numbers. A container is what is forbidden round a shape."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.materials: list[str] = []
        self._rows: list[Records] = []
        self._edges: list[Records] = []

    def finished(self) -> Regions:
        """The table as arrays."""
        rows = np.concatenate(self._rows) if self._rows else np.zeros(0, region_record)
        edges = np.concatenate(self._edges) if self._edges else np.zeros(0, edge_record)
        return Regions(rows, edges, self.names, self.materials)

    def add(self, features: Iterable[Feature], dimension: int) -> None:
        """What features of a scene of this dimension forbid, in their order."""
        for feature in features:
            match feature:
                case Room():
                    self.add(feature.faces, dimension)
                case Plane():
                    self.add_half_space(*feature)
                case Round(centre, radius, material, name, inside):
                    add = self.add_ball if len(centre) == dimension else self.add_cylinder
                    add(centre, radius, material, name, container=inside)
                case Cuboid():
                    self.add_block(*feature)
                case Prism(outline, materials, name, inside, holes):
                    self.add_outline(outline, materials, f"{name} ".lstrip(), container=inside)
                    self.add(holes, dimension)

    def add_half_space(self, point: Any, normal: Any, material: str, name: str) -> None:
        """What lies behind a plane through `point`, from where `normal` (of any length) points away."""
        n = _three(normal)
        row = self._add(HALF_SPACE, material, name)
        row["px"], row["py"], row["pz"] = _three(point)
        row["qx"], row["qy"], row["qz"] = n / numerics.length(n)
        row["scale"] = np.abs(_three(point)).max()

    def add_ball(self, centre: Any, radius: float, material: str, name: str, *, container: bool = False) -> None:
        """A ball, in 2D a circle."""
        self._add_round(BALL, centre, radius, material, name, container)

    def add_cylinder(self, centre: Any, radius: float, material: str, name: str, *, container: bool = False) -> None:
        """A cylinder without end along z."""
        self._add_round(CYLINDER, centre, radius, material, name, container)

    def _add_round(self, kind: int, centre: Any, radius: float, material: str, name: str, container: bool) -> None:
        row = self._add(kind, material, name)
        row["px"], row["py"], row["pz"] = _three(centre)
        row["r"], row["sign"] = radius, -1.0 if container else 1.0
        row["scale"] = np.abs(_three(centre)).max() + radius

    def add_block(self, low: Any, high: Any, material: str, name: str) -> None:
        """A solid rectangle or cuboid, parallel to the axes, from its lowest to its highest corner."""
        row = self._add(BLOCK, material, name)
        row["px"], row["py"], row["pz"] = _three(low)
        row["qx"], row["qy"], row["qz"] = _three(high)
        row["scale"] = max(np.abs(_three(low)).max(), np.abs(_three(high)).max())

    def add_outline(
        self, outline: Outline, materials: Sequence[str], prefix: str, *, container: bool = False
    ) -> None:  # fmt: skip
        """The inside of a closed outline, counter-clockwise; in 3D without end along z. A material an edge."""
        row = self._add(OUTLINE, materials[0], prefix.strip() or "outline")
        low, high = outline.box
        row["px"], row["py"] = (-np.inf, -np.inf) if container else low.min(axis=0)
        row["qx"], row["qy"] = (np.inf, np.inf) if container else high.max(axis=0)
        curved = outline.bulge != 0.0
        row["scale"] = max(np.abs(low).max(), np.abs(high).max()) + outline.radius[curved].max(initial=0.0)
        side = 1.0 if container else -1.0
        middle = middle_normals(outline, side)
        edges = []
        for k in range(len(outline.start)):
            number = self._material(materials[k])
            new = arc_of(outline, k, side) if curved[k] else segment_of(outline, k, side, middle)
            new["material"], new["label"] = number, self._label(f"{prefix}edge {k}")
            edges.append(new)
            if curved[k] or curved[k - 1]:
                corner = np.zeros(1, edge_record)
                corner["kind"], corner["material"], corner["label"] = CORNER, number, self._label(f"{prefix}corner {k}")
                corner["x"], corner["y"] = outline.start[k]
                corner["nx"], corner["ny"] = middle[k]
                edges.append(corner)
        row["first"] = sum(map(len, self._edges))
        row["count"] = sum(map(len, edges))
        self._edges += edges

    def add_images(self, box: Box, reach: float) -> None:
        """In periodic space, the images of what is solid that a ball of radius `reach` inside the box can touch.

        The box is taken half a period larger, for balls that cross the seam within a step. Planes have no images.
        """
        solids = [row for row in self._rows if row["kind"][0] != HALF_SPACE]
        size, periodic = _three(box.size), _three(box.periodic)
        margin = reach + 0.5 * periodic * size
        for step in product(*((-1.0, 0.0, 1.0) if around else (0.0,) for around in periodic)):
            move = np.array(step) * size
            for row in solids if any(step) else ():
                low, high = box_round(row)
                beyond = (low + move > size + margin) | (high + move < -margin)
                if not (beyond & (periodic != 0.0)).any():
                    self._add_image(row, move)

    def _add_image(self, row: Records, move: Floats) -> None:
        """A region once more, somewhere else, with the same names."""
        image = row.copy()
        for place, by in zip("xyz", move, strict=True):
            image[f"p{place}"] += by
            image[f"q{place}"] += by
        image["scale"] += np.abs(move).max()
        if image["kind"][0] == OUTLINE:
            edges = np.concatenate(self._edges)
            part = edges[row["first"][0] : row["first"][0] + row["count"][0]].copy()
            for place, by in zip(("x", "y", "ex", "ey"), (*move[:2], *move[:2]), strict=True):
                part[place] += by
            image["first"] = len(edges)
            self._edges.append(part)
        self._rows.append(image)

    def _add(self, kind: int, material: str, name: str) -> Records:
        """Append a blank row and give it to the caller to fill."""
        row = np.zeros(1, region_record)
        row["kind"], row["material"], row["label"], row["sign"] = kind, self._material(material), self._label(name), 1.0
        self._rows.append(row)
        return row

    def _label(self, name: str) -> int:
        self.names.append(name)
        return len(self.names) - 1

    def _material(self, name: str) -> int:
        if name not in self.materials:
            if len(self.materials) == MOST_MATERIALS:
                raise SceneError.of("walls.materials", where="obstacles", name=repr(name), most=MOST_MATERIALS)
            self.materials.append(name)
        return self.materials.index(name)


def _three(vector: Any) -> Floats:
    """A vector with three components; the third is 0 in the plane."""
    result = np.zeros(3)
    result[: len(vector)] = vector
    return result


def box_round(row: Records) -> tuple[Floats, Floats]:
    """Corners of a box round a solid region."""
    low = np.array([row["px"][0], row["py"][0], row["pz"][0]])
    high = np.array([row["qx"][0], row["qy"][0], row["qz"][0]])
    kind = row["kind"][0]
    if kind in (BALL, CYLINDER):
        low, high = low - row["r"][0], low + row["r"][0]
    if kind in (CYLINDER, OUTLINE):
        low[2], high[2] = -np.inf, np.inf
    return low, high


def segment_of(outline: Outline, k: int, side: float, middle: Floats) -> Records:
    """Edge k, straight; free space is on its left if side is 1."""
    row = np.zeros(1, edge_record)
    length = float(np.hypot(*outline.chord[k]))
    tx, ty = outline.chord[k] / length
    row["kind"], row["length"] = SEGMENT, length
    row["x"], row["y"] = outline.start[k]
    row["ex"], row["ey"] = outline.end[k]
    row["tx"], row["ty"] = tx, ty
    row["nx"], row["ny"] = -side * ty, side * tx
    row["ax"], row["ay"] = middle[k]
    row["bx"], row["by"] = middle[(k + 1) % len(middle)]
    return row


def arc_of(outline: Outline, k: int, side: float) -> Records:
    """Edge k, an arc, in pieces of at most a third of a circle."""
    bulge = float(outline.bulge[k])
    angle = 4.0 * math.atan(abs(bulge))
    pieces = int(np.ceil(angle / WIDEST))
    centre = outline.centre[k]
    begin = (outline.start if bulge > 0.0 else outline.end)[k] - centre
    directions = math.atan2(begin[1], begin[0]) + angle * np.arange(pieces + 1) / pieces
    rows = np.zeros(pieces, edge_record)
    rows["kind"], rows["r"], rows["side"] = ARC, outline.radius[k], side * np.sign(bulge)
    rows["x"], rows["y"] = centre
    rows["ax"], rows["ay"] = -numerics.each(math.sin, directions[:-1]), numerics.each(math.cos, directions[:-1])
    rows["bx"], rows["by"] = numerics.each(math.sin, directions[1:]), -numerics.each(math.cos, directions[1:])
    return rows


def middle_normals(outline: Outline, side: float) -> Floats:
    """At each vertex, the unit normal half-way between those of the two edges, into free space."""
    along = numerics.each(math.atan2, outline.chord[:, 1], outline.chord[:, 0])
    swing = 2.0 * numerics.each(math.atan, outline.bulge)  # an arc begins and ends so much off its chord
    leaving, coming = along - swing, np.roll(along + swing, 1)
    (x, y), (u, v) = ((numerics.each(math.cos, way), numerics.each(math.sin, way)) for way in (leaving, coming))
    normals = side * np.stack([-y - v, x + u], axis=1)
    length = np.hypot(*normals.T)
    tips = np.flatnonzero(length < SPIKE)  # there and back again: on, if the tip is solid; back, if it is free space
    on = np.stack([u, v], axis=1)[tips]
    inside = outline.contains(outline.start[tips] + 1e-3 * np.hypot(*outline.chord[tips].T)[:, None] * on)
    normals[tips] = np.where((inside == (side > 0.0))[:, None], on, -on)
    length[tips] = 1.0
    result: Floats = normals / length[:, None]
    return result
