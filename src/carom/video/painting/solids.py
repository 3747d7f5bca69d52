"""Walls and obstacles in space as triangles and lines."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.scene.shapes.features import Cuboid, Feature, Plane, Prism, Room, Round
from carom.video.painting.camera import upright
from carom.views.caps import triangles
from carom.views.shapes import points

Floats = NDArray[np.float64]

SOLID, GLASS, FLOOR = 0, 1, 2
EDGE, GRID = 0, 1
OVERHANG = 0.6
"""Features without end along z extend beyond the scene by this part of its size."""
GRID_CELLS = 10
"""Cells of the grid on a floor, per side."""
ROUND_PARTS, RING_PARTS = 48, 24
"""Number of segments of a circle, and of a meridian."""


@dataclass
class Solids:
    """Triangles with the normals of their corners and roles, and lines with their kinds."""

    low: Floats
    high: Floats
    gravity: tuple[float, ...]
    faces: list[Floats] = field(default_factory=list)
    normals: list[Floats] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)
    lines: list[Floats] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, scene: Scene, low: Floats, high: Floats) -> Solids:
        """All features of a scene that fills the space between two corners."""
        made = cls(low, high, scene.gravity)
        for feature in scene.features:
            made._add(feature, GLASS if feature.inside else SOLID)
        return made

    def _add(self, feature: Feature, role: int) -> None:
        size = OVERHANG * float((self.high - self.low).max())
        below, above = float(self.low[2]) - size, float(self.high[2]) + size
        match feature:
            case Room(size=sides):
                self._box(np.zeros(3), np.array(sides))
            case Cuboid(low, high):
                self._prism(np.array(feature.base), low[2], high[2], role)
            case Round(centre, radius) if len(centre) == 3:
                self._sphere(np.array(centre), radius, role)
            case Round(centre, radius):
                self._cylinder(np.array(centre), radius, below, above, role)
            case Plane(point):
                self._floor(np.array(point), np.array(feature.unit_normal))
            case Prism(outline, holes=holes):
                self._prism(points(outline), below, above, role)
                for hole in holes:
                    self._prism(points(hole.outline), below, above, SOLID)

    def _triangle(self, places: Floats, role: int, normals: Floats | None = None) -> None:
        if normals is None:
            normal = np.cross(places[1] - places[0], places[2] - places[0])
            normals = np.broadcast_to(normal / max(float(np.linalg.norm(normal)), 1e-300), (3, 3))
        self.faces.append(places)
        self.normals.append(normals)
        self.roles.append(role)

    def _quad(self, places: Floats, role: int, normals: Floats | None = None) -> None:
        for pick in ([0, 1, 2], [0, 2, 3]):
            self._triangle(places[pick], role, None if normals is None else normals[pick])

    def _line(self, start: Floats, end: Floats, kind: int = EDGE) -> None:
        self.lines.append(np.stack([start, end]))
        self.kinds.append(kind)

    def _box(self, low: Floats, high: Floats) -> None:
        """The edges of a box, and its floor: a faint plate with a grid."""
        corners = np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
        for k in range(8):
            for bit in (1, 2, 4):
                if not k & bit:
                    self._line(corners[k], corners[k | bit])
        up = upright(self.gravity)
        axis = int(np.argmax(np.abs(up)))
        a, b = (each for each in range(3) if each != axis)
        foot = low.copy()
        foot[axis] = low[axis] if up[axis] > 0.0 else high[axis]
        across, along = np.zeros(3), np.zeros(3)
        across[a], along[b] = high[a] - low[a], high[b] - low[b]
        self._plate(foot, across, along)

    def _plate(self, corner: Floats, across: Floats, along: Floats) -> None:
        """A parallelogram, in cells, so that cells behind the camera can be left out."""
        for i in range(GRID_CELLS):
            for j in range(GRID_CELLS):
                at = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                self._quad(np.array([corner + across * u / GRID_CELLS + along * v / GRID_CELLS for u, v in at]), FLOOR)
        for k in range(1, GRID_CELLS):
            for j in range(GRID_CELLS):
                u, v = across * k / GRID_CELLS, along * k / GRID_CELLS
                x, y = across * j / GRID_CELLS, along * j / GRID_CELLS
                self._line(corner + u + y, corner + u + y + along / GRID_CELLS, GRID)
                self._line(corner + v + x, corner + v + x + across / GRID_CELLS, GRID)

    def _floor(self, point: Floats, normal: Floats) -> None:
        """A piece of a plane below the scene."""
        across = np.cross(normal, (0.0, 1.0, 0.0) if abs(normal[0]) > 0.8 else (1.0, 0.0, 0.0))
        across /= np.linalg.norm(across)
        along = np.cross(normal, across)
        middle = (self.low + self.high) / 2.0
        reach = 0.75 * float(np.linalg.norm(self.high - self.low))
        foot = middle + normal * float((point - middle) @ normal)
        self._plate(foot - reach * (across + along), 2.0 * reach * across, 2.0 * reach * along)

    def _prism(self, outline: Floats, below: float, above: float, role: int) -> None:
        """A prism on an outline; with end faces if it is solid."""
        low, high = (np.column_stack([outline, np.full(len(outline), z)]) for z in (below, above))
        turn = np.roll(outline, -1, axis=0) - outline
        turn /= np.maximum(np.hypot(*turn.T)[:, None], 1e-300)
        for k in range(len(outline)):
            j = (k + 1) % len(outline)
            self._quad(np.array([low[k], low[j], high[j], high[k]]), role)
            self._line(low[k], low[j])
            self._line(high[k], high[j])
            if float(turn[k] @ turn[k - 1]) < 0.99:
                self._line(low[k], high[k])
        if role == SOLID:
            for face in triangles(outline):
                self._triangle(high[face], role)
                self._triangle(low[face[::-1]], role)

    def _cylinder(self, centre: Floats, radius: float, below: float, above: float, role: int) -> None:
        angles = np.arange(ROUND_PARTS + 1) * 2.0 * np.pi / ROUND_PARTS
        normal = np.stack([np.cos(angles), np.sin(angles), np.zeros(ROUND_PARTS + 1)], axis=1)
        foot, head = (np.array([*centre[:2], z]) for z in (below, above))
        low, high = foot + radius * normal, head + radius * normal
        for k in range(ROUND_PARTS):
            self._quad(np.array([low[k], low[k + 1], high[k + 1], high[k]]), role, normal[[k, k + 1, k + 1, k]])
            self._line(low[k], low[k + 1])
            self._line(high[k], high[k + 1])
            if role == SOLID:
                self._triangle(np.array([foot, low[k + 1], low[k]]), role)
                self._triangle(np.array([head, high[k], high[k + 1]]), role)
            elif k % (ROUND_PARTS // 4) == 0:
                self._line(low[k], high[k])

    def _sphere(self, centre: Floats, radius: float, role: int) -> None:
        down, round_ = (
            np.arange(RING_PARTS + 1) * np.pi / RING_PARTS,
            np.arange(ROUND_PARTS + 1) * 2.0 * np.pi / ROUND_PARTS,
        )
        z, r = np.cos(down)[:, None], np.sin(down)[:, None]
        normal = np.stack(
            [r * np.cos(round_), r * np.sin(round_), np.broadcast_to(z, (RING_PARTS + 1, ROUND_PARTS + 1))], axis=2
        )
        for i in range(RING_PARTS):
            for j in range(ROUND_PARTS):
                at = np.array([normal[i, j], normal[i + 1, j], normal[i + 1, j + 1], normal[i, j + 1]])
                self._quad(centre + radius * at, role, at)
        if role == GLASS:
            circle = np.stack([np.cos(round_), np.sin(round_), np.zeros(ROUND_PARTS + 1)], axis=1) * radius
            for order in ([0, 1, 2], [2, 0, 1], [0, 2, 1]):
                for k in range(ROUND_PARTS):
                    self._line(centre + circle[k, order], centre + circle[k + 1, order])
